# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T


adjacent_difference: _t.Any
binary_search: _t.Any
copy: _t.Any
count: _t.Any
device: _t.Any
equal: _t.Any
equal_range: _t.Any
exclusive_scan: _t.Any
exclusive_scan_by_key: _t.Any
fill: _t.Any
find: _t.Any
gather: _t.Any
inclusive_scan: _t.Any
inclusive_scan_by_key: _t.Any
inner_product: _t.Any
is_sorted: _t.Any
is_sorted_until: _t.Any
lower_bound: _t.Any
make_constant_iterator: _t.Any
make_counting_iterator: _t.Any
mismatch: _t.Any
reduce: _t.Any
reduce_by_key: _t.Any
remove: _t.Any
remove_copy: _t.Any
replace: _t.Any
replace_copy: _t.Any
reverse: _t.Any
reverse_copy: _t.Any
scatter: _t.Any
seq: _t.Any
sequence: _t.Any
set_difference: _t.Any
set_difference_by_key: _t.Any
set_intersection: _t.Any
set_intersection_by_key: _t.Any
set_symmetric_difference: _t.Any
set_symmetric_difference_by_key: _t.Any
set_union: _t.Any
set_union_by_key: _t.Any
sort: _t.Any
sort_by_key: _t.Any
stable_sort: _t.Any
stable_sort_by_key: _t.Any
swap_ranges: _t.Any
unique: _t.Any
unique_by_key: _t.Any
upper_bound: _t.Any
