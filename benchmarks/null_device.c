/* A driver for measuring the host path without a GPU: the emulated device, except that launches,
 * copies within the device and fills do nothing but take the time that they take the host on a GPU,
 * and that waits last until a GPU would have done the work that is queued. Results are not computed.
 *
 * lazy.py builds it and names it in GPUNP_EMULATOR. NULL_DEVICE_LAUNCH and NULL_DEVICE_KERNEL are
 * nanoseconds, of the host for a launch and of the device for a small kernel; by default those of
 * an H200.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

enum { LAUNCH = 2000, KERNEL = 2300 };

static int64_t launch_ns, kernel_ns, free_at; /* free_at: when the device will have done its work */
static int64_t launches;

static int64_t
now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * (int64_t)1000000000 + t.tv_nsec;
}

static int64_t
setting(const char *name, int64_t usual)
{
    const char *text = getenv(name);
    return text != NULL ? atoll(text) : usual;
}

static void __attribute__((constructor)) start(void)
{
    launch_ns = setting("NULL_DEVICE_LAUNCH", LAUNCH);
    kernel_ns = setting("NULL_DEVICE_KERNEL", KERNEL);
}

static void
wait_until(int64_t time)
{
    while (now() < time) {
    }
}

/* The host is busy for a launch; the device starts it when it has done what came before. */
static int
queue(void)
{
    const int64_t at = now();
    launches++;
    if (launch_ns > 0) {
        wait_until(at + launch_ns);
    }
    free_at = (free_at > at + launch_ns ? free_at : at + launch_ns) + kernel_ns;
    return 0;
}

int64_t
null_device_launches(void)
{
    return launches;
}

/* Callers pass arguments, which are not looked at: a function without a prototype takes any. */
#define QUEUES(name)                                                                               \
    int name()                                                                                     \
    {                                                                                              \
        return queue();                                                                            \
    }

QUEUES(cuLaunchKernel)
QUEUES(cuLaunchKernelEx)
QUEUES(cuLaunchCooperativeKernel)
QUEUES(cuMemcpyDtoDAsync_v2)
QUEUES(cuMemsetD8Async)
QUEUES(cuMemsetD16Async)
QUEUES(cuMemsetD32Async)

#define WAITS(name, types, names)                                                                  \
    int name types                                                                                 \
    {                                                                                              \
        static int(*next) types;                                                                   \
        if (next == NULL) {                                                                        \
            *(void **)&next = dlsym(RTLD_NEXT, #name);                                             \
        }                                                                                          \
        wait_until(free_at);                                                                       \
        return next names;                                                                         \
    }

WAITS(cuStreamSynchronize, (void *stream), (stream))
WAITS(cuStreamSynchronize_ptsz, (void *stream), (stream))
WAITS(cuCtxSynchronize, (void), ())
WAITS(cuEventSynchronize, (void *event), (event))
