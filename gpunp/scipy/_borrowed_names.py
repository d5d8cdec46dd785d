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
        cubature cumulative_simpson nsum qmc_quad quad_vec tanhsinh
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
        alexandergovern ansari bartlett bootstrap brunnermunzel chatterjeexi
        chisquare circmean circstd circvar combine_pvalues describe differential_entropy
        directional_stats epps_singleton_2samp f_oneway false_discovery_control
        fligner friedmanchisquare gmean gstd gzscore hmean iqr jarque_bera kruskal kstat
        kstatvar kurtosis kurtosistest levene lmoment mannwhitneyu median_abs_deviation mode
        moment monte_carlo_test mood normaltest pearsonr permutation_test pmean
        power_divergence quantile sem sigmaclip skew skewtest spearmanrho
        tmax tmean tmin tsem tstd ttest_1samp ttest_ind ttest_ind_from_stats
        ttest_rel tvar variation wilcoxon yeojohnson_llf
    """,
    "stats.qmc": "",
    "stats.contingency": """
        margins
    """,
}

# Names that take our arrays, or make them, without the mode too.
WITHOUT_MODE = {
    "integrate": """
        quad_vec
    """,
    "stats.contingency": """
        margins
    """,
}
