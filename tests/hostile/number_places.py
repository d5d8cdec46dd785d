"""Places of numbers in calls: where NumPy or SciPy takes an array without axes there, gpunp does.

The calls are the examples of docstrings, those of good_calls.py and those of MORE. A
`Place` is a program with one number, or one default of a parameter, written as `k(number)`.
"""

import ast
import copy
import doctest
import functools
import inspect
import numbers
import operator
import warnings
from collections import namedtuple

import good_calls
import numpy as np
import scipy

import gpunp as cp
from gpunp.scipy._borrowed_names import NAMES

Place = namedtuple("Place", "name number source")  # of the function; the number; the program
MODULES = [
    "cp",
    "cp.linalg",
    "cp.fft",
    "cp.random",
    "cp.lib.stride_tricks",
    "cp.polynomial.polynomial",
    "cp.polynomial.chebyshev",
    "scipy.cluster.hierarchy",
    "scipy.cluster.vq",
    "scipy.fft",
    "scipy.fftpack",
    "scipy.integrate",
    "scipy.interpolate",
    "scipy.linalg",
    "scipy.ndimage",
    "scipy.optimize",
    "scipy.signal",
    "scipy.signal.windows",
    "scipy.sparse",
    "scipy.sparse.csgraph",
    "scipy.sparse.linalg",
    "scipy.spatial",
    "scipy.spatial.distance",
    "scipy.special",
    "scipy.stats",
    "scipy.stats.contingency",
    "scipy.stats.qmc",
]
MORE = """
sp.stats.trim_mean(xp.arange(20.0), 0.1, axis=0)
sp.stats.trimboth(xp.arange(20.0), 0.1, axis=0)
sp.stats.trim1(xp.arange(20.0), 0.1, tail='left', axis=0)
sp.stats.tmean(xp.arange(20.0), limits=(2.0, 9.0), axis=0)
sp.stats.tmean(xp.arange(20.0), limits=(None, 9.0))
sp.stats.tmin(xp.arange(20.0), lowerlimit=2.0, axis=0)
sp.stats.tmax(xp.arange(20.0), upperlimit=9.0, axis=0)
sp.stats.tvar(xp.arange(20.0), limits=(2.0, 9.0), axis=0, ddof=1)
sp.stats.tstd(xp.arange(20.0), limits=(2.0, 9.0), ddof=1)
sp.stats.tsem(xp.arange(20.0), limits=(2.0, 9.0), ddof=1)
sp.stats.moment(xp.arange(20.0), 3, axis=0, center=1.5)
sp.stats.moment(xp.arange(20.0), order=(2, 3))
sp.stats.pmean(xp.arange(1.0, 20.0), 3, axis=0)
sp.stats.gaussian_kde(xp.arange(9.0), bw_method=0.5)(xp.arange(3.0))
sp.stats.gaussian_kde(xp.arange(9.0)).integrate_box_1d(0.5, 2.0)
sp.stats.gaussian_kde(xp.arange(9.0)).integrate_gaussian(0.5, 2.0)
sp.stats.binned_statistic(xp.arange(9.0), xp.arange(9.0), 'sum', bins=3, range=(0.0, 8.0))
sp.stats.binned_statistic_2d(xp.arange(9.0), xp.arange(9.0), xp.arange(9.0), 'sum', bins=(3, 2))
sp.stats.binned_statistic_dd(xp.ones((4, 2)), xp.arange(4.0), 'sum', bins=[3, 2])
sp.stats.variation(xp.arange(1.0, 9.0), axis=0, ddof=1)
sp.stats.sem(xp.arange(1.0, 9.0), axis=0, ddof=1)
sp.stats.zscore(xp.arange(9.0), axis=0, ddof=1)
sp.stats.gstd(xp.arange(1.0, 9.0), axis=0, ddof=1)
sp.stats.iqr(xp.arange(9.0), axis=0, rng=(10, 60), scale=2.0)
sp.stats.median_abs_deviation(xp.arange(9.0), axis=0, scale=2.0)
sp.stats.percentileofscore(xp.arange(9.0), 3.0)
sp.stats.scoreatpercentile(xp.arange(9.0), 30.0, limit=(1.0, 8.0))
sp.stats.sigmaclip(xp.arange(9.0), low=1.0, high=1.0)
sp.stats.cumfreq(xp.arange(9.0), numbins=4, defaultreallimits=(0.0, 9.0))
sp.stats.relfreq(xp.arange(9.0), numbins=4, defaultreallimits=(0.0, 9.0))
sp.stats.ttest_1samp(xp.arange(9.0), 3.0, axis=0)
sp.stats.ttest_ind_from_stats(1.0, 2.0, 30, 1.5, 2.0, 30)
sp.stats.wilcoxon(xp.arange(1.0, 9.0), axis=0)
sp.stats.expectile(xp.arange(9.0), alpha=0.3)
sp.stats.boxcox_llf(0.5, xp.arange(1.0, 9.0))
sp.stats.probplot(xp.arange(9.0), sparams=(2.5,), dist='tukeylambda', fit=False)
sp.stats.power_divergence(xp.arange(1.0, 9.0), ddof=1, axis=0, lambda_=2.0)
sp.spatial.KDTree(xp.arange(8.0).reshape(4, 2)).query(xp.ones((2, 2)), k=2, eps=0.5, p=1.0)
sp.spatial.KDTree(xp.arange(8.0).reshape(4, 2)).query(xp.ones((2, 2)), k=[1, 2])
sp.spatial.KDTree(xp.arange(8.0).reshape(4, 2)).query_ball_point(xp.ones((2, 2)), 2.0, eps=0.5)
sp.spatial.KDTree(xp.arange(8.0).reshape(4, 2)).count_neighbors(sp.spatial.KDTree(xp.ones((2, 2))), 2.0, p=1.0)
sp.spatial.distance.minkowski(xp.arange(3.0), xp.ones(3), p=3)
sp.spatial.minkowski_distance(xp.ones((2, 3)), xp.zeros((2, 3)), p=3)
sp.cluster.vq.kmeans2(xp.arange(8.0).reshape(4, 2), 2, iter=3, thresh=1e-5, minit='points', rng=1)
sp.sparse.eye(3, 4, k=1)
sp.sparse.identity(3)
sp.sparse.eye_array(3, 3, k=-1)
sp.sparse.diags([1.0, 2.0], 1)
sp.sparse.diags_array([1.0, 2.0], offsets=-1, shape=(3, 3))
sp.sparse.spdiags(xp.ones((1, 3)), 1, 3, 4)
sp.sparse.random(5, 6, density=0.25, rng=1)
sp.sparse.rand(5, 6, density=0.25, rng=1)
sp.sparse.triu(sp.sparse.eye_array(3), k=1)
sp.sparse.csr_matrix((3, 4))
sp.sparse.coo_array((3, 4))
sp.sparse.csr_array(xp.eye(3)).sum(axis=0)
sp.sparse.csr_array(xp.eye(3)).diagonal(1)
sp.sparse.csr_array(xp.eye(3)).reshape(9, 1)
sp.sparse.csr_array(xp.eye(3)).resize(2, 2)
sp.sparse.csr_matrix(xp.eye(3)).power(2)
sp.sparse.csr_matrix(xp.eye(3)).getrow(1)
sp.sparse.linalg.cg(xp.eye(3), xp.ones(3), rtol=1e-3, atol=1e-3, maxiter=4)
sp.sparse.linalg.gmres(xp.eye(3), xp.ones(3), rtol=1e-3, atol=1e-3, restart=2, maxiter=4)
sp.sparse.linalg.cgs(xp.eye(3), xp.ones(3), rtol=1e-3, atol=1e-3, maxiter=4)
sp.sparse.linalg.qmr(xp.eye(3), xp.ones(3), rtol=1e-3, atol=1e-3, maxiter=4)
sp.sparse.linalg.tfqmr(xp.eye(3), xp.ones(3), rtol=1e-3, atol=1e-3, maxiter=4)
sp.sparse.linalg.lsqr(xp.eye(3), xp.ones(3), damp=0.5, atol=1e-3, btol=1e-3, conlim=1e8, iter_lim=4)
sp.sparse.linalg.lsmr(xp.eye(3), xp.ones(3), damp=0.5, atol=1e-3, btol=1e-3, conlim=1e8, maxiter=4)
sp.sparse.linalg.eigsh(xp.diag(xp.arange(1.0, 9.0)), k=2, sigma=0.5)
sp.signal.butter(3, [0.2, 0.4], btype='band', fs=2.0)
sp.signal.cheby1(3, 1.0, 0.2, fs=2.0)
sp.signal.cheby2(3, 40.0, 0.2, fs=2.0)
sp.signal.ellip(3, 1.0, 40.0, 0.2, fs=2.0)
sp.signal.bessel(3, 0.2, fs=2.0)
sp.signal.buttord(0.2, 0.3, 1.0, 40.0, fs=2.0)
sp.signal.cheb1ord(0.2, 0.3, 1.0, 40.0, fs=2.0)
sp.signal.ellipord([0.1, 0.5], [0.05, 0.6], 1.0, 40.0)
sp.signal.iirfilter(3, 0.2, rp=1.0, rs=40.0, ftype='ellip', fs=2.0)
sp.signal.iirdesign(0.2, 0.3, 1.0, 40.0, fs=2.0)
sp.signal.iirnotch(0.2, 30.0, fs=2.0)
sp.signal.iirpeak(0.2, 30.0, fs=2.0)
sp.signal.iircomb(0.2, 30.0, fs=2.0)
sp.signal.firwin(9, [0.2, 0.4], width=0.1, fs=2.0)
sp.signal.firwin2(9, [0.0, 0.5, 1.0], [1.0, 0.5, 0.0], nfreqs=33, fs=2.0)
sp.signal.kaiserord(40.0, 0.1)
sp.signal.kaiser_beta(40.0)
sp.signal.kaiser_atten(9, 0.1)
sp.signal.bilinear([1.0], [1.0, 1.0], fs=2.0)
sp.signal.lp2lp([1.0], [1.0, 1.0], wo=2.0)
sp.signal.lp2bp([1.0], [1.0, 1.0], wo=2.0, bw=0.5)
sp.signal.buttap(3)
sp.signal.cheb1ap(3, 1.0)
sp.signal.ellipap(3, 1.0, 40.0)
sp.signal.gammatone(440, 'iir', fs=16000)
sp.signal.freqs([1.0], [1.0, 1.0], worN=8)
sp.signal.sosfreqz([[1.0, 0, 0, 1.0, 0.5, 0]], worN=8, fs=2.0)
sp.signal.group_delay(([1.0, 0.5], [1.0]), w=8, fs=2.0)
sp.signal.decimate(xp.arange(60.0), 2, n=3, ftype='iir', axis=0)
sp.signal.detrend(xp.arange(9.0), axis=0, bp=4)
sp.signal.wiener(xp.arange(9.0), mysize=3, noise=0.5)
sp.signal.order_filter(xp.arange(9.0), xp.ones(3), 1)
sp.signal.medfilt2d(xp.ones((5, 5)), kernel_size=3)
sp.signal.hilbert(xp.arange(8.0), N=8, axis=0)
sp.signal.gauss_spline(xp.arange(3.0), 3)
sp.signal.cspline1d(xp.arange(9.0), lamb=0.5)
sp.signal.square(xp.arange(9.0), duty=0.3)
sp.signal.sawtooth(xp.arange(9.0), width=0.3)
sp.signal.gausspulse(xp.arange(9.0), fc=10, bw=0.5, bwr=-6, tpr=-60)
sp.signal.peak_prominences(xp.array([0.0, 1, 0, 2, 0]), xp.array([1, 3]), wlen=3)
sp.signal.peak_widths(xp.array([0.0, 1, 0, 2, 0]), xp.array([1, 3]), rel_height=0.5)
sp.signal.vectorstrength(xp.arange(5.0), 2.0)
sp.signal.csd(xp.ones(16), xp.ones(16), fs=2.0, nperseg=8, noverlap=4, nfft=16)
sp.signal.periodogram(xp.arange(16.0), fs=2.0, nfft=16, axis=0)
sp.signal.windows.gaussian(8, 2.0)
sp.signal.windows.tukey(8, 0.3)
sp.signal.windows.general_hamming(8, 0.5)
sp.signal.windows.chebwin(8, 60.0)
sp.signal.windows.exponential(8, center=2.0, tau=3.0, sym=False)
sp.signal.windows.general_gaussian(8, 1.5, 2.0)
sp.signal.get_window(('gaussian', 2.0), 8)
xp.full((2, 3), 1.5)
xp.arange(0, 9, 2)
xp.linspace(0.0, 1.0, 5)
xp.geomspace(1.0, 8.0, num=4)
xp.eye(3, 4, 1)
xp.tri(3, 4, 1)
xp.diag(xp.ones(3), 1)
xp.repeat(xp.arange(3.0), 2, axis=0)
xp.tile(xp.arange(3.0), 2)
xp.reshape(xp.arange(6.0), (2, 3))
xp.ones(6).reshape(2, 3)
xp.ones((2, 3)).sum(axis=0)
xp.ones((2, 3)).std(axis=0, ddof=1)
xp.ones((2, 3)).repeat(2, axis=0)
xp.ones((2, 3)).swapaxes(0, 1)
xp.ones((2, 3)).transpose(1, 0)
xp.clip(xp.arange(6.0), 1.0, 3.0)
xp.nan_to_num(xp.arange(6.0), nan=1.0, posinf=2.0, neginf=3.0)
xp.vander(xp.arange(3.0), 3)
xp.convolve(xp.arange(3.0), xp.ones(2))
xp.split(xp.arange(6.0), 3)
xp.array_split(xp.arange(6.0), 4)
xp.insert(xp.arange(6.0), 2, 5.0)
xp.delete(xp.arange(6.0), 2)
xp.round(xp.arange(6.0), 1)
xp.trapezoid(xp.arange(6.0), dx=0.5)
xp.isclose(xp.arange(6.0), xp.arange(6.0), rtol=0.1, atol=0.1)
xp.allclose(xp.arange(6.0), xp.arange(6.0), rtol=0.1, atol=0.1)
xp.percentile(xp.arange(6.0), 30.0, axis=0)
xp.partition(xp.arange(6.0), 2, axis=0)
xp.rot90(xp.ones((2, 3)), 1, axes=(0, 1))
xp.moveaxis(xp.ones((2, 3)), 0, 1)
xp.expand_dims(xp.ones((2, 3)), 0)
xp.fft.fft(xp.arange(6.0), 4, axis=0)
xp.fft.fftfreq(6, 0.5)
xp.kaiser(6, 2.0)
xp.tril(xp.ones((3, 3)), 1)
xp.apply_along_axis(lambda v: v.sum(), 0, xp.ones((2, 3)))
xp.unwrap(xp.arange(6.0), discont=1.0, axis=0)
xp.histogram(xp.arange(6.0), bins=3, range=(0.0, 5.0))
xp.digitize(xp.arange(6.0), [1.0, 2.0])
xp.bincount(xp.arange(6), minlength=9)
xp.take(xp.arange(6.0), 2, axis=0)
xp.unravel_index(5, (2, 3))
xp.ravel_multi_index((1, 2), (2, 3))
"""
# Functions that have another result in each run.
RANDOM = ["eigsh", "eigs", "svds", "lobpcg", "basinhopping", "dual_annealing"]
# Functions that do not take numbers of the device as those of the host.
OTHER = {
    "isscalar": "an array is no scalar",
    "integers": "bounds that are arrays draw otherwise",
    "randint": "bounds that are arrays draw otherwise",
    "qmc_quad": "SciPy's own function, in its array API mode",
    "ttest_ind_from_stats": "SciPy's own function, in its array API mode",
}
MAKERS = ["array", "asarray", "ones", "zeros"]


def last_word(node):
    """The name of what is called: `dct` of `sp.fft.dct`."""
    return getattr(node, "attr", getattr(node, "id", ""))


def is_number(node):
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Constant) and type(node.value) in (int, float, complex)


def wrapped(node):
    return ast.Call(ast.Name("k", ast.Load()), [node], [])


class Numbers(ast.NodeTransformer):
    """Numbers among the arguments of calls of some names, the first one of each list: `found` has
    (name, number) of them all, and the one that is wanted is wrapped."""

    def __init__(self, names, wanted=-1):
        self.names, self.wanted, self.found = names, wanted, []

    def visit_Lambda(self, node):
        return node

    def visit_Subscript(self, node):
        return node

    def visit_Call(self, node):
        name = last_word(node.func) if not ast.unparse(node.func).startswith("np.") else ""
        node.func = self.visit(node.func)
        node.args = [self.argument(value, name) for value in node.args]
        for keyword in node.keywords:
            keyword.value = self.argument(keyword.value, name)
        return node

    def argument(self, node, name):
        if isinstance(node, (ast.Tuple, ast.List)):
            node.elts[:1] = [self.argument(item, name) for item in node.elts[:1]]
            return node
        if name in MAKERS or name not in self.names or not is_number(node):
            return self.visit(node)
        self.found.append((name, ast.unparse(node)))
        return wrapped(node) if len(self.found) - 1 == self.wanted else node


def in_place(source, names):
    """Each Place of a number that a program has."""
    tree = ast.parse(source)
    counter = Numbers(names)
    counter.visit(copy.deepcopy(tree))
    for i, found in enumerate(counter.found):
        changed = Numbers(names, i).visit(copy.deepcopy(tree))
        yield Place(*found, ast.unparse(ast.fix_missing_locations(changed)))


def is_numeric_default(parameter):
    default = parameter.default
    usable = parameter.kind != parameter.POSITIONAL_ONLY and not isinstance(default, bool)
    return usable and isinstance(default, numbers.Number)


def with_defaults(source, thing, name):
    """Each Place of a default that is a number, in the last call of a function in a program."""
    try:
        parameters = inspect.signature(thing).parameters.values()
    except (TypeError, ValueError):
        return
    for i, p in enumerate(parameters):
        tree = ast.parse(source)
        calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call)]
        calls = [n for n in calls if last_word(n.func) == name]
        if not is_numeric_default(p) or not calls:
            continue
        call = calls[-1]
        if i < len(call.args) or p.name in {keyword.arg for keyword in call.keywords}:
            continue
        value = wrapped(ast.parse(repr(p.default), mode="eval").body)
        call.keywords.append(ast.keyword(p.name, value))
        yield Place(name, f"{p.name}={p.default!r}", ast.unparse(ast.fix_missing_locations(tree)))


def functions():
    """(name, thing) of what is ours and can be called in MODULES."""
    for path in MODULES:
        module = operator.attrgetter(path)(Root)
        borrowed = NAMES.get(path.removeprefix("scipy."), "").split()
        for name in sorted(n for n in dir(module) if n[0] != "_" and n not in borrowed):
            thing = getattr(module, name)
            owner = getattr(thing, "__module__", None) or "gpunp"
            if callable(thing) and owner.startswith("gpunp"):
                yield name, thing


class Root:
    cp, scipy = cp, cp.scipy


def examples():
    """(name, function, program) of the examples in docstrings."""
    for name, thing in functions():
        parsed = doctest.DocTestParser().get_examples(getattr(thing, "__doc__", None) or "")
        lines = [example.source for example in parsed if example.exc_msg is None]
        if lines:
            yield name, thing, "".join(lines)


def programs():
    """The same of all calls."""
    yield from examples()
    for line in [*good_calls.lines(), *MORE.strip().splitlines()]:
        call = ast.parse(line, mode="eval").body.func
        name = last_word(call)
        path = ast.unparse(call)
        if path.startswith(("sp.", "xp.")) and "(" not in path:
            thing = operator.attrgetter(path[3:])(cp.scipy if path[0] == "s" else cp)
        else:
            thing = None
        yield name, thing, line


@functools.cache
def places():
    """All of them, each once."""
    found = {}
    names = {name for name, _ in functions()}
    for name, thing, source in programs():
        inside = in_place(source, names | {name})
        for place in [*inside, *with_defaults(source, thing, name)]:
            found[place.source] = place
    return list(found.values())


def theirs(source):
    """A program for NumPy and SciPy."""
    source = source.replace("import gpunp as cp", "import numpy as cp")
    source = source.replace("cp.scipy", "scipy").replace("gpunp.scipy", "scipy")
    return source.replace("from gpunp", "from numpy").replace("import gpunp", "import numpy")


def run(source, xp, sp, number):
    """The value of a program's last expression, or its exception."""
    tree = ast.parse(source)
    space = {"xp": xp, "sp": sp, "cp": xp, "np": np, "scipy": sp, "k": number}
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(tree, "program", "exec"), space)
            return last and eval(compile(ast.Expression(last.value), "program", "eval"), space)
    except Exception as error:
        return error


def leaves(value):
    """Numbers and arrays of a result, on the host."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in leaves(item)]
    if isinstance(value, (cp.ndarray, np.ndarray, np.generic, int, float, complex)):
        value = np.asarray(cp.asnumpy(value))
        return [value] if value.dtype.kind in "biufc" else []
    return []


def is_same(found, wanted):
    """Whether two results have the same numbers; a number of the device has a type of its own."""
    pairs = list(zip(leaves(found), leaves(wanted), strict=True))
    return all(np.allclose(a, b, rtol=1e-4, atol=1e-6, equal_nan=True) for a, b in pairs)


def refused(place, number):
    """How gpunp refuses a program that NumPy or SciPy runs with an array without axes, or that its
    result is another one; otherwise ''. `number` makes what gpunp gets of a number.
    """
    if place.name in OTHER:
        return ""
    if isinstance(run(theirs(place.source), np, scipy, np.asarray), Exception):
        return ""
    plain = run(place.source, cp, cp.scipy, lambda value: value)
    if isinstance(plain, Exception):
        return ""
    found = run(place.source, cp, cp.scipy, number)
    if isinstance(found, Exception):
        return f"{type(found).__name__}: {found}"
    if is_same(found, plain) or any(f".{name}(" in place.source for name in RANDOM):
        return ""
    again = run(place.source, cp, cp.scipy, lambda value: value)
    if not is_same(again, plain):  # it is another one in each run
        return ""
    return f"{found!r}, not {plain!r}"
