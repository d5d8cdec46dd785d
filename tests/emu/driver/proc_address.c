/* What cuGetProcAddress_v2 says about names read from stdin, for all CUDA versions and the three
 * flags. One line per name and flag: the versions where the answer changes, with code, status, and
 * the exported symbol that has the same address. */
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
                               12030, 12040, 12050, 12060, 12070, 12080, 12090, 13000, 13010};

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

int
main(void)
{
    char name[200];
    cuInit(0);
    while (scanf("%199s", name) == 1) {
        for (unsigned flag = 0; flag < 3; flag++) {
            char before[100] = "", now[100];
            printf("%s %u:", name, flag);
            for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
                void *address = NULL;
                CUdriverProcAddressQueryResult status = (CUdriverProcAddressQueryResult)-1;
                int code = (int)cuGetProcAddress_v2(name, &address, versions[i], flag, &status);
                snprintf(now, sizeof now, "%d/%d/%s", code, (int)status, suffix_of(name, address));
                if (strcmp(now, before) != 0) {
                    printf(" %d=%s", versions[i], now);
                    strcpy(before, now);
                }
            }
            printf("\n");
        }
    }
    return 0;
}
