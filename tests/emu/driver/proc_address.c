/* What cuGetProcAddress_v2 says about names read from stdin, for all CUDA versions and flags. One
 * line per name: the versions where the answer changes, with code, status, and the exported symbol
 * that has the same address; behind a bar the same for per-thread default streams, if it differs. */
#ifdef NVIDIA
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#else
#include "cuda/cuda_abi.h"
CUresult cuInit(unsigned);
CUresult cuGetProcAddress_v2(const char *, void **, int, cuuint64_t,
                             CUdriverProcAddressQueryResult *);
#endif

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const int versions[] = {2000,  3000,  3020,  4000,  4010,  5000,  5050,  6000,  6050,  7000,
                               7050,  8000,  9000,  9010,  9020,  10000, 10010, 10020, 11000, 11010,
                               11020, 11030, 11040, 11050, 11060, 11070, 11080, 12000, 12010, 12020,
                               12030, 12040, 12050, 12060, 12070, 12080, 12090, 13000};

static const char *
suffix_of(const char *name, void *address)
{
    static const char *const suffixes[] = {"",         "_v2",      "_v3",      "_v4",     "_ptsz",
                                           "_ptds",    "_v2_ptsz", "_v2_ptds", "_v3_ptsz"};
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0] && address != NULL; i++) {
        char symbol[200];
        snprintf(symbol, sizeof symbol, "%s%s", name, suffixes[i]);
        if (dlsym(RTLD_DEFAULT, symbol) == address) {
            return *suffixes[i] != '\0' ? suffixes[i] : "plain";
        }
    }
    return address != NULL ? "other" : "null";
}

/* The versions where the answer changes. */
static void
ask(const char *name, unsigned flag, char *text, size_t capacity)
{
    char before[100] = "", now[100];
    size_t used = 0;
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        void *address = NULL;
        CUdriverProcAddressQueryResult status = (CUdriverProcAddressQueryResult)-1;
        int code = (int)cuGetProcAddress_v2(name, &address, versions[i], flag, &status);
        snprintf(now, sizeof now, "%d/%d/%s", code, (int)status, suffix_of(name, address));
        if (strcmp(now, before) != 0) {
            used += (size_t)snprintf(text + used, capacity - used, " %d=%s", versions[i], now);
            strcpy(before, now);
        }
    }
}

int
main(void)
{
    char name[200], plain[2000], legacy[2000], per_thread[2000];
    cuInit(0);
    while (scanf("%199s", name) == 1) {
        ask(name, 0, plain, sizeof plain);
        ask(name, 1, legacy, sizeof legacy);
        ask(name, 2, per_thread, sizeof per_thread);
        printf("%s%s", name, plain);
        if (strcmp(legacy, plain) != 0) {
            printf(" legacy%s", legacy);
        }
        if (strcmp(per_thread, plain) != 0) {
            printf(" |%s", per_thread);
        }
        printf("\n");
    }
    return 0;
}
