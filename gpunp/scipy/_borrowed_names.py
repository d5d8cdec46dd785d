"""The table of borrowed names: module, names, and what they need.

A name is here when a call with gpunp's arrays gives NumPy's result; that call is in
tests/scipy/borrowed_calls.py.
"""

# Names that need nothing but SciPy's array API mode.
NAMES = {
    "spatial": "",
    "cluster": "",
    "cluster.hierarchy": """
        correspond is_isomorphic is_monotonic is_valid_im is_valid_linkage num_obs_linkage
        to_tree
    """,
    "cluster.vq": """
        whiten
    """,
    "differentiate": """
        derivative hessian jacobian
    """,
    "integrate": """
        cubature cumulative_simpson cumulative_trapezoid nsum qmc_quad quad_vec romb
        tanhsinh trapezoid
    """,
    "interpolate": """
        RBFInterpolator
    """,
    "optimize": """
        rosen rosen_der rosen_hess rosen_hess_prod
    """,
    "optimize.elementwise": """
        bracket_minimum bracket_root find_minimum find_root
    """,
    "spatial.transform": """
        RigidTransform Rotation Slerp
    """,
    "stats": """
        bootstrap circmean circstd circvar describe differential_entropy
        directional_stats false_discovery_control gmean gstd gzscore hmean iqr kstat
        kstatvar kurtosis median_abs_deviation mode moment monte_carlo_test
        permutation_test pmean quantile rankdata sem sigmaclip skew tmax tmean tmin
        tsem tstd tvar variation yeojohnson_llf
    """,
}

# Names that call special functions of the arrays' namespace too, and which: public once
# `gpunp.special` has these.
NEED_SPECIAL = {
    "stats": {
        "alexandergovern": "chdtrc",
        "bartlett": "chdtrc",
        "brunnermunzel": "stdtr",
        "chatterjeexi": "ndtr",
        "chisquare": "chdtrc",
        "combine_pvalues": "chdtrc",
        "epps_singleton_2samp": "chdtrc",
        "f_oneway": "fdtrc",
        "fligner": "chdtrc ndtri",
        "friedmanchisquare": "chdtrc",
        "jarque_bera": "chdtrc",
        "kruskal": "chdtrc",
        "kurtosistest": "ndtr",
        "levene": "fdtrc",
        "lmoment": "binom",
        "mannwhitneyu": "ndtr",
        "mood": "ndtr",
        "normaltest": "chdtrc ndtr",
        "pearsonr": "betaincc",
        "power_divergence": "chdtrc",
        "skewtest": "ndtr",
        "spearmanr": "stdtr",
        "spearmanrho": "betaincc",
        "ttest_1samp": "stdtr",
        "ttest_ind": "stdtr",
        "ttest_ind_from_stats": "stdtr",
        "ttest_rel": "stdtr",
        "wilcoxon": "ndtr",
    },
}

# Names that take our arrays, or make them, without the mode too.
WITHOUT_MODE = {
    "integrate": """
        quad_vec
    """,
}
