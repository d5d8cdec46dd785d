"""Mixture of Gaussians fitted by expectation and maximisation; the same steps with NumPy."""

import argparse

import cupy
import cupyx.scipy.special
import numpy as np
import scipy.special


def e_step(xp, x, means, inv_cov, weights, lse):
    n, d = x.shape
    diff = x[:, None, :] - means[None]
    maha = xp.einsum("nkd,kde,nke->nk", diff, inv_cov, diff)
    log_det = xp.linalg.slogdet(inv_cov)[1]
    log_p = 0.5 * (log_det - maha - d * xp.log(2 * xp.pi)) + xp.log(weights)
    norm = lse(log_p, axis=1, keepdims=True)
    return norm.mean(), xp.exp(log_p - norm)


def m_step(xp, x, resp):
    nk = resp.sum(axis=0) + 10 * xp.finfo(resp.dtype).eps
    means = resp.T.dot(x) / nk[:, None]
    cov = xp.empty((len(nk), x.shape[1], x.shape[1]), dtype=x.dtype)
    for k in range(len(nk)):
        diff = x - means[k]
        cov[k] = xp.dot(resp[:, k] * diff.T, diff) / nk[k]
        cov[k].flat[:: x.shape[1] + 1] += 1e-6
    return means, xp.linalg.inv(cov), nk / x.shape[0]


def fit(xp, x, k, steps, lse):
    resp = xp.zeros((x.shape[0], k), dtype=x.dtype)
    resp[xp.arange(x.shape[0]), xp.arange(x.shape[0]) % k] = 1
    resp = (
        resp * 0.5
        + 0.25 * (x[:, :1] > x[:, :1].mean()) * xp.array([1, 0])
        + 0.25 * (x[:, :1] <= x[:, :1].mean()) * xp.array([0, 1])
    )
    last = None
    for _ in range(steps):
        params = m_step(xp, x, resp)
        last, resp = e_step(xp, x, *params, lse)
    return params[0], float(last)


parser = argparse.ArgumentParser()
parser.add_argument("--num", type=int, default=400)
parser.add_argument("--steps", type=int, default=12)
args = parser.parse_args([])
rng = np.random.RandomState(0)
x = np.r_[rng.normal(1, 1, (args.num, 2)), rng.normal(-1, 1.5, (args.num, 2))]
mu_cpu, ll_cpu = fit(np, x, 2, args.steps, scipy.special.logsumexp)
with cupy.cuda.Device(0):
    mu_gpu, ll_gpu = fit(cupy, cupy.array(x), 2, args.steps, cupyx.scipy.special.logsumexp)
np.testing.assert_allclose(cupy.asnumpy(mu_gpu), mu_cpu, rtol=1e-8)
assert abs(ll_cpu - ll_gpu) < 1e-9
