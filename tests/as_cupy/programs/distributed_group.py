"""cupyx.distributed and cupy.cuda.nccl: a group of one rank, a communicator, a distributed array."""

import socket

import cupy
import numpy
from cupy.cuda import nccl
from cupyx.distributed import NCCLBackend, init_process_group
from cupyx.distributed.array import SUM, distributed_array, make_2d_index_map

with socket.create_server(("127.0.0.1", 0)) as listener:
    port = listener.getsockname()[1]
comm = init_process_group(1, 0, backend="nccl", host="127.0.0.1", port=port)
assert isinstance(comm, NCCLBackend) and comm.rank == 0
x = cupy.arange(4, dtype="f")
out = cupy.zeros((1, 4), dtype="f")
comm.all_reduce(x, x, op="sum")
comm.all_gather(x, out, 4)
comm.barrier()
comm.stop()
assert out.tolist() == [[0, 1, 2, 3]]

one = nccl.NcclCommunicator(1, nccl.get_unique_id(), 0)
one.broadcast(x.data.ptr, out.data.ptr, 4, nccl.NCCL_FLOAT32, 0, cupy.cuda.Stream.null.ptr)
cupy.cuda.Stream.null.synchronize()
assert nccl.available and one.size() == 1
one.destroy()

a = numpy.arange(16.0).reshape(4, 4)
left = distributed_array(a, make_2d_index_map([0, 2, 4], [0, 4], [[{0}], [{0}]]))
right = distributed_array(cupy.asarray(a), {0: slice(None)})
product = left @ right
assert product.mode is SUM and (product.get() == a @ a).all()
print((left + right).sum(axis=1).get())
