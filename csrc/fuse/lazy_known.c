/* Programs of lazy mode by their structure: what was grouped once is not grouped again.
 *
 * The key of a program has all that its steps depend on: operations, types, shapes, strides, which
 * views are of the same memory and how far apart, and which results are needed. Numbers, addresses
 * and where in its block a program's first view of it lies are not in it, so that the rounds of a
 * loop are one program. One that is met for the first time runs command by command, in eager mode's
 * kernels; the second time its steps are made, and from then on only launched.
 *
 * Called with the GIL by the thread that runs pending commands, of which there is one at a time. */
#include "fuse/lazy.h"

#include <stdlib.h>
#include <string.h>

/* Buckets are few, as keys are long: 256 programs of 64 commands have some 4 MB. */
enum { BUCKETS = 256, MOST_BYTES = 16 << 20, ONCE = 1024 };

typedef struct Known {
    struct Known *next;
    GnpLazyProgram program; /* owned: its commands, steps and key; its buffers without blocks */
} Known;

static Known *buckets[BUCKETS];
static size_t known_bytes;
/* Hashes of programs that were met once. A later one may take the place, which is then met once
 * more before it counts. */
static uint64_t once[ONCE];

/* ---- keys ------------------------------------------------------------------------------------ */

enum { HEAD = 5, KEY_WORDS = HEAD + GNP_LAZY_OPERANDS * (3 + GNP_MAX_DIMS) + 2 * GNP_MAX_DIMS };

/* Operations, types and sizes. */
static int
add_kind(const GnpLazyCommand *c, uint64_t *word)
{
    int n = 0;
    word[n++] = (uint64_t)(uintptr_t)c->op;
    word[n++] = (uint64_t)(uintptr_t)c->reduction;
    word[n++] = (uint64_t)c->loop << 32 | (uint64_t)c->result;
    memcpy(&word[n++], &c->parameter, sizeof c->parameter);
    word[n++] = (uint64_t)c->nin << 48 | (uint64_t)c->n << 32 | (uint64_t)c->ndim;
    for (int k = 0; k < c->n; k++) {
        const GnpLazyView *v = &c->view[k];
        word[n++] = (uint64_t)v->dtype << 32 | (uint64_t)v->compute << 2 |
                    (uint64_t)(v->buffer < 0) << 1 | (uint64_t)v->is_flat;
    }
    for (int axis = 0; axis < c->ndim; axis++) {
        word[n++] = (uint64_t)c->shape[axis];
    }
    for (int axis = 0; c->reduction != NULL && axis < c->ndim; axis++) {
        word[n++] = c->reduced[axis];
    }
    return n;
}

/* How values flow: memory, offsets from its first view, strides. The plan of a reduction depends
 * on how its first element is aligned as well. */
static int
add_flow(const GnpLazyProgram *p, const GnpLazyCommand *c, uint64_t *word)
{
    enum { ALIGNED = 512 }; /* bytes, at least those of any access */
    int n = 0;
    for (int k = 0; k < c->n; k++) {
        const GnpLazyView *v = &c->view[k];
        if (v->buffer < 0) {
            continue;
        }
        word[n++] = (uint64_t)v->buffer |
                    (c->reduction != NULL ? (uint64_t)(v->offset % ALIGNED) << 32 : 0);
        word[n++] = (uint64_t)(v->offset - p->buffer[v->buffer].origin);
        for (int axis = 0; !v->is_flat && axis < c->ndim; axis++) {
            word[n++] = (uint64_t)v->strides[axis];
        }
    }
    return n;
}

/* The words of both are added once: what of a command is in which part follows from the first. */
uint64_t
gnp_lazy_add_to_key(GnpLazyProgram *p)
{
    const GnpLazyCommand *c = p->command[p->ncommands - 1];
    uint64_t word[KEY_WORDS];
    const int nkind = add_kind(c, word);
    const int n = nkind + add_flow(p, c, word + nkind);
    const uint64_t kind = gnp_hash64(word, (size_t)nkind * sizeof *word, 4);
    p->hash = gnp_hash64(word + nkind, (size_t)(n - nkind) * sizeof *word, p->hash ^ kind);
    gnp_text_add_bytes(&p->key, word, (size_t)n * sizeof *word);
    return kind;
}

/* ---- the table ------------------------------------------------------------------------------- */

static void
free_known(Known *k)
{
    gnp_lazy_program_clear(&k->program);
    free(k);
}

/* All of them: programs that still run become known again in two rounds. */
static void
drop_all(void)
{
    for (int b = 0; b < BUCKETS; b++) {
        while (buckets[b] != NULL) {
            Known *next = buckets[b]->next;
            free_known(buckets[b]);
            buckets[b] = next;
        }
    }
    known_bytes = 0;
}

static Known *
find(const GnpLazyProgram *p)
{
    for (Known *k = buckets[p->hash % BUCKETS]; k != NULL; k = k->next) {
        const GnpLazyProgram *q = &k->program;
        if (q->hash == p->hash && q->ncommands == p->ncommands && q->nbuffers == p->nbuffers &&
            q->key.used == p->key.used && memcmp(q->key.text, p->key.text, p->key.used) == 0) {
            return k;
        }
    }
    return NULL;
}

/* Bytes that a program keeps, without the sources of its steps, which are few and shared. */
static size_t
bytes_of(const GnpLazyProgram *p)
{
    size_t bytes = p->key.capacity + (size_t)p->buffer_capacity * sizeof *p->buffer +
                   2 * (size_t)p->ncommands * sizeof *p->step;
    for (int k = 0; k < p->ncommands; k++) {
        bytes += sizeof *p->command[k] +
                 (size_t)(p->command[k]->ndim * (p->command[k]->n + 1)) * sizeof(int64_t);
    }
    for (int k = 0; k < p->nsteps; k++) {
        bytes += (size_t)p->step[k].n * sizeof *p->step[k].operand;
    }
    return bytes;
}

/* Takes commands, steps and key over. Without memory it is met as a new one again. */
static void
keep(GnpLazyProgram *p)
{
    Known *k = malloc(sizeof *k);
    if (k == NULL) {
        return;
    }
    const size_t bytes = bytes_of(p);
    if (known_bytes + bytes > MOST_BYTES) {
        drop_all();
    }
    known_bytes += bytes;
    k->program = *p;
    for (int i = 0; i < p->nbuffers; i++) {
        gnp_block_release(p->buffer[i].block);
        k->program.buffer[i].block = NULL;
    }
    k->next = buckets[p->hash % BUCKETS];
    buckets[p->hash % BUCKETS] = k;
    *p = (GnpLazyProgram){.nlaunches = p->nlaunches, .hash = p->hash};
}

/* ---- running --------------------------------------------------------------------------------- */

/* Numbers are taken from the program that runs now; addresses are moved by how far its views lie
 * from those of the first one. */
static int
replay(Known *k, const GnpLazyProgram *p, CUdeviceptr *base, const GnpLazyPlace *place)
{
    GnpLazyProgram *q = &k->program;
    for (int i = 0; i < p->nbuffers; i++) {
        base[i] = place->base[i] + (CUdeviceptr)(p->buffer[i].origin - q->buffer[i].origin);
    }
    for (int s = 0; s < q->nsteps; s++) {
        for (int i = 0; i < q->step[s].n; i++) {
            GnpStepOperand *o = &q->step[s].operand[i];
            if (o->buffer < 0) {
                o->scalar = p->command[o->command]->view[o->view].scalar;
            }
        }
    }
    const GnpLazyPlace moved = {base, place->block, place->device, place->stream};
    return gnp_lazy_run_steps(q, &moved);
}

/* 1 when a program like this was met before. */
static int
is_met(uint64_t hash)
{
    uint64_t *place = &once[hash % ONCE];
    const int met = *place == hash;
    *place = hash;
    return met;
}

int
gnp_lazy_run_program(GnpLazyProgram *p, const unsigned char *is_needed, const GnpLazyPlace *place)
{
    CUdeviceptr *base = NULL; /* owned */
    int ret = -1;
    gnp_text_add_bytes(&p->key, &place->device->id, sizeof place->device->id);
    gnp_text_add_bytes(&p->key, is_needed, (size_t)p->nbuffers);
    GNP_TRY(gnp_text_finish(&p->key));
    p->hash = gnp_hash64(is_needed, (size_t)p->nbuffers, p->hash + (uint64_t)place->device->id);
    Known *k = find(p);
    if (k == NULL && !is_met(p->hash) && gnp_lazy_mode != GNP_LAZY_ALL) {
        return gnp_lazy_run_commands(p, place);
    }
    if (k != NULL) {
        GNP_NEW(base, calloc((size_t)p->nbuffers + 1, sizeof *base));
        ret = replay(k, p, base, place);
        p->nlaunches = k->program.nlaunches;
        goto fail;
    }
    GNP_TRY(gnp_lazy_make_steps(p, is_needed));
    GNP_TRY(gnp_lazy_run_steps(p, place));
    keep(p);
    ret = 0;
fail:
    free(base);
    return ret;
}
