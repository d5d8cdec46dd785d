"""The table of borrowed names: modules and their names, and those that need no mode.

A name is here when a call with gpunp's arrays gives NumPy's result; that call is in
tests/scipy/borrowed_calls.py.
"""

# Names that need nothing but SciPy's array API mode.
NAMES = {
    "spatial": "",
    "cluster": "",
    "cluster.hierarchy": """
        correspond cut_tree is_isomorphic is_monotonic is_valid_im is_valid_linkage
        num_obs_linkage to_mlab_linkage to_tree
    """,
    "cluster.vq": "",
    "constants": """
        convert_temperature lambda2nu nu2lambda
    """,
    "differentiate": """
        derivative hessian jacobian
    """,
    "integrate": """
        cubature nsum qmc_quad tanhsinh
    """,
    "optimize": "",
    "optimize.elementwise": """
        bracket_minimum bracket_root find_minimum find_root
    """,
    "spatial.transform": """
        RigidTransform Rotation Slerp
    """,
    "stats": """
        alexandergovern bootstrap chatterjeexi differential_entropy
        directional_stats epps_singleton_2samp fligner kstat kstatvar lmoment
        monte_carlo_test mood permutation_test quantile sigmaclip spearmanrho tmax tmin
        ttest_ind_from_stats yeojohnson_llf
    """,
    "stats.qmc": "",
    "stats.sampling": "",
    "stats.distributions": "",
    "stats.contingency": """
        margins
    """,
}

# Names that take our arrays, or make them, without the mode too.
WITHOUT_MODE = {
    "stats.contingency": """
        margins
    """,
}
