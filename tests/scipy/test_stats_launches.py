"""How many kernels the functions of gpunp.scipy.stats launch for samples of one dimension."""

import subprocess
import sys

import child

# Calls with samples x, y, z of 200 numbers and positive p, and the most launches of one.
MOST = {
    "kendalltau(x, y)": 10,
    "spearmanr(x, y)": 7,
    "linregress(x, y)": 2,
    "pointbiserialr(x, y)": 5,
    "pearsonr(x, y)": 5,
    "weightedtau(x, y)": 32,
    "f_oneway(x, y, z)": 5,
    "f_oneway(x, y, z, equal_var=False)": 5,
    "kruskal(x, y, z)": 9,
    "ttest_ind(x, y)": 4,
    "skewtest(x)": 3,
    "kurtosistest(x)": 3,
    "normaltest(x)": 5,
    "jarque_bera(x)": 3,
    "shapiro(x)": 4,
    "boxcox_llf(0.5, p)": 2,
    "rankdata(x)": 2,
    "ranksums(x, y)": 5,
    "wasserstein_distance(x, y)": 5,
    "energy_distance(x, y)": 5,
    "zscore(x)": 3,
    "gmean(p)": 1,
    "tstd(x)": 1,
    "moment(x, 3)": 2,
    "circmean(x)": 1,
    "mode(x)": 2,
    "levene(x, y, z)": 20,
    "bartlett(x, y, z)": 5,
    "mannwhitneyu(x, y)": 6,
    "friedmanchisquare(x, y, z)": 11,
    "chisquare(p)": 5,
}
READS = {  # those that wait for the device to compute p-values on the host
    "ks_2samp(x, y)": 8,
    "ks_1samp(x, stats.norm.cdf)": 6,
    "cramervonmises(x, stats.norm.cdf)": 6,
    "cramervonmises_2samp(x, y)": 12,
    "yeojohnson(x)": 48,  # about 40 are steps of a search, whose number depends on rounding
    "median_test(x, y, z)": 27,
    "theilslopes(x, y)": 29,
    "somersd(a, b)": 30,
}
CODE = """
import os
import numpy as np
import gpunp as cp
from gpunp.scipy import stats
x, y, z = cp.asarray(np.random.default_rng(0).normal(size=(3, 200)))
p = cp.exp(x)
a, b = cp.arange(200) % 5, cp.arange(200) % 7
for call in {calls}:
    compiled = compile("stats." + call, call, "eval")
    eval(compiled)
    os.write(2, b"#" + call.encode() + b"\\n")
    with cp.allow_synchronize(call in {reads}):
        eval(compiled)
    os.write(2, b"#\\n")
"""


def test_launches():
    most = MOST | READS
    code = CODE.format(calls=list(most), reads=list(READS))
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True, text=True, env=child.environment(GPUNP_DEBUG="2"), timeout=child.PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    texts = done.stderr.split("\n#")
    counted = {t.splitlines()[0]: t.count("gpunp: launch ") for t in texts if t.strip()}
    too_many = {call: counted[call] for call, n in most.items() if counted[call] > n}
    assert not too_many, too_many
