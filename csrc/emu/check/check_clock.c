/* Vector clocks: which accesses happened before which, within a block and between blocks.
 *
 * A thread's vector clock holds, for every thread of its block, the last count of it that happened
 * before. Most are equal, so three parts together make one: `floor` for what the whole block
 * shares since its last barrier, `near` for the thread's warp, `far` for any two threads, made
 * only when neither suffices; a fourth, `arrived`, is of the barrier of a cluster. Between blocks
 * there are releases and acquires: a release is a strong store or an atomic by a thread that has
 * executed a fence (or that carries .release itself), an acquire is any strong read. The order may
 * be taken for stronger than it is (a block's releases to one address are one), so that what is
 * reported is a race.
 *
 * Called by check_race.c and, through the observer, at every barrier and fence; one worker per
 * watched launch, so nothing here locks. Running out of memory sets gave_up, after which the
 * block's accesses are not checked.
 */
#include "emu/check/check_race.h"

#include <stdlib.h>
#include <string.h>

/* SEARCH_LIMIT bounds one search between blocks; LATE_EDGES is how many recent edges a new one is
 * compared with. */
enum { SEARCH_LIMIT = 20000, LATE_EDGES = 8 };

/* ---- an index of things by a hash ------------------------------------------------------------ */

uint32_t *
emu_index_find(Index *index, uint64_t hash, int (*matches)(const void *, uint32_t), const void *key)
{
    /* Open addressing, at most half full. The multiplier is 2^64 over the golden ratio (Fibonacci
     * hashing), which spreads consecutive addresses. */
    size_t at = (size_t)(hash * 0x9e3779b97f4a7c15ull >> 24) & (index->capacity - 1);
    while (index->slots[at] != 0 && !matches(key, index->slots[at] - 1)) {
        at = (at + 1) & (index->capacity - 1);
    }
    return &index->slots[at];
}

/* While an index is rebuilt every slot is either empty or of another thing. */
static int
matches_nothing(const void *key, uint32_t i)
{
    (void)key;
    (void)i;
    return 0;
}

/* Makes room for one more. Returns 0 or -1. */
int
emu_index_reserve(Index *index, uint64_t (*hash)(const void *, uint32_t), const void *things)
{
    if (2 * (index->used + 1) <= index->capacity) {
        return 0;
    }
    Index grown = {.capacity = index->capacity > 0 ? 2 * index->capacity : 64};
    grown.slots = calloc(grown.capacity, sizeof *grown.slots);
    if (grown.slots == NULL) {
        return -1;
    }
    /* The things are numbered without gaps and never removed, so they can all be inserted again. */
    for (uint32_t i = 0; i < index->used; i++) {
        *emu_index_find(&grown, hash(things, i), matches_nothing, NULL) = i + 1;
    }
    grown.used = index->used;
    free(index->slots);
    *index = grown;
    return 0;
}

/* ---- vector clocks of a block ---------------------------------------------------------------- */

/* The join of two clocks, entry by entry. */
static Clock
later(Clock a, Clock b)
{
    return a > b ? a : b;
}

void
emu_clock_start(BlockRace *r, uint32_t block)
{
    /* A new block starts: none of its threads has synchronised, and clocks begin at 1 so that 0
     * means "never". */
    r->block = block;
    r->gave_up = 0;
    memset(r->floor, 0, r->width * sizeof *r->floor);
    memset(r->fenced, 0, r->width);
    memset(r->arriving, 0, r->width * sizeof *r->arriving);
    memset(r->arrived, 0, r->width * sizeof *r->arrived);
    memset(r->waited, 0, r->width);
    for (uint32_t i = 0; i < r->width; i++) {
        r->clock[i] = 1;
    }
    /* Clearing `near` costs 32 entries per lane, and most blocks never synchronise within a warp.
     */
    if (r->used_near) {
        memset(r->near, 0, (size_t)r->width * EMU_WARP * sizeof *r->near);
        r->used_near = 0;
    }
    /* Most blocks never need it, and it is quadratic in the number of threads. */
    free(r->far);
    r->far = NULL;
    for (int i = 0; i < EMU_BARRIERS; i++) {
        free(r->pending[i]);
        r->pending[i] = NULL;
    }
}

/* One more synchronisation of the lane. A clock of 15 bits that is full cannot tell further ones
 * apart: the rest of the block is not checked. */
static void
tick(BlockRace *r, uint32_t lane)
{
    if (++r->clock[lane] == RACE_CLOCK_END) {
        r->gave_up = 1;
    }
}

/* Joins the lane's whole vector clock, its own count included, into `row`. Each entry is the
 * largest of what its parts know. */
static void
join_row(const BlockRace *r, uint32_t lane, Clock *row)
{
    for (uint32_t x = 0; x < r->width; x++) {
        Clock known = r->floor[x];
        known = r->far != NULL ? later(known, r->far[(size_t)r->width * lane + x]) : known;
        known = r->waited[lane] ? later(known, r->arrived[x]) : known;
        row[x] = later(row[x], known);
    }
    uint32_t first = lane / EMU_WARP * EMU_WARP;
    for (uint32_t k = 0; k < EMU_WARP; k++) {
        row[first + k] = later(row[first + k], r->near[EMU_WARP * lane + k]);
    }
    row[lane] = later(row[lane], r->clock[lane]);
}

/* Makes `row` known to the lane. `far` is made at the first need, width times width entries. */
static void
join_lane(BlockRace *r, uint32_t lane, const Clock *row)
{
    if (r->far == NULL) {
        r->far = calloc((size_t)r->width * r->width, sizeof *r->far);
    }
    for (uint32_t x = 0; r->far != NULL && x < r->width; x++) {
        Clock *known = &r->far[(size_t)r->width * lane + x];
        *known = later(*known, row[x]);
    }
    /* Without `far` the order is unknown, and reports could be wrong. */
    r->gave_up |= r->far == NULL;
}

static int
has(const uint32_t *bits, uint32_t lane)
{
    return (bits[lane / EMU_WARP] >> (lane % EMU_WARP)) & 1;
}

/* The whole block: every thread's count becomes the floor, which covers `near` and `far`. A barrier
 * of all live threads. */
static void
meet_all(BlockRace *r)
{
    /* Fences are cumulative: after a barrier a strong store by any of the threads releases what a
     * thread had done before its fence. */
    uint8_t fenced = 0;
    for (uint32_t x = 0; x < r->width; x++) {
        fenced |= r->fenced[x];
        r->floor[x] = r->clock[x];
        tick(r, x);
    }
    memset(r->fenced, fenced, r->width);
}

/* A barrier within one warp joins 32 entries per lane. Only while there is no `far`, whose rows
 * would have to be joined as well. */
static void
meet_warp(BlockRace *r, const uint32_t *bits, uint32_t warp)
{
    Clock known[EMU_WARP] = {0};
    uint8_t fenced = 0, waited = 0;
    /* Reads of all members come before writes: every lane gets the join of the same old clocks. */
    for (uint32_t k = 0; k < EMU_WARP; k++) {
        uint32_t lane = EMU_WARP * warp + k;
        if (has(bits, lane)) {
            for (uint32_t x = 0; x < EMU_WARP; x++) {
                known[x] = later(known[x], r->near[EMU_WARP * lane + x]);
            }
            known[k] = later(known[k], r->clock[lane]);
            fenced |= r->fenced[lane];
            waited |= r->waited[lane];
        }
    }
    for (uint32_t k = 0; k < EMU_WARP; k++) {
        uint32_t lane = EMU_WARP * warp + k;
        if (has(bits, lane)) {
            memcpy(r->near + EMU_WARP * lane, known, sizeof known);
            /* Fences are cumulative here too. */
            r->fenced[lane] = fenced;
            r->waited[lane] = waited;
            tick(r, lane);
        }
    }
    r->used_near = 1;
}

/* Any other set of threads: whole rows are joined. */
static void
meet_some(BlockRace *r, const uint32_t *bits)
{
    uint8_t fenced = 0;
    memset(r->row, 0, r->width * sizeof *r->row);
    for (uint32_t lane = 0; lane < r->width; lane++) {
        if (has(bits, lane)) {
            join_row(r, lane, r->row);
            fenced |= r->fenced[lane];
        }
    }
    for (uint32_t lane = 0; lane < r->width; lane++) {
        if (has(bits, lane)) {
            join_lane(r, lane, r->row);
            r->fenced[lane] = fenced;
            tick(r, lane);
        }
    }
}

/* The observer's `meet`: the threads in `bits` wait for each other, by a barrier or a .sync
 * operation. */
void
emu_race_meet(Block *b, const uint32_t *bits)
{
    BlockRace *r = b->watch->race;
    /* Which form of the clocks can hold the result decides the cost: the cheapest that can is
     * taken. */
    uint32_t missing = 0, warps = 0, last = 0;
    if (r == NULL) {
        return;
    }
    for (uint32_t w = 0; w < b->nwarps; w++) {
        missing |= b->alive[w] & ~bits[w];
        warps += bits[w] != 0;
        last = bits[w] != 0 ? w : last;
    }
    /* Threads that left the kernel are not missing. */
    if (missing == 0) {
        meet_all(r);
    }
    else if (warps == 1 && r->far == NULL) {
        meet_warp(r, bits, last);
    }
    else {
        meet_some(r, bits);
    }
}

/* bar.arrive does not wait: what the thread had done is kept until the barrier completes. */
void
emu_race_arrive(Block *b, const uint32_t *bits, unsigned barrier)
{
    BlockRace *r = b->watch->race;
    if (r == NULL) {
        return;
    }
    if (r->pending[barrier] == NULL) {
        r->pending[barrier] = calloc(r->width, sizeof(Clock));
    }
    for (uint32_t lane = 0; lane < r->width && r->pending[barrier] != NULL; lane++) {
        if (has(bits, lane)) {
            join_row(r, lane, r->pending[barrier]);
            tick(r, lane);
        }
    }
}

/* The barrier has completed: those that waited know what the arriving threads had done. */
void
emu_race_release(Block *b, const uint32_t *bits, unsigned barrier)
{
    BlockRace *r = b->watch->race;
    if (r == NULL || r->pending[barrier] == NULL) {
        return;
    }
    for (uint32_t lane = 0; lane < r->width; lane++) {
        if (has(bits, lane)) {
            join_lane(r, lane, r->pending[barrier]);
        }
    }
    free(r->pending[barrier]);
    r->pending[barrier] = NULL;
}

/* A fence alone orders nothing; it makes the thread's next strong write a release. */
void
emu_race_fence(Block *b)
{
    BlockRace *r = b->watch->race;
    for (uint32_t lane = b->lo; r != NULL && lane < b->lo + b->n; lane++) {
        r->fenced[lane] |= (uint8_t)(b->dense || emu_lane_active(b, lane));
    }
}

/* ---- objects --------------------------------------------------------------------------------- */

/* Returns the old array when there is room, NULL without memory, when the old one is still the
 * caller's. */
static void *
grow(void *items, size_t used, size_t *capacity, size_t size)
{
    if (used < *capacity) {
        return items;
    }
    size_t more = *capacity > 0 ? 2 * *capacity : 64;
    void *grown = realloc(items, more * size);
    if (grown != NULL) {
        *capacity = more;
    }
    return grown;
}

/* One key for both kinds of things; each lookup uses the fields it needs. */
typedef struct {
    const Race *race;
    uint64_t address;
    uint32_t block, object;
} Key;

/* Objects in shared memory are told apart by block, since blocks reuse the same addresses. */
static int
is_object(const void *key_, uint32_t i)
{
    const Key *key = key_;
    const SyncObject *o = &key->race->objects[i];
    return o->address == key->address && o->block == key->block;
}

static uint64_t
hash_object(const void *race, uint32_t i)
{
    const SyncObject *o = &((const Race *)race)->objects[i];
    return o->address ^ (uint64_t)o->block << 40;
}

static int
is_released(const void *key_, uint32_t i)
{
    const Key *key = key_;
    const Released *s = &key->race->released[i];
    return s->object == key->object && s->block == key->block;
}

static uint64_t
hash_released(const void *race, uint32_t i)
{
    const Released *s = &((const Race *)race)->released[i];
    return s->object ^ (uint64_t)s->block << 32;
}

/* Objects are places that something was released to. In shared memory a place belongs to its block,
 * in global memory to none. */
static SyncObject *
object_of(Race *race, uint64_t address, uint32_t block, int make)
{
    Key key = {.race = race, .address = address, .block = block};
    if (!make && race->nobjects == 0) {
        return NULL;
    }
    /* Reserved before the lookup: growing moves the slots. */
    if (make && emu_index_reserve(&race->object_index, hash_object, race) != 0) {
        return NULL;
    }
    uint32_t *slot =
        emu_index_find(&race->object_index, address ^ (uint64_t)block << 40, is_object, &key);
    if (*slot == 0 && make) {
        SyncObject *objects =
            grow(race->objects, race->nobjects, &race->objects_capacity, sizeof *objects);
        if (objects == NULL) {
            return NULL;
        }
        race->objects = objects;
        objects[race->nobjects++] = (SyncObject){.address = address, .block = block, .first = -1};
        *slot = (uint32_t)race->nobjects;
        race->object_index.used++;
    }
    return *slot == 0 ? NULL : &race->objects[*slot - 1];
}

/* What `block` has released to `object`: one record per pair, which later releases of the block are
 * joined into. */
static Released *
released_by(Race *race, uint32_t object, uint32_t block, int make)
{
    Key key = {.race = race, .object = object, .block = block};
    if (!make && race->nreleased == 0) {
        return NULL;
    }
    if (make && emu_index_reserve(&race->released_index, hash_released, race) != 0) {
        return NULL;
    }
    uint32_t *slot =
        emu_index_find(&race->released_index, object ^ (uint64_t)block << 32, is_released, &key);
    if (*slot == 0 && make) {
        Released *all =
            grow(race->released, race->nreleased, &race->released_capacity, sizeof *all);
        /* A clock per lane of the releasing block. */
        Clock *known = all != NULL ? calloc(race->width, sizeof *known) : NULL;
        /* The grown array is kept even when the clock could not be made: the old pointer is gone.
         */
        race->released = all != NULL ? all : race->released;
        if (known == NULL) {
            return NULL;
        }
        SyncObject *o = &race->objects[object];
        all[race->nreleased] = (Released){.object = object,
                                          .block = block,
                                          /* Acquires of an earlier version cannot have seen this
                                           * block's release. */
                                          .first_version = o->version,
                                          .next = o->first,
                                          .lane = -2,
                                          .known = known};
        o->first = (int32_t)race->nreleased++;
        *slot = (uint32_t)race->nreleased;
        race->released_index.used++;
    }
    return *slot == 0 ? NULL : &race->released[*slot - 1];
}

/* The acquires of one block, in the order in which they happened. */
static Edges *
edges_of(Race *race, uint32_t block, int make)
{
    if (race->edges == NULL && make) {
        race->edges = calloc((size_t)race->launch->nblocks, sizeof *race->edges);
    }
    return race->edges == NULL ? NULL : &race->edges[block];
}

/* ---- acquire and release --------------------------------------------------------------------- */

/* Remembers that the lane acquired from the object: searches between blocks follow these edges. */
static void
add_edge(BlockRace *r, uint32_t lane, Clock clock, uint32_t object, uint32_t version)
{
    Edges *edges = edges_of(r->race, r->block, 1);
    if (edges == NULL) {
        r->gave_up = 1;
        return;
    }
    /* A loop that polls an address acquires from it again and again; the latest edges are looked
     * through so that it adds one edge, not thousands. */
    for (uint32_t i = edges->count; i > 0 && edges->count - i < LATE_EDGES; i--) {
        Edge *e = &edges->items[i - 1];
        if (e->object == object && e->lane == lane && e->clock == clock) {
            e->version = version;
            return;
        }
    }
    size_t capacity = edges->capacity;
    Edge *items = grow(edges->items, edges->count, &capacity, sizeof *items);
    if (items == NULL) {
        r->gave_up = 1;
        return;
    }
    edges->items = items;
    edges->capacity = (uint32_t)capacity;
    items[edges->count++] = (Edge){object, version, (uint16_t)lane, clock};
}

/* A strong read of an address. Within the block the order is joined at once, between blocks an edge
 * is kept for later questions. */
void
emu_race_acquire_from(BlockRace *r, uint32_t lane, uint64_t address, uint32_t owner)
{
    Race *race = r->race;
    SyncObject *o = object_of(race, address, owner, 0);
    if (o == NULL) {
        return;
    }
    /* Only objects that somebody released to exist, so most polls end above. */
    uint32_t object = (uint32_t)(o - race->objects);
    const Released *own = released_by(race, object, r->block, 0);
    /* What the own block released needs no edge: it is joined at once. A lane that was alone in
     * releasing knows it already. */
    if (own != NULL && own->lane != (int32_t)lane) {
        join_lane(r, lane, own->known);
    }
    /* Other blocks have released to it as well, or only they have. */
    if (own == NULL || own->next >= 0 || o->first != (int32_t)(own - race->released)) {
        add_edge(r, lane, r->clock[lane], object, o->version);
    }
}

void
emu_race_release_to(BlockRace *r, uint32_t lane, uint64_t address, uint32_t owner)
{
    Race *race = r->race;
    SyncObject *o = object_of(race, address, owner, 1);
    if (o == NULL) {
        r->gave_up = 1;
        return;
    }
    uint32_t object = (uint32_t)(o - race->objects);
    /* The version counts releases to the object: an acquire sees those up to the current one. */
    o->version++;
    Released *own = released_by(race, object, r->block, 1);
    if (own == NULL) {
        r->gave_up = 1;
        return;
    }
    const Edges *edges = edges_of(race, r->block, 0);
    /* Only what the block had acquired by now is passed on by this release. */
    own->nedges = edges != NULL ? edges->count : 0;
    /* -2: none has released yet; -1: more than one lane has. */
    own->lane = own->lane == -2 || own->lane == (int32_t)lane ? (int32_t)lane : -1;
    /* Accesses after the release have a new count, which no acquire of this one covers. */
    join_row(r, lane, own->known);
    tick(r, lane);
}

/* ---- the barrier of a cluster ---------------------------------------------------------------- */

void
emu_race_cluster_arrive(Block *b, const uint32_t *bits)
{
    BlockRace *r = b->watch->race;
    for (uint32_t lane = 0; r != NULL && lane < r->width; lane++) {
        if (has(bits, lane)) {
            join_row(r, lane, r->arriving);
            r->last = lane;
            r->last_clock = r->clock[lane];
            tick(r, lane);
        }
    }
}

void
emu_race_cluster_wait(Block *b, const uint32_t *bits)
{
    BlockRace *r = b->watch->race;
    for (uint32_t lane = 0; r != NULL && lane < r->width; lane++) {
        r->waited[lane] |= (uint8_t)has(bits, lane);
    }
}

/* The next phase begins. All threads have waited for the phase before, or are no more. */
static void
turn(BlockRace *r)
{
    Clock *row = r->arrived;
    for (uint32_t x = 0; x < r->width; x++) {
        r->floor[x] = later(r->floor[x], row[x]);
    }
    r->arrived = r->arriving;
    r->arriving = row;
    memset(row, 0, r->width * sizeof *row);
    memset(r->waited, 0, r->width);
}

/* What the threads of the block had done when they arrived is released to the object. */
static void
release_arrived(BlockRace *r, uint32_t object)
{
    Released *own = released_by(r->race, object, r->block, 1);
    if (own == NULL) {
        r->gave_up = 1;
        return;
    }
    const Edges *edges = edges_of(r->race, r->block, 0);
    own->nedges = edges != NULL ? edges->count : 0;
    own->lane = -1;
    for (uint32_t x = 0; x < r->width; x++) {
        own->known[x] = later(own->known[x], r->arrived[x]);
    }
}

/* All threads have arrived. Blocks release to one object, and then each acquires from it: threads
 * that wait know what their block's last one knew when it arrived, and so the edge. */
void
emu_race_cluster_meet(Block *b)
{
    Cluster *c = b->cluster;
    if (b->watch->race == NULL) {
        return;
    }
    Race *race = b->watch->race->race;
    for (unsigned i = 0; i < (c == NULL ? 1 : c->size); i++) {
        turn((c == NULL ? b : c->members[i])->watch->race);
    }
    if (c == NULL) {
        return;
    }
    /* No memory has the address, which is another one for each cluster. */
    uint64_t address = UINT64_MAX - c->members[0]->watch->race->block;
    SyncObject *o = object_of(race, address, NO_BLOCK, 1);
    if (o == NULL) {
        b->watch->race->gave_up = 1;
        return;
    }
    uint32_t object = (uint32_t)(o - race->objects), version = ++o->version;
    for (unsigned i = 0; i < c->size; i++) {
        release_arrived(c->members[i]->watch->race, object);
    }
    for (unsigned i = 0; i < c->size; i++) {
        BlockRace *r = c->members[i]->watch->race;
        add_edge(r, r->last, r->last_clock, object, version);
    }
}

/* ---- happens-before between blocks ----------------------------------------------------------- */

typedef struct {
    uint32_t object, version;
} Visit;

/* A breadth-first search over the edges from acquires to releases: through what was released to the
 * objects the lane has acquired from, then what the releasing blocks had acquired before, and so
 * on. Vector clocks over all threads of a grid would not fit; two accesses that meet are rare. */
int
emu_race_happened_before_across(BlockRace *r, uint32_t lane, Stamp stamp)
{
    Race *race = r->race;
    const Edges *mine = edges_of(race, r->block, 0);
    /* 160 KB: too much for the stack of a thread. Watched launches run on one worker, but several
     * launches may be watched at once. */
    static _Thread_local Visit queue[SEARCH_LIMIT];
    uint32_t head = 0, tail = 0, query = ++race->query;
    for (uint32_t i = mine != NULL ? mine->count : 0; i > 0 && tail < SEARCH_LIMIT; i--) {
        const Edge *e = &mine->items[i - 1];
        /* Acquires of other lanes count when they happened before this lane's access. */
        if (e->lane == lane || race_happened_before(r, lane, e->lane, e->clock)) {
            queue[tail++] = (Visit){e->object, e->version};
        }
    }
    for (; head < tail; head++) {
        Visit v = queue[head];
        SyncObject *o = &race->objects[v.object];
        /* A visit with a later version covers the earlier ones, so an object is expanded again
         * only for a later one. */
        if (o->visited == query && o->visited_version >= v.version) {
            continue;
        }
        o->visited = query;
        o->visited_version = v.version;
        /* The direct answer: the block of the stamp released here, early enough, knowing the
         * stamped access. */
        const Released *direct = released_by(race, v.object, stamp_block(stamp), 0);
        if (direct != NULL && direct->first_version <= v.version &&
            direct->known[stamp_lane(stamp)] >= stamp_clock(stamp)) {
            return 1;
        }
        /* Otherwise go on through everything that any block released here: what those blocks had
         * acquired before may lead to it. */
        for (int32_t s = o->first; s >= 0; s = race->released[s].next) {
            const Released *other = &race->released[s];
            const Edges *theirs = edges_of(race, other->block, 0);
            for (uint32_t i = 0; theirs != NULL && other->first_version <= v.version &&
                                 /* Edges that the block gained after its release came too late to
                                  * be passed on by it. */
                                 i < other->nedges && i < theirs->count;
                 i++) {
                if (tail == SEARCH_LIMIT) {
                    return 1; /* too much to look through: not a finding */
                }
                queue[tail++] = (Visit){theirs->items[i].object, theirs->items[i].version};
            }
        }
    }
    /* The search was cut: taken for ordered, so that nothing wrong is reported. */
    return tail == SEARCH_LIMIT;
}

void
emu_clock_free(Race *race)
{
    for (size_t i = 0; i < race->nreleased; i++) {
        free(race->released[i].known);
    }
    for (uint64_t i = 0; race->edges != NULL && i < race->launch->nblocks; i++) {
        free(race->edges[i].items);
    }
    free(race->edges);
    free(race->released);
    free(race->objects);
    free(race->object_index.slots);
    free(race->released_index.slots);
}
