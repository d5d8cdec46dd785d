"""When two exceptions of one call are the same kind of refusal, though their classes differ.

Only for SciPy's functions: what NumPy's raise is promised, but of an argument that SciPy does not look
at, the class is that of the operation inside which could not take it. A call that fails on one side alone is
no matter of classes, and never excused here.
"""

import re

#: Said by NumPy, Python or LAPACK about an argument that nobody looked at before.
INNER = re.compile(
    r"did not contain a loop|not supported for the input types|Cannot cast (array data|scalar|ufunc)"
    r"|could not be promoted|do not have a common DType|can't get common type|cannot use operands"
    r"|setting an array element with a sequence|Cannot (construct|interpret).* dtype"
    r"|Cannot interpret .* as a data type|data type .* not understood|must be a NumPy dtype"
    r"|^object of type .* has no len|^len\(\) of unsized|object is not (subscriptable|iterable|callable)"
    r"|^(tuple|list|string) index out of range|^too many indices|is out of bounds for axis"
    r"|truth value of an|Cannot compare structured|unsupported operand type|bad operand type"
    r"|not supported between instances|int too (large|big) to convert|unhashable type"
    r"|only integer scalar arrays|can only convert an array of size 1|_flapack|_fblas"
    r"|could not convert string|can only concatenate str|must be real number, not"
    r"|cannot convert float (infinity|NaN) to integer|value too large to convert to|boolean subtract|incompatible function arguments"
    r"|not all arguments converted during|unsupported format string passed|`pad_width` must be of integral type"
    r"|^Maximum allowed size exceeded|doesn't define __round__|is not a callable object"
    r"|takes .* arguments?\b.* (was|were) given|missing \d+ required positional|invalid literal for|must be a string, a bytes-like object"
    r"|argument must be a string or a(?: real)? number|cannot be interpreted as an integer"
    r"|iteration over a 0-d array|zero-size array to reduction|object __array__|__array_struct__"
    r"|an integer is required|(indices|integer argument) .*(not|got) |invalid __array"
    r"|zero-dimensional arrays cannot be|^all the input array|has no attribute"
    r"|(modulo|division) by zero|reduce\(\) of empty|at least one array or dtype"
    r"|invalid index to scalar|only integers, slices"
    r"|signed integer is (less than minimum|greater than maximum)|cannot fit 'int' into an index"
    r"|no signature found for builtin|^Unable to parse arguments|Numerical result out of range"
    r"|loop of ufunc does not support|argument \d+ must be numpy\.ndarray|Python integer .* out of bounds for"
    r"|^unbound method .* needs an argument|Unknown format code|^when no subspace is given"
    r"|^Unable to allocate|arrays used as indices|Implicit conversion|broadcast|boolean negative"
)
#: Our own words for a type that is refused.
TYPE_REFUSED = re.compile(
    r"must be .*\bnot\b|object is not (iterable|subscriptable)|cannot unpack non-iterable|must be (real|an array of integers), got|not supported for the input types|type not understood|(is|are) not supported|unsupported|has no counterpart"
    r"|could not be promoted|do not have a common DType"
    r"|cannot be interpreted as an integer|integer argument expected|only integer scalar arrays"
)


def said(error):
    """What an exception says; an argument in its words may refuse to be shown."""
    try:
        return str(error)
    except Exception as refused:
        return f"({type(refused).__name__} instead of a text)"


def looked_at_first(ours, theirs):
    """Our check came before an operation inside SciPy that could not take the argument either; what
    is no key of a dict is no argument for it."""
    is_check = isinstance(ours, (TypeError, ValueError, IndexError, RuntimeError, MemoryError))
    is_inner = isinstance(theirs, KeyError) or bool(INNER.search(said(theirs)))
    return is_check and is_inner and not INNER.search(said(ours))


def type_before_value(ours, theirs):
    """Of one argument with several faults, the type is refused before shape, axis or value."""
    return (
        isinstance(ours, TypeError)
        and isinstance(theirs, (ValueError, IndexError, RuntimeError, OverflowError))
        and bool(TYPE_REFUSED.search(said(ours)))
    )


def beyond_memory(ours, theirs):
    """Both say that a size is too large: NumPy's arrays refuse some as a value, lists as memory."""
    words = (
        "Maximum allowed dimension exceeded",
        "Maximum allowed size exceeded",
        "array is too big",
    )
    refused = [isinstance(e, MemoryError) or said(e).startswith(words) for e in (ours, theirs)]
    return all(refused) and isinstance(ours, (MemoryError, ValueError))


def both_inside(ours, theirs):
    """A number was wanted, and neither side says so itself: Python's or NumPy's words in both."""
    kinds = (TypeError, ValueError, OverflowError)
    return (
        isinstance(ours, kinds)
        and isinstance(theirs, (*kinds, IndexError, ZeroDivisionError))
        and bool(INNER.search(said(ours)))
        and bool(INNER.search(said(theirs)))
    )


RULES = (looked_at_first, type_before_value, beyond_memory, both_inside)


def are_alike(target, ours, theirs):
    """Whether a rule excuses the difference of two classes."""
    return target.startswith("sp.") and any(rule(ours, theirs) for rule in RULES)
