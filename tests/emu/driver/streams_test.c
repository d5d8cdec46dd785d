/* Streams, events and threads: what runs before what. */
#include "check.h"

#include <dirent.h>
#include <pthread.h>

static int trail[64];
static int steps;

static void
step(void *number)
{
    trail[__atomic_fetch_add(&steps, 1, __ATOMIC_ACQ_REL)] = (int)(intptr_t)number;
}

static void
add_step(CUstream stream, int number)
{
    OK(cuLaunchHostFunc(stream, step, (void *)(intptr_t)number));
}

CASE(work_of_a_stream_is_in_order)
{
    start_with_kernels();
    CUdeviceptr p = new_zeros(4);
    CUstream stream;
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    for (int i = 0; i < 20; i++) {
        OK(launch_twice(p, 1, stream));
        add_step(stream, i);
    }
    OK(cuStreamSynchronize(stream));
    CHECK(read_int(p) == (1 << 20) - 1 && steps == 20);
    for (int i = 0; i < 20; i++) {
        CHECK(trail[i] == i);
    }
}

CASE(launches_return_before_the_work_is_done)
{
    start();
    CUstream stream;
    int go = 0;
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuLaunchHostFunc(stream, hold, &go));
    GIVES(CUDA_ERROR_NOT_READY, cuStreamQuery(stream));
    CUdeviceptr p = new_zeros(4); /* the NULL stream is not held up */
    CHECK(read_int(p) == 0);
    open_gate(&go);
    OK(cuStreamSynchronize(stream));
    OK(cuStreamQuery(stream));
}

CASE(work_proceeds_without_being_waited_for)
{
    start_with_kernels();
    int *p;
    OK(cuMemHostAlloc((void **)&p, 4, 0));
    *p = 1;
    OK(launch_twice((uintptr_t)p, 1, NULL));
    while (__atomic_load_n(p, __ATOMIC_ACQUIRE) != 3) {
        usleep(50);
    }
}

CASE(null_stream_orders_blocking_streams)
{
    start();
    CUstream first, second;
    int go = 0;
    OK(cuStreamCreate(&first, CU_STREAM_DEFAULT));
    OK(cuStreamCreate(&second, CU_STREAM_DEFAULT));
    OK(cuLaunchHostFunc(first, hold, &go));
    add_step(first, 1);
    add_step(NULL, 2);   /* after all that is in `first` */
    add_step(second, 3); /* after the NULL stream */
    GIVES(CUDA_ERROR_NOT_READY, cuStreamQuery(NULL));
    GIVES(CUDA_ERROR_NOT_READY, cuStreamQuery(second));
    usleep(3000);
    CHECK(__atomic_load_n(&steps, __ATOMIC_ACQUIRE) == 0);
    open_gate(&go);
    OK(cuStreamSynchronize(second));
    CHECK(trail[0] == 1 && trail[1] == 2 && trail[2] == 3);
}

CASE(blocking_streams_are_free_of_each_other)
{
    start();
    CUstream first, second;
    int go = 0;
    OK(cuStreamCreate(&first, CU_STREAM_DEFAULT));
    OK(cuStreamCreate(&second, CU_STREAM_DEFAULT));
    OK(cuLaunchHostFunc(first, hold, &go));
    add_step(second, 1);
    OK(cuStreamSynchronize(second));
    CHECK(steps == 1);
    open_gate(&go);
    OK(cuCtxSynchronize());
}

CASE(events_order_streams)
{
    start();
    CUstream first, second;
    CUevent event;
    int go = 0;
    OK(cuStreamCreate(&first, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    OK(cuEventQuery(event)); /* never recorded: complete */
    OK(cuStreamWaitEvent(second, event, 0));
    OK(cuLaunchHostFunc(first, hold, &go));
    add_step(first, 1);
    OK(cuEventRecord(event, first));
    add_step(first, 2);
    OK(cuStreamWaitEvent(second, event, 0));
    OK(cuEventDestroy_v2(event)); /* what waits for it still does */
    add_step(second, 3);
    usleep(2000);
    CHECK(__atomic_load_n(&steps, __ATOMIC_ACQUIRE) == 0);
    open_gate(&go);
    OK(cuStreamSynchronize(second));
    OK(cuStreamSynchronize(first));
    CHECK(trail[0] == 1 && steps == 3);
    GIVES(CUDA_ERROR_INVALID_HANDLE, cuEventQuery(event));
}

static void
sleep_20_ms(void *unused)
{
    (void)unused;
    usleep(20000);
}

CASE(events_tell_time)
{
    start();
    CUevent begin, end, untimed;
    float ms = -1;
    OK(cuEventCreate(&begin, CU_EVENT_DEFAULT));
    OK(cuEventCreate(&end, CU_EVENT_DEFAULT));
    OK(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
    GIVES(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&ms, begin, end));
    OK(cuEventRecord(begin, NULL));
    OK(cuLaunchHostFunc(NULL, sleep_20_ms, NULL));
    OK(cuEventRecord(end, NULL));
    OK(cuEventRecord(untimed, NULL));
    GIVES(CUDA_ERROR_NOT_READY, cuEventElapsedTime(&ms, begin, end));
    GIVES(CUDA_ERROR_NOT_READY, cuEventQuery(end));
    OK(cuEventSynchronize(end));
    OK(cuEventElapsedTime(&ms, begin, end));
    CHECK(ms >= 19.9f);
    GIVES(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&ms, begin, untimed));
}

CASE(pageable_sources_may_change_after_the_call)
{
    start();
    CUdeviceptr p = new_zeros(4);
    CUstream stream;
    int go = 0, value = 11;
    int *pinned;
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuMemHostAlloc((void **)&pinned, 4, 0));
    *pinned = 11;
    OK(cuLaunchHostFunc(stream, hold, &go));
    OK(cuMemcpyHtoDAsync_v2(p, &value, 4, stream));
    value = 12;
    open_gate(&go);
    OK(cuStreamSynchronize(stream));
    CHECK(read_int(p) == 11);
    go = 0;
    OK(cuLaunchHostFunc(stream, hold, &go));
    OK(cuMemcpyHtoDAsync_v2(p, pinned, 4, stream));
    *pinned = 12; /* page-locked memory is read when the copy runs */
    open_gate(&go);
    OK(cuMemcpyDtoHAsync_v2(&value, p, 4, stream)); /* pageable target: complete on return */
    CHECK(value == 12);
}

static void
call_driver(void *result)
{
    CUdeviceptr p;
    *(int *)result = cuMemAlloc_v2(&p, 16);
}

static void
note_status(CUstream stream, CUresult status, void *result)
{
    (void)stream;
    *(int *)result = status;
}

CASE(host_functions)
{
    start_with_kernels();
    int result = -1, status = -1;
    OK(cuLaunchHostFunc(NULL, call_driver, &result));
    OK(cuStreamSynchronize(NULL));
    CHECK(result == CUDA_ERROR_NOT_PERMITTED);
    OK(cuStreamAddCallback(NULL, note_status, &status, 0));
    OK(cuStreamSynchronize(NULL));
    CHECK(status == 0);
    OK(launch_stray(64));
    cuStreamAddCallback(NULL, note_status, &status, 0);
    GIVES(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(NULL));
    CHECK(status == CUDA_ERROR_ILLEGAL_ADDRESS || status == 0);
}

CASE(destroying_a_busy_stream)
{
    start_with_kernels();
    CUdeviceptr p = new_zeros(4);
    CUstream stream;
    CUevent event;
    int go = 0;
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&event, 0));
    OK(cuLaunchHostFunc(stream, hold, &go));
    OK(launch_twice(p, 1, stream));
    OK(cuEventRecord(event, stream));
    OK(cuStreamDestroy_v2(stream)); /* returns; the work goes on */
    GIVES(CUDA_ERROR_INVALID_HANDLE, cuStreamQuery(stream));
    GIVES(CUDA_ERROR_INVALID_HANDLE, cuStreamDestroy_v2(stream));
    GIVES(CUDA_ERROR_NOT_READY, cuEventQuery(event));
    open_gate(&go);
    OK(cuEventSynchronize(event));
    CHECK(read_int(p) == 1);
    GIVES(CUDA_ERROR_INVALID_HANDLE, cuStreamDestroy_v2(NULL));
}

CASE(stream_properties)
{
    start();
    CUstream stream;
    int priority, least, greatest;
    unsigned flags;
    unsigned long long id, other;
    CUcontext owner;
    OK(cuCtxGetStreamPriorityRange(&least, &greatest));
    CHECK(least == 0 && greatest < 0);
    OK(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, greatest - 7));
    OK(cuStreamGetPriority(stream, &priority));
    OK(cuStreamGetFlags(stream, &flags));
    OK(cuStreamGetCtx(stream, &owner));
    OK(cuStreamGetId(stream, &id));
    OK(cuStreamGetId(NULL, &other));
    CHECK(priority == greatest && flags == CU_STREAM_NON_BLOCKING && owner == context &&
          id != other);
    GIVES(CUDA_ERROR_INVALID_VALUE, cuStreamCreate(&stream, 16));
    GIVES(CUDA_ERROR_INVALID_HANDLE, cuStreamGetFlags((CUstream)(uintptr_t)0x1234, &flags));
}

CUresult cuStreamGetId_ptsz(CUstream stream, unsigned long long *id);

static void *
ask_own_stream(void *id)
{
    OK(cuCtxSetCurrent(context));
    OK(cuStreamGetId(CU_STREAM_PER_THREAD, id));
    return NULL;
}

CASE(per_thread_default_streams)
{
    start();
    unsigned long long mine, again, suffixed, theirs, legacy;
    pthread_t thread;
    OK(cuStreamGetId(CU_STREAM_PER_THREAD, &mine));
    OK(cuStreamGetId(CU_STREAM_PER_THREAD, &again));
    OK(cuStreamGetId_ptsz(NULL, &suffixed));
    OK(cuStreamGetId(CU_STREAM_LEGACY, &legacy));
    pthread_create(&thread, NULL, ask_own_stream, &theirs);
    pthread_join(thread, NULL);
    CHECK(mine == again && mine == suffixed && mine != legacy && mine != theirs);
    CHECK(cuEmuLedger(EMU_LIVE_STREAMS) == 0);
}

static int
threads_alive(void)
{
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    CHECK(tasks != NULL);
    while (readdir(tasks) != NULL) {
        count++;
    }
    closedir(tasks);
    return count;
}

static void *
use_own_stream(void *p)
{
    OK(cuCtxSetCurrent(context));
    OK(launch_twice(*(CUdeviceptr *)p, 1, CU_STREAM_PER_THREAD));
    return NULL;
}

CASE(per_thread_streams_end_with_their_threads)
{
    start_with_kernels();
    CUdeviceptr p = new_zeros(4);
    int before = threads_alive();
    for (int i = 0; i < 20; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, use_own_stream, &p);
        pthread_join(thread, NULL);
    }
    CHECK(read_int(p) == (1 << 20) - 1); /* the work was done all the same */
    for (int tries = 0; tries < 1000 && threads_alive() > before + 2; tries++) {
        usleep(1000);
    }
    CHECK(threads_alive() <= before + 2);
}

CASE(values_in_memory_hold_streams)
{
    start();
    CUdeviceptr p = new_zeros(8);
    CUstream first, second;
    OK(cuStreamCreate(&first, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
    OK(cuStreamWaitValue32_v2(first, p, 5, CU_STREAM_WAIT_VALUE_GEQ));
    add_step(first, 1);
    usleep(1000);
    GIVES(CUDA_ERROR_NOT_READY, cuStreamQuery(first));
    OK(cuStreamWriteValue32_v2(second, p, 6, 0));
    OK(cuStreamSynchronize(first));
    CHECK(steps == 1);
    GIVES(CUDA_ERROR_INVALID_VALUE, cuStreamWaitValue32_v2(first, p + 2, 5, 0));
}

enum { THREADS = 8, ROUNDS = 60 };

static void *
storm(void *seed)
{
    unsigned state = (unsigned)(uintptr_t)seed * 7919u + 1;
    CUstream stream;
    CUevent event;
    CUdeviceptr p;
    OK(cuCtxSetCurrent(context));
    OK(cuStreamCreate(&stream, seed == 0 ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&event, 0));
    for (int round = 0; round < ROUNDS; round++) {
        int value = round, host[16];
        state = state * 1664525u + 1013904223u;
        OK(cuMemAllocAsync(&p, 64, stream));
        OK(cuMemsetD32Async(p, (unsigned)value, 16, stream));
        OK(launch_twice(p, 16, stream));
        OK(cuEventRecord(event, stream));
        if (state & 0x10000) {
            OK(cuStreamWaitEvent(NULL, event, 0));
            OK(cuMemcpyDtoH_v2(host, p, sizeof host));
        }
        else {
            OK(cuMemcpyDtoHAsync_v2(host, p, sizeof host, stream));
        }
        CHECK(host[0] == 2 * value + 1 && host[15] == 2 * value + 1);
        if (state & 0x20000) {
            OK(cuMemFreeAsync(p, stream));
        }
        else {
            OK(cuMemFree_v2(p));
        }
    }
    OK(cuStreamDestroy_v2(stream));
    OK(cuEventDestroy_v2(event));
    return NULL;
}

CASE(many_threads)
{
    start_with_kernels();
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, storm, (void *)i);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    OK(cuCtxSynchronize());
    CHECK(cuEmuLedger(EMU_LIVE_ALLOCATIONS) == 0 && cuEmuLedger(EMU_LIVE_STREAMS) == 0 &&
          cuEmuLedger(EMU_LIVE_EVENTS) == 0);
}

CASE(one_event_many_threads_one_stream)
{
    /* Many short-lived streams: their threads come and go. */
    start_with_kernels();
    CUdeviceptr p = new_zeros(4);
    for (int i = 0; i < 50; i++) {
        CUstream stream;
        OK(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
        OK(launch_twice(p, 1, stream));
        OK(cuStreamDestroy_v2(stream));
        OK(cuMemsetD32_v2(p, 1, 1)); /* the NULL stream waits for it */
    }
    CHECK(read_int(p) == 1);
}

static int submitted, submitter_done;

static void *
submit_many(void *stream)
{
    OK(cuCtxSetCurrent(context));
    CUdeviceptr p = new_zeros(4096);
    for (int i = 0; i < 3000; i++) {
        if (i % 3 == 0) {
            OK(launch_twice(p, 1, stream));
        }
        else if (i % 3 == 1) {
            OK(cuMemsetD32Async(p, 1, 1000, stream));
        }
        else {
            OK(cuMemcpyDtoDAsync_v2(p, p + 2048, 2048, stream));
        }
        __atomic_add_fetch(&submitted, 1, __ATOMIC_ACQ_REL);
    }
    __atomic_store_n(&submitter_done, 1, __ATOMIC_RELEASE);
    return NULL;
}

CASE(a_full_queue_holds_up_who_submits)
{
    start_with_kernels();
    CUstream stream;
    pthread_t thread;
    int go = 0, before = -1, now = 0;
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuLaunchHostFunc(stream, hold, &go));
    CHECK(pthread_create(&thread, NULL, submit_many, stream) == 0);
    while (now == 0 || now != before) {
        before = now;
        usleep(50000);
        now = __atomic_load_n(&submitted, __ATOMIC_ACQUIRE);
    }
    CHECK(now == 1023 && !__atomic_load_n(&submitter_done, __ATOMIC_ACQUIRE));
    CUevent event;
    OK(cuEventCreate(&event, 0));
    OK(cuEventRecord(event, stream)); /* marks do not wait, nor do other streams */
    OK(cuStreamWaitEvent(NULL, event, 0));
    open_gate(&go);
    CHECK(pthread_join(thread, NULL) == 0);
    OK(cuStreamSynchronize(stream));
    CHECK(submitted == 3000);
}
