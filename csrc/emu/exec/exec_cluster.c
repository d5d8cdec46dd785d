/* Clusters: blocks that see each other's shared memory and have a barrier of their own. All blocks
 * of a cluster belong to one worker, which runs them in turns, so nothing here locks. They are
 * given back together: the shared memory of a block stays until the whole cluster has ended. */
#include "emu/exec/block.h"

#include <stdlib.h>
#include <string.h>

Block *
emu_cluster_peer(Block *b, uint64_t rank)
{
    if (b->cluster == NULL) {
        return rank == 0 ? b : NULL;
    }
    Block *peer = rank < b->cluster->size ? b->cluster->members[rank] : NULL;
    return peer != NULL && !peer->finished ? peer : NULL;
}

/* Whether all threads that are still alive have arrived. */
static int
is_complete(const Block *b)
{
    for (uint32_t w = 0; w < b->nwarps; w++) {
        if ((b->alive[w] & ~b->cluster_arrived[w]) != 0) {
            return 0;
        }
    }
    return 1;
}

static void
release(Block *b)
{
    memset(b->cluster_arrived, 0, sizeof b->cluster_arrived);
    for (Group *g = b->groups; g != NULL; g = g->next) {
        if (g->state == EMU_GROUP_CLUSTER) {
            g->state = EMU_GROUP_RUN;
            g->pc++;
        }
    }
    b->blocked = 0;
}

/* Opens the barrier of the cluster once all have arrived. */
void
emu_cluster_check(Block *b)
{
    Cluster *c = b->cluster;
    unsigned n = c == NULL ? 1 : c->size;
    for (unsigned i = 0; i < n; i++) {
        const Block *member = c == NULL ? b : c->members[i];
        if (!member->finished && !is_complete(member)) {
            return;
        }
    }
    for (unsigned i = 0; i < n; i++) {
        Block *member = c == NULL ? b : c->members[i];
        if (!member->finished) {
            release(member);
        }
    }
}

/* No group of the block can run, and some wait for the cluster. Are all its blocks in that state?
 */
int
emu_cluster_blocked(Block *b)
{
    int waits = 0;
    for (const Group *g = b->groups; g != NULL; g = g->next) {
        waits |= g->state == EMU_GROUP_CLUSTER;
    }
    if (!waits || b->cluster == NULL) {
        return 1;
    }
    b->blocked = 1;
    for (unsigned i = 0; i < b->cluster->size; i++) {
        const Block *member = b->cluster->members[i];
        if (!member->finished && !member->blocked) {
            return 0;
        }
    }
    return 1;
}

int32_t
emu_run_cluster_arrive(Block *b, const Instr *in, int32_t pc)
{
    (void)in;
    for (uint32_t w = 0; w < b->nwarps; w++) {
        b->cluster_arrived[w] |= b->group->bits[w];
    }
    b->cluster_used = 1;
    b->progress_count++;
    emu_cluster_check(b);
    return pc + 1;
}

int32_t
emu_run_cluster_wait(Block *b, const Instr *in, int32_t pc)
{
    uint32_t early = 0;
    (void)in;
    for (uint32_t w = 0; w < b->nwarps; w++) {
        early |= b->group->bits[w] & b->cluster_arrived[w];
    }
    if (early == 0) {
        return pc + 1;
    }
    b->group->pc = pc;
    b->group->state = EMU_GROUP_CLUSTER;
    return EMU_EVENT_SWITCH;
}
