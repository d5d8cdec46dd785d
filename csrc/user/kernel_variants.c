/* Lists of compiled forms, the latest used in front. Guarded by the GIL. */
#include "user/kernel_variants.h"

#include <stdlib.h>
#include <string.h>

GnpKernel *
gnp_variant_find(GnpVariant **list, const void *key, size_t nbytes)
{
    for (GnpVariant **link = list; *link != NULL; link = &(*link)->next) {
        GnpVariant *v = *link;
        if (v->nbytes == nbytes && memcmp(v->key, key, nbytes) == 0) {
            *link = v->next;
            v->next = *list;
            *list = v;
            return v->kernel;
        }
    }
    return NULL;
}

void
gnp_variant_add(GnpVariant **list, const void *key, size_t nbytes, GnpKernel *kernel)
{
    GnpVariant *v = malloc(sizeof *v + nbytes);
    if (v != NULL) {
        v->next = *list;
        v->kernel = kernel;
        v->nbytes = (uint32_t)nbytes;
        memcpy(v->key, key, nbytes);
        *list = v;
    }
}
