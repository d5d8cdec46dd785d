/* Initialises NVRTC while the driver creates the context.
 *
 * Creating a primary context takes the driver 200-300 ms, and the first compilation of a process
 * includes opening NVRTC and its built-in files. The two are independent, so a thread does the
 * second during the first. It compiles only when the kernel cache is empty and no
 * pack has kernels for the device: a process that finds its kernels on disk never runs the
 * compiler. */
#include "rt/internal.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_t worker; /* written once, by the thread that starts it */
static int the_cc;       /* the same */
static int is_unjoined;  /* atomic: the thread runs, or has ended and nobody has waited for it */

static void
compile_nothing(const GnpNvrtc *nvrtc)
{
    static const char *const options[] = {"--minimal", "--gpu-architecture=sm_90"};
    nvrtcProgram program = NULL;
    if (nvrtc->api.nvrtcCreateProgram(&program, "extern \"C\" __global__ void nothing() {}",
                                      "nothing.cu", 0, NULL, NULL) == 0) {
        (void)nvrtc->api.nvrtcCompileProgram(program, 2, options);
        nvrtc->api.nvrtcDestroyProgram(&program);
    }
}

/* What NVRTC registers for the end of the process is run before what was registered earlier, so a
 * wait registered before NVRTC was loaded would come too late. This one is for programs that end
 * without the end of the interpreter. */
static void *
run(void *unused)
{
    const GnpNvrtc *nvrtc = gnp_cuda_nvrtc();
    (void)atexit(gnp_prewarm_wait);
    if (nvrtc != NULL && !gnp_pack_has(the_cc) && gnp_cache_is_empty()) {
        compile_nothing(nvrtc);
    }
    return unused;
}

/* A process that ends at once must not unload NVRTC while the thread uses it. A child of fork() has
 * no such thread. */
void
gnp_prewarm_wait(void)
{
    if (!gnp_forked && __atomic_exchange_n(&is_unjoined, 0, __ATOMIC_ACQ_REL)) {
        (void)pthread_join(worker, NULL);
    }
}

static void
start(void)
{
    if (pthread_create(&worker, NULL, run, NULL) == 0) {
        __atomic_store_n(&is_unjoined, 1, __ATOMIC_RELEASE);
    }
}

void
gnp_prewarm(int cc)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    the_cc = the_cc == 0 ? cc : the_cc;
    (void)pthread_once(&once, start);
}
