"""Hostile calls as text: every public callable with arguments of values.py.

`targets()` names what is called, `Calls(seed)` makes call after call. A text with `xp` or `sp` can
be evaluated with NumPy and SciPy too.
"""

import inspect
import itertools
import operator
import random

import good_calls
import numpy as np
import values

import gpunp as cp
import gpunp.cuda.nvtx
import gpunp.cuda.profiler
import gpunp.lapack
import gpunp.profiler
import gpunp.scipy
import gpunp.signal
from gpunp.scipy._borrowed_names import NAMES

MODULES = {
    "xp": cp,
    **{f"xp.{n}": getattr(cp, n) for n in ("linalg", "fft", "random", "polynomial")},
    "xp.lib.stride_tricks": cp.lib.stride_tricks,
    "xp.lib.scimath": cp.lib.scimath,
    "xp.lib.array_utils": cp.lib.array_utils,
    **{
        f"xp.polynomial.{n}": getattr(cp.polynomial, n)
        for n in ("chebyshev", "hermite", "hermite_e", "laguerre", "legendre", "polynomial", "polyutils")
    },
    **{f"sp.{n}": getattr(cp.scipy, n) for n in cp.scipy._LAZY_MODULES},
    **{
        f"sp.{n}": operator.attrgetter(n)(cp.scipy)
        for n in (
            "cluster.hierarchy", "cluster.vq", "optimize.elementwise", "signal.windows", "sparse.csgraph",
            "sparse.linalg", "spatial.distance", "stats.contingency", "stats.qmc",
        )
    },
    "cp.cuda": cp.cuda,
    **{
        f"cp.cuda.{n}": getattr(cp.cuda, n)
        for n in (
            "runtime", "memory", "pinned_memory", "texture", "nvtx", "device", "compiler", "driver",
            "nvrtc", "function", "graph", "stream", "profiler", "cub",
            "thrust", "memory_hooks",
        )
    },
    "cp.fft.config": cp.fft.config,
    **{f"cp.{n}": getattr(cp, n) for n in ("cublas", "cusolver", "cusparse", "lapack")},
    "cp.jit": cp.jit,
    "cp.profiler": cp.profiler,
    "cp.signal": cp.signal,
}  # fmt: skip

BORROWED = {f"sp.{module}": {*names.split()} for module, names in NAMES.items()}

ONE = "xp.array([0.0, 1.0])"
DISTRIBUTIONS = [  # of one class each, or with functions of their own
    "norm", "gamma", "beta", "levy_stable", "studentized_range", "ksone", "kstwo", "irwinhall", "gausshyper",
    "vonmises", "genhyperbolic", "geninvgauss", "truncnorm", "tukeylambda", "kappa4", "rel_breitwigner",
    "binom", "poisson", "hypergeom", "nhypergeom", "nchypergeom_fisher", "nchypergeom_wallenius", "zipfian",
    "skellam", "randint", "betanbinom", "multivariate_normal", "multivariate_t", "matrix_normal", "matrix_t",
    "wishart", "invwishart", "dirichlet", "dirichlet_multinomial", "multinomial", "multivariate_hypergeom",
    "ortho_group", "special_ortho_group", "unitary_group", "random_correlation", "random_table",
    "uniform_direction", "vonmises_fisher", "normal_inverse_gamma",
]  # fmt: skip
OBJECTS = [  # methods of these, each made anew
    *(f"sp.stats.{name}" for name in DISTRIBUTIONS),
    "sp.stats.norm(0.0, 1.0)", "sp.stats.multivariate_normal([0.0, 0.0])", "sp.stats.dirichlet([1.0, 2.0])",
    "sp.stats.gaussian_kde(xp.arange(5.0))", "sp.stats.qmc.Sobol(2, rng=1)", "sp.stats.qmc.Halton(2, rng=1)",
    *(f"sp.sparse.{name}_array(xp.eye(3))" for name in ("csr", "csc", "coo", "dia", "bsr", "dok", "lil")),
    "sp.sparse.csr_matrix(xp.ones((2, 3)))", "sp.sparse.coo_array(xp.ones(3))",
    "sp.sparse.linalg.aslinearoperator(xp.eye(3))", "sp.sparse.linalg.splu(sp.sparse.csc_array(xp.eye(3)))",
    f"sp.interpolate.CubicSpline({ONE}, {ONE})", f"sp.interpolate.PPoly(xp.ones((2, 1)), {ONE})",
    f"sp.interpolate.BPoly(xp.ones((2, 1)), {ONE})", "sp.interpolate.BSpline(xp.arange(8.0), xp.ones(4), 3)",
    f"sp.interpolate.BarycentricInterpolator({ONE}, {ONE})", f"sp.interpolate.KroghInterpolator({ONE}, {ONE})",
    "sp.interpolate.UnivariateSpline(xp.arange(8.0), xp.arange(8.0))", f"sp.interpolate.interp1d({ONE}, {ONE})",
    "sp.interpolate.RectBivariateSpline(xp.arange(5.0), xp.arange(5.0), xp.ones((5, 5)))",
    "sp.signal.ShortTimeFFT(xp.ones(8), 4, 1.0)", "sp.signal.lti([1.0], [1.0, 1.0])", "sp.signal.dlti([1.0], [1.0, 0.5])",
    "sp.signal.ZoomFFT(8, 0.5, 4)", "sp.spatial.KDTree(xp.arange(8.0).reshape(4, 2))", "sp.spatial.Rectangle([1, 1], [0, 0])",
    "sp.optimize.BFGS()", "sp.optimize.SR1()", "sp.optimize.Bounds([0], [1])", "sp.cluster.hierarchy.DisjointSet([1, 2])",
    "sp.integrate.ode(lambda t, y: -y)", "sp.integrate.RK45(lambda t, y: -y, 0.0, [1.0], 1.0)",
    "xp.random.default_rng(1)", "xp.random.RandomState(1)", "xp.random.XORWOW(1)",
    "xp.random.Philox4x3210(1)", "xp.poly1d([1, 2, 3])", "xp.polynomial.Polynomial([1, 2, 3])",
    "xp.polynomial.Chebyshev([1, 2, 3])", "xp.broadcast(xp.ones(3), xp.ones((2, 1)))",
    "xp.ones((2, 3)).flat", "cp.cuda.Stream()", "cp.cuda.Event()", "cp.cuda.Device(0)",
    "cp.cuda.MemoryPool()", "cp.cuda.PinnedMemoryPool()", "cp.zeros(4).data",
    "cp.cuda.alloc_pinned_memory(64)", "cp.cuda.alloc(64).mem", "cp.cuda.PinnedMemory(64)",
    "graph()", "cp.cuda.UnownedMemory(cp.zeros(2).data.ptr, 16, None)",
    "cp.cuda.MemoryAsyncPool()", "cp.fft.config.get_plan_cache()", "cp.RawModule(code='')",
    "EK", "RK", "RAW", "JIT", "VEC", "xp.finfo('f4')", "xp.iinfo('i4')", "xp.linspace(0, 1, 5)",
]  # fmt: skip

CALLED = ["EK", "EKRAW", "RK", "RAW", "FUSED", "JIT", "VEC", "setattr", "iter", "len", "complex",
          "float", "int", "bool", "round", "divmod", "isinstance", "format", "repr", "str", "sum",
          "np.sin", "np.add.reduce", "np.linalg.norm", "np.concatenate", "np.asarray", "np.where",
          "RAW.linear_launch"]  # fmt: skip

#: Never called, by the end of the name, with the reason.
SKIPPED = {
    "memcpy": "a wild host address is undefined in CUDA as well",
    "memcpyAsync": "the same", "memcpy2D": "the same", "memcpy2DAsync": "the same",
    "memcpy2DToArray": "the same", "memcpy2DToArrayAsync": "the same",
    "memcpy2DFromArray": "the same", "memcpy2DFromArrayAsync": "the same",
    "memcpy3D": "reads a structure at an address", "memcpy3DAsync": "the same",
    "mallocArray": "the same", "malloc3DArray": "the same",
    "createTextureObject": "the same", "createSurfaceObject": "the same",
    "hostRegister": "page-locks whatever lies there", "hostUnregister": "the same",
    "copy_from_host": "takes host addresses", "copy_from_host_async": "the same",
    "copy_to_host": "the same", "copy_to_host_async": "the same", "copy_from": "the same",
    "copy_from_async": "the same",
    "PinnedMemoryPointer": "takes host addresses from what it is given",
    "CFunctionAllocator": "calls a C function at an address",
    "CFunctionAllocatorMemory": "the same", "_CFunctionAllocator": "the same",
    "streamAddCallback": "the same", "launchHostFunc": "the same",
    "launchKernel": "reads arguments at a host address", "launchCooperativeKernel": "the same",
    "set_allocator": "would change what every later call does", "using_allocator": "the same",
    "set_pinned_memory_allocator": "the same", "setDevice": "the same", "deviceSetLimit": "the same",
    "deviceSetMemPool": "the same", "set_limit": "the same", "set_peer_access": "the same", "emulate_driver": "the same",
    "seterr": "the same", "set_printoptions": "the same", "set_default_backend": "the same",
    "enable_nd_planning": "the same", "use": "the same", "set_index_mode": "the same",
    "set_state": "of the process", "setbufsize": "the same", "seed": "the same",
    "set_random_state": "the same", "begin_capture": "leaves a stream in capture",
    "streamBeginCapture": "the same", "deviceReset": "ends every array", "profilerStart": "waits",
    "deviceEnablePeerAccess": "the same", "free_all_free": "the same",
    "free": "of an address that is in use ends an array's memory", "freeAsync": "the same",
    "freeHost": "the same", "freeArray": "the same", "memset": "writes over arrays at its address",
    "memsetAsync": "the same", "memset_async": "the same", "memcpyPeer": "the same",
    "memcpyPeerAsync": "the same", "copy_from_device": "the same",
    "copy_from_device_async": "the same", "streamDestroy": "of a stream in use",
    "eventDestroy": "the same", "memPoolDestroy": "the same", "memPoolSetAttribute": "the same",
    "mallocFromPoolAsync": "a wild handle is undefined in CUDA as well",
    "malloc": "gives an address that nobody frees", "mallocAsync": "the same",
    "mallocManaged": "the same", "hostAlloc": "the same", "memPoolCreate": "the same",
    "streamCreate": "the same", "streamCreateWithFlags": "the same",
    "streamCreateWithPriority": "the same", "eventCreate": "the same",
    "eventCreateWithFlags": "the same", "graphDestroy": "a wild handle",
    "graphExecDestroy": "the same", "graphLaunch": "the same", "graphInstantiate": "the same",
    "graphUpload": "the same", "graphDebugDotPrint": "the same", "ipcOpenMemHandle": "the same",
    "ipcOpenEventHandle": "the same", "unlink": "a file", "time_range": "holds the range open",
    "set_string_function": "of the process", "set_default_device": "the same",
    "createProgram": "gives a handle that nobody destroys",
    "destroyProgram": "a wild handle", "compileProgram": "the same", "getPTX": "the same",
    "getCUBIN": "the same", "getLTOIR": "the same", "getProgramLog": "the same",
    "moduleUnload": "the same", "moduleGetFunction": "the same", "moduleGetGlobal": "the same",
    "streamGetCtx": "the same", "occupancyMaxActiveBlocksPerMultiprocessor": "the same",
    "occupancyMaxPotentialBlockSize": "the same", "moduleLoadData": "gives such a handle",
    "moduleLoad": "the same", "addNameExpression": "of a wild handle", "getLoweredName": "the same",
    "spawn": "makes as many as it is asked for",
    "benchmark": "repeats a call for a second", "run_mypy": "another program", "test": "the suite",
    "show_config": "prints", "show_runtime": "prints", "info": "prints", "launch_host_func": "runs it later",
    "add_callback": "the same", "NumpyAliasTestBase": "a test", "product": "a decorator of tests",
    "as_strided": "reads wherever it is told, by its contract",
    "vectorize": "reads the source of functions; it has tests of its own",
    "_set_allocator": "of the process", "savez": "writes to any name", "save": "the same",
    "savez_compressed": "the same", "savetxt": "the same", "tofile": "the same", "dump": "the same",
    "set_conversion": "of the process", "print_figures": "prints", "fromfile": "reads a device file",
    "loadtxt": "the same", "load": "the same", "genfromtxt": "the same",
}  # fmt: skip

#: Plausible arguments by the parameter's name.
SHAPES, PLAIN = values.SHAPES, values.PLAIN
SHAPE = ["3", "(2, 3)", "()", "(0,)", "(1,)*64", "(2, 0, 3)", "[2, 2]", "-1", "(-1, 2)"]
AXIS = ["0", "1", "-1", "None", "(0, 1)", "(0, 0)", "2", "-3", "[0]", "64"]
DTYPE = [f"'{d}'" for d in values.DTYPES] + [
    "None",
    "float",
    "'M8[s]'",
    "'U3'",
    "'O'",
    "'bfloat16'",
    "'i4,f8'",
    "'V5'",
    "[('x', 'f4'), ('y', '>f4')]",
]
COUNT = ["0", "1", "3", "5", "-1", "64", "None"]
PLAUSIBLE = {
    **dict.fromkeys(["shape", "size", "newshape", "new_shape", "dims", "s", "reps", "tile", "sections"], SHAPE),
    **dict.fromkeys(["axis", "axes", "axis1", "axis2", "axisa", "axisb", "axisc", "source", "destination"], AXIS),
    **dict.fromkeys(["dtype", "type", "t", "from_", "to"], DTYPE),
    **dict.fromkeys(["n", "k", "m", "N", "M", "num", "deg", "order_", "offset", "decimals", "ndmin", "repeats", "bins", "shift"], COUNT),
    **{key: ["'C'", "'F'", "'K'", "'A'", "None", "'X'"] for key in ["order"]},
    **{key: ["None", "xp.zeros(3)", "xp.zeros((2, 3))", "xp.zeros(())", "(None,)"] for key in ["out"]},
    **{key: ["True", "xp.array([True, False, True])", "False"] for key in ["where"]},
    **{key: ["'safe'", "'unsafe'", "'no'", "'same_kind'", "'bad'"] for key in ["casting"]},
    **{key: ["None", "'wrap'", "'clip'", "'raise'", "'constant'", "'linear'", "'left'", "'ortho'", "'full'", "'edge'", "'reflect'", "'nearest'", "'mirror'", "'mean'", "'same'", "'valid'"] for key in ["mode", "method", "kind", "side", "norm"]},
    **{key: ["True", "False"] for key in ["keepdims", "assume_unique", "endpoint", "rowvar", "full", "inplace", "copy"]},
    **{key: ["(xp.ones(3), xp.ones(3))", "[xp.ones((2, 3))]*2", "[]"] for key in ["arrays", "tup", "arys", "seq"]},
    **{key: ["'i,i'", "'ij->ji'", "'ii'", "'...i'", "'i->'", "'ij,jk'"] for key in ["subscripts"]},
    **{key: ["0.5", "[0.25, 0.5]", "50", "-1", "xp.array([0.5])"] for key in ["q"]},
    **{key: ["path()", "path('file.npz')", "io.BytesIO()"] for key in ["fname", "file", "filename", "path"]},
    **{key: ["cp.cuda.Stream()", "None", "cp.cuda.Stream.null", "0"] for key in ["stream"]},
    **{key: ["0", "[0, 1]", "xp.array([0, 1])", "(0, 1)", "-1", "2", "slice(None)"] for key in ["indices", "indices_or_sections", "ind", "index", "i", "key"]},
    **{key: ["1", "0.7", "(1, 2)", "0", "-1"] for key in ["sigma", "origin", "iterations", "percentile", "rank"]},
    **{key: ["None", "xp.ones((3, 3))", "xp.ones(3)", "np.ones((2, 3), bool)", "[[1, 1], [0, 1]]"] for key in ["footprint", "structure", "weights", "mask"]},
    **{key: ["'extern \"C\" __global__ void k() {}'", "''", "'int'"] for key in ["code"]},
}  # fmt: skip


def public(module):
    names = getattr(module, "__all__", None) or [n for n in dir(module) if not n.startswith("_")]
    return sorted(n for n in names if callable(getattr(module, n, None)))


def is_skipped(text):
    name = text.rsplit(".", 1)[-1]
    return name in SKIPPED or name.startswith(("for_", "numpy_cupy", "parameterize", "with_", "_"))


def members(thing):
    kept = ("__setitem__", "__getitem__", "__contains__", "__array__", "__dlpack__", "__iter__",
            "__array_ufunc__", "__array_function__", "__setstate__", "__reduce__", "__deepcopy__",
            "__divmod__", "__format__", "__enter__", "__add__", "__sub__", "__call__")  # fmt: skip
    for name in dir(thing):
        if name in kept or not name.startswith("_"):
            try:
                if callable(getattr(thing, name)):
                    yield name
            except Exception:
                continue


def targets():
    """The texts of everything that is called, sorted, each with the object or None."""
    found = {}
    for prefix, module in MODULES.items():
        for name in public(module):
            thing = getattr(module, name)
            if isinstance(thing, type) and issubclass(thing, np.generic):
                continue  # NumPy's own
            if name in BORROWED.get(prefix, ()):
                continue  # SciPy's own code, and only in its array API mode: tests/scipy
            found[f"{prefix}.{name}"] = thing
            if isinstance(thing, cp.ufunc) and module is not cp.scipy.special:  # one code for all
                for method in ("reduce", "accumulate", "reduceat", "outer", "at"):
                    found[f"{prefix}.{name}.{method}"] = getattr(thing, method)
    for name in members(cp.ndarray):
        found[f"xp.ndarray.{name}"] = getattr(cp.ndarray, name)
    space = values.namespace(cp)
    for text in OBJECTS:
        thing = eval(text, space)
        for name in members(thing):
            found[f"{text}.{name}"] = getattr(thing, name)
    for name in dir(operator):
        if not name.startswith("_"):
            found[f"operator.{name}"] = getattr(operator, name)
    for text in CALLED:
        found[text] = None
    return {text: thing for text, thing in sorted(found.items()) if not is_skipped(text)}


def parameters(thing):
    """Names of the parameters: ([positional], [keyword only]), or None when nobody knows."""
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return None
    positional, keywords = [], []
    for p in signature.parameters.values():
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD):
            positional.append((p.name, p.default is p.empty, p.kind == p.POSITIONAL_ONLY))
        elif p.kind == p.KEYWORD_ONLY:
            keywords.append(p.name)
    return positional, keywords


class Call(str):
    """The text of a call. `base` is the same with a plausible argument in place of its only hostile
    one: where NumPy takes that, the class of the exception tells how the hostile one is refused.
    `target` is what is called."""

    base = ""

    def __new__(cls, text, target):
        call = super().__new__(cls, text)
        call.target = target
        return call


class Calls:
    """An endless supply of calls of one seed.

    A seed has a dozen of the plausible arrays, and four of the dtypes, of which each target
    gets a few: a kernel belongs to an operation and its dtypes, and to compile new ones at every
    call took nine tenths of the time. Hostile arguments, all arrays among them, are not restricted.
    """

    def __init__(self, seed, only=None):
        self.seed = seed
        self.random = shared = random.Random(seed)
        self.dtypes = shared.sample(DTYPE, 4)
        self.arrays = shared.sample(SHAPES, 8) + shared.sample(PLAIN, 4)
        self.arrays += shared.sample(values.STRUCTURED, 2)
        self.chosen = {}
        found = {t: v for t, v in targets().items() if only is None or only in t}
        self.texts = list(found)
        self.parameters = {text: parameters(thing) for text, thing in found.items()}
        self.good = [call for call in good_calls.read() if only is None or only in call[0]]

    def block(self, number, count):
        """The first calls of a block: the same whatever was made before."""
        self.random = random.Random(f"{self.seed} {number}")
        return itertools.islice(self, count)

    def arrays_of(self, target):
        if target not in self.chosen:
            self.chosen[target] = random.Random(f"{self.arrays} {target}").sample(self.arrays, 4)
        return self.chosen[target]

    def plausible(self, target, name):
        texts = PLAUSIBLE.get(name)
        few = self.arrays_of(target) if texts is None else self.dtypes if texts is DTYPE else texts
        return self.random.choice(few)

    def reasonable(self, target):
        """Arguments as the signature asks for them, as [keyword or "", text]."""
        positional, keywords = self.parameters[target]
        is_method = target.startswith("xp.ndarray.")
        args = [["", self.plausible(target, "self")]] if is_method else []
        left_out = False
        for name, required, fixed in positional[is_method:]:
            if required or self.random.random() < 0.3:
                if fixed and left_out:
                    break
                args.append([name if left_out else "", self.plausible(target, name)])
            else:
                left_out = True
        if keywords and self.random.random() < 0.3:
            name = self.random.choice(keywords)
            args.append([name, self.plausible(target, name)])
        return args

    def __iter__(self):
        return self

    def text(self, target, args):
        return Call(f"{target}({', '.join(f'{n}={v}' if n else v for n, v in args)})", target)

    def each_place(self, texts):
        """Each argument of each good call and of each target in turn replaced by each of some texts."""
        for target, args in self.good:
            for place, text in itertools.product(range(len(args)), texts):
                yield self.text(
                    target, [[n, text if i == place else v] for i, (n, v) in enumerate(args)]
                )
        for target in filter(self.parameters.get, self.texts):
            positional, keywords = self.parameters[target]
            required = {name for name, needed, _ in positional if needed}
            for name, text in itertools.product([p[0] for p in positional] + keywords, texts):
                args, by_name = [], False
                for other, _, fixed in positional:
                    if other == name or other in required:
                        value = text if other == name else self.plausible(target, other)
                        args.append([other if by_name and not fixed else "", value])
                    else:
                        by_name = True
                args += [[name, text]] * (name in keywords)
                yield self.text(target, args)

    def near_good(self):
        """A good call with one of its arguments hostile, seldom two."""
        target, args = self.random.choice(self.good)
        base, args = self.text(target, args), [[*arg] for arg in args]
        count = self.random.choice((1, 1, 1, 2))
        for _ in range(count if args else 0):
            self.random.choice(args)[1] = self.random.choice(values.TEXTS)
        call = self.text(target, args)
        call.base = base if count == 1 else ""
        return call

    def __next__(self):
        if self.good and (not self.texts or self.random.random() < 0.25):
            return self.near_good()
        target = self.random.choice(self.texts)
        style = self.random.random()
        base = ""
        if self.parameters[target] is None or style < 0.15:
            supply = values.TEXTS if style < 0.1 else self.arrays_of(target)
            count = self.random.choice((0, 1, 1, 2, 2, 3, 4, 6))
            args = [["", self.random.choice(supply)] for _ in range(count)]
            if target.startswith("xp.ndarray."):
                args.insert(0, ["", self.plausible(target, "self")])
        else:
            args = self.reasonable(target)
            count = self.random.choice((0, 1, 1, 1, 2))
            base = self.text(target, args) if count == 1 and args else ""
            for _ in range(count if args else 0):
                self.random.choice(args)[1] = self.random.choice(values.TEXTS)
        if target.startswith("np."):  # NumPy descends into what contains itself until it is stopped
            args = [[name, "None" if text.startswith("selfish") else text] for name, text in args]
        call = self.text(target, args)
        call.base = base
        return call
