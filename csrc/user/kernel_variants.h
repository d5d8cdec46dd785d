/* The compiled forms of one piece of user code: few, found by the bytes their source depends on. */
#ifndef GNP_KERNEL_VARIANTS_H
#define GNP_KERNEL_VARIANTS_H

#include "user/user.h"

typedef struct GnpVariant {
    struct GnpVariant *next;
    GnpKernel *kernel;
    uint32_t nbytes;
    unsigned char key[];
} GnpVariant;

/* NULL when there is none yet. Moves what it finds to the front. */
GNP_BORROW GnpKernel *gnp_variant_find(GnpVariant **list, const void *key, size_t nbytes);
/* Without memory the kernel is only not found again. */
void gnp_variant_add(GnpVariant **list, const void *key, size_t nbytes, GnpKernel *kernel);

#endif
