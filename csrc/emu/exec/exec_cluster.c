/* Clusters: blocks that see each other's shared memory and have a barrier of their own. All blocks
 * of a cluster belong to one worker, which runs them in turns, so nothing here locks. They are
 * given back together: the shared memory of a block stays until the whole cluster has ended. */
#include "emu/exec/block.h"

#include <stdlib.h>
#include <string.h>

/* Also asked on every access to distributed shared memory, hence no search: members are indexed by
 * rank. */
Block *
emu_cluster_peer(Block *b, uint64_t rank)
{
    if (b->cluster == NULL) {
        return rank == 0 ? b : NULL;
    }
    Block *peer = rank < b->cluster->size ? b->cluster->members[rank] : NULL;
    /* The memory of a block that has ended is still allocated, but PTX forbids to reach it: a
     * program must keep its peers alive by a cluster barrier. */
    return peer != NULL && !peer->finished ? peer : NULL;
}

/* Whether all threads that are still alive have arrived. Threads that have ended count as arrived.
 */
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

/* Lets the block's waiting groups go on and starts the next phase. */
static void
release(Block *b)
{
    memset(b->cluster_arrived, 0, sizeof b->cluster_arrived);
    for (Group *g = b->groups; g != NULL; g = g->next) {
        if (g->state == EMU_GROUP_CLUSTER) {
            g->state = EMU_GROUP_RUN;
            g->pc++;
            if (b->watch != NULL) {
                emu_observer(b)->cluster_wait(b, g->bits);
            }
        }
    }
    /* The block may be behind others in the worker's queue; it runs when its turn comes. */
    b->blocked = 0;
}

/* Opens the barrier of the cluster once all have arrived. */
void
emu_cluster_check(Block *b)
{
    /* A launch without a cluster has a cluster of one block (PTX ISA, "Cluster of Cooperative
     * Thread Arrays"). */
    Cluster *c = b->cluster;
    unsigned n = c == NULL ? 1 : c->size;
    for (unsigned i = 0; i < n; i++) {
        const Block *member = c == NULL ? b : c->members[i];
        if (!member->finished && !is_complete(member)) {
            return;
        }
    }
    if (b->watch != NULL) {
        emu_observer(b)->cluster_meet(b);
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
    /* Without a waiting group or without peers nobody outside of the block can help it: it is a
     * deadlock. */
    if (!waits || b->cluster == NULL) {
        return 1;
    }
    /* The last block to come here without finding another that can run reports for all. */
    b->blocked = 1;
    for (unsigned i = 0; i < b->cluster->size; i++) {
        const Block *member = b->cluster->members[i];
        if (!member->finished && !member->blocked) {
            return 0;
        }
    }
    return 1;
}

/* barrier.cluster.arrive does not wait: work may go on until the wait. */
int32_t
emu_run_cluster_arrive(Block *b, const Instr *in, int32_t pc)
{
    (void)in;
    for (uint32_t w = 0; w < b->nwarps; w++) {
        b->cluster_arrived[w] |= b->group->bits[w];
    }
    if (b->watch != NULL) {
        emu_observer(b)->cluster_arrive(b, b->group->bits);
    }
    b->cluster_used = 1;
    b->progress_count++;
    emu_cluster_check(b);
    return pc + 1;
}

int32_t
emu_run_cluster_wait(Block *b, const Instr *in, int32_t pc)
{
    /* Lanes whose arrival is still counted wait; for the others the barrier has opened meanwhile.
     */
    uint32_t early = 0;
    (void)in;
    for (uint32_t w = 0; w < b->nwarps; w++) {
        early |= b->group->bits[w] & b->cluster_arrived[w];
    }
    if (early == 0) {
        if (b->watch != NULL) {
            emu_observer(b)->cluster_wait(b, b->group->bits);
        }
        return pc + 1;
    }
    b->group->pc = pc;
    b->group->state = EMU_GROUP_CLUSTER;
    return EMU_EVENT_SWITCH;
}
