/* Launches whose blocks run on several threads and talk to each other: atomics, a lock, a chain of
 * blocks that wait for the one before, a barrier of the whole grid. Under the thread sanitizer this
 * shows that what a kernel may rely on is ordered, and nothing else is touched twice. */
#include "check.h"

#include <pthread.h>

enum { BLOCKS = 64, THREADS = 256 };

#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"

/* count(p): every thread adds one to p[0] and its index to p[1] by atomics. */
static const char count_ptx[] =
    HEAD ".visible .entry k(.param .u64 p)\n{\n"
         ".reg .b32 %r<8>;\n.reg .b64 %a<4>;\n"
         "ld.param.u64 %a1, [p];\ncvta.to.global.u64 %a1, %a1;\n"
         "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\n"
         "mad.lo.s32 %r4, %r1, %r2, %r3;\n"
         "atom.global.add.u32 %r5, [%a1], 1;\natom.global.add.u32 %r6, [%a1+4], %r4;\nret;\n}\n";

/* lock(p): one thread of each block takes the lock p[0] and adds one to p[1] without an atomic. */
static const char lock_ptx[] =
    HEAD ".visible .entry k(.param .u64 p)\n{\n"
         ".reg .pred %q<3>;\n.reg .b32 %r<8>;\n.reg .b64 %a<4>;\n"
         "ld.param.u64 %a1, [p];\ncvta.to.global.u64 %a1, %a1;\n"
         "mov.u32 %r1, %tid.x;\nsetp.ne.u32 %q1, %r1, 0;\n@%q1 bra END;\n"
         "TRY:\natom.global.acquire.gpu.cas.b32 %r2, [%a1], 0, 1;\n"
         "setp.ne.u32 %q2, %r2, 0;\n@%q2 bra TRY;\n"
         "ld.global.u32 %r3, [%a1+4];\nadd.u32 %r3, %r3, 1;\nst.global.u32 [%a1+4], %r3;\n"
         "atom.global.release.gpu.exch.b32 %r4, [%a1], 0;\n"
         "END:\nret;\n}\n";

/* chain(p): block b waits until p[b] is set, writes p[200 + b] = p[199 + b] + 1, sets p[b + 1]. */
static const char chain_ptx[] =
    HEAD ".visible .entry k(.param .u64 p)\n{\n"
         ".reg .pred %q<3>;\n.reg .b32 %r<8>;\n.reg .b64 %a<6>;\n"
         "ld.param.u64 %a1, [p];\ncvta.to.global.u64 %a1, %a1;\n"
         "mov.u32 %r1, %tid.x;\nsetp.ne.u32 %q1, %r1, 0;\n@%q1 bra END;\n"
         "mov.u32 %r2, %ctaid.x;\nmul.wide.u32 %a2, %r2, 4;\nadd.u64 %a3, %a1, %a2;\n"
         "WAIT:\nld.acquire.gpu.global.u32 %r3, [%a3];\nsetp.eq.u32 %q2, %r3, 0;\n"
         "@%q2 bra WAIT;\n"
         "ld.global.u32 %r4, [%a3+796];\nadd.u32 %r4, %r4, 1;\nst.global.u32 [%a3+800], %r4;\n"
         "mov.u32 %r5, 1;\nst.release.gpu.global.u32 [%a3+4], %r5;\n"
         "END:\nret;\n}\n";

/* grid(p): all blocks write p[1 + b] = b + 1, meet at the counter p[0], then each adds what its
 * neighbour wrote to p[200 + b]. */
static const char grid_ptx[] =
    HEAD ".visible .entry k(.param .u64 p)\n{\n"
         ".reg .pred %q<3>;\n.reg .b32 %r<12>;\n.reg .b64 %a<8>;\n"
         "ld.param.u64 %a1, [p];\ncvta.to.global.u64 %a1, %a1;\n"
         "mov.u32 %r1, %tid.x;\nsetp.ne.u32 %q1, %r1, 0;\n"
         "mov.u32 %r2, %ctaid.x;\nmov.u32 %r9, %nctaid.x;\nmul.wide.u32 %a2, %r2, 4;\n"
         "add.u64 %a3, %a1, %a2;\n@%q1 bra MEET;\n"
         "add.u32 %r3, %r2, 1;\nst.global.u32 [%a3+4], %r3;\n"
         "membar.gl;\natom.global.add.u32 %r4, [%a1], 1;\n"
         "WAIT:\nld.volatile.global.u32 %r5, [%a1];\nsetp.lt.u32 %q2, %r5, %r9;\n"
         "@%q2 bra WAIT;\nmembar.gl;\n"
         "MEET:\nbar.sync 0;\n@%q1 bra END;\n"
         "add.u32 %r6, %r2, 1;\nrem.u32 %r6, %r6, %r9;\nmul.wide.u32 %a4, %r6, 4;\n"
         "add.u64 %a5, %a1, %a4;\nld.global.u32 %r7, [%a5+4];\nst.global.u32 [%a3+800], %r7;\n"
         "END:\nret;\n}\n";

static CUfunction
load(const char *text)
{
    CUmodule made;
    CUfunction function;
    OK(cuModuleLoadData(&made, text));
    OK(cuModuleGetFunction(&function, made, "k"));
    return function;
}

static void
run(const char *text, CUdeviceptr p, unsigned blocks, int cooperative)
{
    CUfunction k = load(text);
    void *params[] = {&p};
    if (cooperative) {
        OK(cuLaunchCooperativeKernel(k, blocks, 1, 1, THREADS, 1, 1, 0, NULL, params));
    }
    else {
        OK(cuLaunchKernel(k, blocks, 1, 1, THREADS, 1, 1, 0, NULL, params, NULL));
    }
    OK(cuCtxSynchronize());
}

CASE(atomics_add_up)
{
    start();
    CUdeviceptr p = new_zeros(64);
    int all = BLOCKS * THREADS;
    run(count_ptx, p, BLOCKS, 0);
    CHECK(read_int(p) == all && read_int(p + 4) == all / 2 * (all - 1));
}

CASE(a_lock_excludes)
{
    start();
    CUdeviceptr p = new_zeros(64);
    run(lock_ptx, p, BLOCKS, 0);
    CHECK(read_int(p) == 0 && read_int(p + 4) == BLOCKS);
}

CASE(blocks_wait_for_the_one_before)
{
    start();
    CUdeviceptr p = new_zeros(4096);
    OK(cuMemsetD32_v2(p, 1, 1));
    run(chain_ptx, p, BLOCKS, 0);
    for (int i = 0; i < BLOCKS; i++) {
        CHECK(read_int(p + 800 + 4 * (CUdeviceptr)i) == i + 1);
    }
}

CASE(a_grid_meets)
{
    start();
    CUdeviceptr p = new_zeros(4096);
    enum { MEETING = 16 };
    run(grid_ptx, p, MEETING, 1);
    for (int i = 0; i < MEETING; i++) {
        CHECK(read_int(p + 800 + 4 * (CUdeviceptr)i) == (i + 1) % MEETING + 1);
    }
}

static CUfunction shared_function;

static void *
launch_often(void *address)
{
    CUstream s;
    CUdeviceptr p = (CUdeviceptr)(uintptr_t)address;
    void *params[] = {&p};
    OK(cuCtxSetCurrent(context));
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    for (int i = 0; i < 4; i++) {
        OK(cuLaunchKernel(shared_function, BLOCKS, 1, 1, THREADS, 1, 1, 0, s, params, NULL));
    }
    OK(cuStreamSynchronize(s));
    OK(cuStreamDestroy_v2(s));
    return NULL;
}

CASE(launches_side_by_side)
{
    enum { PARTIES = 4 };
    pthread_t ids[PARTIES];
    start();
    shared_function = load(count_ptx);
    CUdeviceptr p = new_zeros(64);
    for (int i = 0; i < PARTIES; i++) {
        CHECK(pthread_create(&ids[i], NULL, launch_often, (void *)(uintptr_t)p) == 0);
    }
    for (int i = 0; i < PARTIES; i++) {
        pthread_join(ids[i], NULL);
    }
    CHECK(read_int(p) == PARTIES * 4 * BLOCKS * THREADS);
}
