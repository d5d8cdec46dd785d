/* Runs the groups; see wrong.h. Arguments: names of groups; none for all. */
#include "wrong.h"

#include <signal.h>

Group wrong_groups[64];
int wrong_group_count;

/* ---- the child's side ------------------------------------------------------------------------ */

enum { ROWS = 4096 };

static const char *when = "";
static int made;
static int reported;     /* rows earlier children have told about: made again, but silently */
static char fatal[ROWS]; /* rows that ended a child: left out */
static FILE *out;

int
wrong_begin(const char *call)
{
    made++;
    if (made >= ROWS || fatal[made]) {
        return 0;
    }
    alarm(5);
    if (made <= reported) {
        return 1;
    }
    fprintf(out, "B %d %s%s%s\n", made, when, *when != '\0' ? ": " : "", call);
    fflush(out);
    return 1;
}

void
wrong_end(int code)
{
    if (made > reported) {
        fprintf(out, "E %d\n", code);
        fflush(out);
    }
}

void
wrong_end_value(int code, long long value)
{
    if (code != 0) {
        wrong_end(code);
    }
    else if (made > reported) {
        fprintf(out, "E %d = %lld\n", code, value);
        fflush(out);
    }
}

void
wrong_setup(int code, const char *call)
{
    if (code != 0 && made >= reported) {
        fprintf(out, "S %d %s\n", code, call);
        fflush(out);
    }
}

void
wrong_when(const char *words)
{
    when = words;
}

/* ---- the parent's side ----------------------------------------------------------------------- */

/* Runs what has not been reported of the group; returns whether a row ended the child. */
static int
run_child(const Group *group)
{
    int ends[2];
    if (pipe(ends) != 0) {
        exit(2);
    }
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        out = fdopen(ends[1], "w");
        signal(SIGALRM, SIG_DFL);
        group->run();
        fprintf(out, "D\n");
        fflush(out);
        _exit(0);
    }
    close(ends[1]);
    FILE *in = fdopen(ends[0], "r");
    char line[2000], call[2000] = "";
    int row = 0, open = 0, done = 0, number;
    while (fgets(line, sizeof line, in) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == 'B' && sscanf(line, "B %d %1999[^\n]", &number, call) == 2) {
            row = number;
            open = 1;
        }
        else if (line[0] == 'E') {
            printf("%s\t%s: %s\n", line + 2, group->name, call);
            open = 0;
        }
        else if (line[0] == 'S') {
            printf("SETUP\t%s: %s\n", group->name, line + 2);
        }
        done |= line[0] == 'D';
    }
    int status;
    fclose(in);
    waitpid(child, &status, 0);
    if (done) {
        return 0;
    }
    if (open) {
        printf("CRASH %d\t%s: %s\n", WIFSIGNALED(status) ? WTERMSIG(status) : -1, group->name, call);
        reported = row;
        fatal[row] = 1;
        return 1;
    }
    printf("CRASH between calls\t%s: after %s\n", group->name, call);
    return 0;
}

int
main(int argc, char **argv)
{
    for (int i = 0; i < wrong_group_count; i++) {
        int wanted = argc == 1;
        for (int k = 1; k < argc; k++) {
            wanted |= strcmp(argv[k], wrong_groups[i].name) == 0;
        }
        reported = 0;
        memset(fatal, 0, sizeof fatal);
        while (wanted) {
            wanted = run_child(&wrong_groups[i]);
        }
    }
    return 0;
}

/* ---- common ground --------------------------------------------------------------------------- */

const char wrong_ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .global .align 4 .u32 counter = 5;\n"
    ".visible .const .align 8 .b8 table[64];\n"
    ".visible .entry plain(.param .u64 p, .param .u32 n)\n{\n"
    ".reg .b32 %r<3>;\n.reg .b64 %a<3>;\n"
    "ld.param.u64 %a1, [p];\nld.param.u32 %r1, [n];\ncvta.to.global.u64 %a2, %a1;\n"
    "st.global.u32 [%a2], %r1;\nret;\n}\n"
    ".visible .entry bounded(.param .u64 p, .param .u32 n)\n.maxntid 64, 1, 1\n{\nret;\n}\n"
    ".visible .entry hungry(.param .u64 p, .param .u32 n)\n{\n"
    ".shared .align 4 .b8 room[40960];\n.reg .b32 %r<3>;\n"
    "mov.u32 %r1, room;\nmov.u32 %r2, 1;\nst.shared.u32 [%r1], %r2;\nret;\n}\n"
    ".visible .entry nothing()\n{\nret;\n}\n";

CUcontext context;
CUmodule module;
CUfunction plain, bounded, hungry;

void
start(void)
{
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
}

void
start_with_kernels(void)
{
    start();
    OK(cuModuleLoadData(&module, wrong_ptx));
    OK(cuModuleGetFunction(&plain, module, "plain"));
    OK(cuModuleGetFunction(&bounded, module, "bounded"));
    OK(cuModuleGetFunction(&hungry, module, "hungry"));
}

CUdeviceptr
memory(size_t bytes)
{
    CUdeviceptr p = 0;
    OK(cuMemAlloc_v2(&p, bytes));
    return p;
}

CUstream
new_stream(void)
{
    CUstream stream = NULL;
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    return stream;
}

CUevent
new_event(unsigned flags)
{
    CUevent event = NULL;
    OK(cuEventCreate(&event, flags));
    return event;
}

CUresult
launch(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
       unsigned bz, unsigned shared, CUstream stream)
{
    static CUdeviceptr p;
    static int n = 1;
    if (p == 0) {
        p = memory(1024);
    }
    void *params[] = {&p, &n};
    return cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared, stream, params, NULL);
}
