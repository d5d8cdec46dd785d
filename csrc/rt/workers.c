/* Threads that work ahead: kernels of an operation are compiled while its first one is.
 *
 * A job is run by a worker or, when none has begun it, by the thread that waits for it, so that
 * nothing depends on there being workers. Jobs use neither the GIL nor the device. The workers are
 * started with the first job, and end before the interpreter does: NVRTC must not be unloaded under
 * a compilation. */
#include "rt/internal.h"

#include <pthread.h>
#include <sched.h>

/* NVRTC's three stages take one thread each at a time, so more threads would wait for each other.
 */
enum { MAX_WORKERS = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards everything below */
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER, done = PTHREAD_COND_INITIALIZER;
static pthread_t workers[MAX_WORKERS];
static GnpJob *first_job, *last_job; /* the queue of those that nobody has begun */
static int nworkers, is_started, is_closed;

/* Under the lock, which is given up meanwhile. */
static void
run(GnpJob *job)
{
    job->state = GNP_JOB_RUNNING;
    pthread_mutex_unlock(&lock);
    job->run(job);
    pthread_mutex_lock(&lock);
    job->state = GNP_JOB_DONE;
    pthread_cond_broadcast(&done);
}

/* Under the lock. */
static void
unlink_job(GnpJob *job)
{
    GnpJob *before = NULL;
    for (GnpJob *j = first_job; j != job; j = j->next) {
        before = j;
    }
    *(before != NULL ? &before->next : &first_job) = job->next;
    last_job = last_job == job ? before : last_job;
}

static void *
work(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!is_closed) {
        GnpJob *job = first_job;
        if (job != NULL) {
            unlink_job(job);
            run(job);
        }
        else {
            pthread_cond_wait(&wake, &lock);
        }
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

/* Under the lock. One core is the calling thread's. */
static void
start(void)
{
    cpu_set_t cores;
    const int ncores = sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
    is_started = 1;
    while (nworkers < MAX_WORKERS && nworkers < ncores - 1 &&
           pthread_create(&workers[nworkers], NULL, work, NULL) == 0) {
        nworkers++;
    }
}

int
gnp_job_submit(GnpJob *job)
{
    gnp_exit_watch();
    pthread_mutex_lock(&lock);
    if (!is_started && !is_closed) {
        start();
    }
    const int is_taken = nworkers > 0 && !is_closed;
    if (is_taken) {
        job->state = GNP_JOB_QUEUED;
        job->next = NULL;
        *(last_job != NULL ? &last_job->next : &first_job) = job;
        last_job = job;
        pthread_cond_signal(&wake); /* one job wakes one worker; busy ones look at the list again */
    }
    pthread_mutex_unlock(&lock);
    return is_taken ? 0 : -1;
}

void
gnp_job_wait(GnpJob *job)
{
    pthread_mutex_lock(&lock);
    if (job->state == GNP_JOB_QUEUED) {
        unlink_job(job);
        run(job);
    }
    while (job->state != GNP_JOB_DONE) {
        pthread_cond_wait(&done, &lock);
    }
    pthread_mutex_unlock(&lock);
}

/* Jobs that are left are run by those who wait for them. A child of fork() has no workers. */
void
gnp_workers_close(void)
{
    pthread_mutex_lock(&lock);
    const int n = nworkers;
    is_closed = 1;
    nworkers = 0;
    pthread_cond_broadcast(&wake);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < n; i++) {
        (void)pthread_join(workers[i], NULL);
    }
}
