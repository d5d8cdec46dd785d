/* Races: what memory remembers of its last accesses, and whether a new one is ordered after them.
 *
 * Two accesses of different threads to one byte are a race when one of them writes, not both are
 * strong (volatile, relaxed or stronger, atomic), and nothing orders them. A store of the value
 * that is there already changes nothing and is let pass: many threads may set one flag.
 *
 * A Stamp packs an access into 64 bits: instruction (16), lane (10), strong (1), clock (15) and
 * block (22). A cell, of a word or a byte, keeps the last write and two reads; accesses that fell
 * out of it can hide a race, but never invent one.
 *
 * Called by check.c for every access of a watched launch, on its one worker; nothing here locks.
 * Races are found whatever the order of execution was, because the question is whether anything
 * orders two accesses, not which came first. Where memory for the bookkeeping runs out, accesses go
 * unchecked.
 */
#include "emu/check/check_race.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The limits bound what checking costs; beyond them accesses go unchecked. */
enum {
    BLOCKS_LIMIT = 1 << 22,
    BYTES_LIMIT = 1 << 30, /* of cells */
    WORD = 4,
    STORE_BYTES = 128
};

/* ---- creation and end -------------------------------------------------------------------- */

/* Numbers instructions over all decoded functions, since a stamp must name one in 16 bits. Number 0
 * stands for an unknown place. */
Race *
emu_race_new(const Launch *launch)
{
    const EmuModule *m = launch->module;
    Race *race = calloc(1, sizeof *race);
    uint32_t *first = calloc(m->nfunctions + 1, sizeof *first);
    if (race == NULL || first == NULL) {
        free(race);
        free(first);
        return NULL;
    }
    uint32_t next = 1;
    for (size_t i = 0; i < m->nfunctions; i++) {
        uint32_t count = m->functions[i]->decoded ? (uint32_t)m->functions[i]->ninstrs : 0;
        /* A stamp has 16 bits for an instruction; functions beyond that go without a place in the
         * report. */
        if (next + count < 65536) {
            first[i] = next;
            next += count;
        }
    }
    /* Lanes per block, whole warps: the layout of every clock array. */
    const uint32_t *block = launch->spec->block;
    race->launch = launch;
    race->width = (block[0] * block[1] * block[2] + EMU_WARP - 1) / EMU_WARP * EMU_WARP;
    race->first_instr = first;
    return race;
}

static void
free_pages(RacePage *pages, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(pages[i].cells);
    }
    free(pages);
}

void
emu_race_free(Race *race)
{
    if (race != NULL) {
        emu_clock_free(race);
        free_pages(race->pages, race->npages);
        free(race->page_index.slots);
        free(race->first_instr);
        free(race);
    }
}

/* State of one block object; it is reused for each block of the grid that runs in it, by
 * emu_race_start. */
BlockRace *
emu_race_take(const Block *b)
{
    BlockRace *r = calloc(1, sizeof *r);
    size_t width = b->width;
    if (r == NULL) {
        return NULL;
    }
    r->race = b->launch->watch->race;
    r->width = b->width;
    /* Shared memory has a small, fixed set of pages; global memory finds its pages by hash. */
    r->npages = (b->shared_bytes + RACE_PAGE - 1) / RACE_PAGE;
    /* One allocation for all rows of clocks and `near`, one for what is true of lanes. */
    r->clock = calloc(width * (5 + EMU_WARP), sizeof *r->clock);
    r->fenced = calloc(width, 2);
    r->pages = calloc(r->npages + 1, sizeof *r->pages);
    if (r->clock == NULL || r->fenced == NULL || r->pages == NULL) {
        emu_race_give(r);
        return NULL;
    }
    r->floor = r->clock + width;
    r->row = r->floor + width;
    r->arriving = r->row + width;
    r->arrived = r->arriving + width;
    r->near = r->arrived + width;
    r->waited = r->fenced + width;
    return r;
}

void
emu_race_give(BlockRace *r)
{
    if (r != NULL) {
        for (int i = 0; i < EMU_BARRIERS; i++) {
            free(r->pending[i]);
        }
        free_pages(r->pages, r->npages);
        free(r->far);
        free(r->clock);
        free(r->fenced);
        free(r);
    }
}

/* Blocks are numbered as in the grid, x fastest: a number is what stamps and edges carry. */
void
emu_race_start(Block *b)
{
    const uint32_t *grid = b->launch->spec->grid;
    emu_clock_start(b->watch->race, b->block[0] + grid[0] * (b->block[1] + grid[1] * b->block[2]));
}

/* ---- cells ----------------------------------------------------------------------------------- */

/* The key holds the race for the two callbacks, since an index does not know what it indexes. */
static int
is_page(const void *number, uint32_t i)
{
    const struct {
        const Race *race;
        uint64_t number;
    } *key = number;
    return key->race->pages[i].number == key->number;
}

static uint64_t
hash_page(const void *race, uint32_t i)
{
    return ((const Race *)race)->pages[i].number;
}

/* NULL when there is no memory for it, or enough is in use. */
static RacePage *
global_page(Race *race, uint64_t number)
{
    struct {
        const Race *race;
        uint64_t number;
    } key = {race, number};
    /* Room first: growing the index would move the slot that is found below. */
    if (emu_index_reserve(&race->page_index, hash_page, race) != 0) {
        return NULL;
    }
    uint32_t *slot = emu_index_find(&race->page_index, number, is_page, &key);
    if (*slot == 0) {
        if (race->npages == race->pages_capacity) {
            size_t capacity = race->pages_capacity > 0 ? 2 * race->pages_capacity : 64;
            RacePage *grown = realloc(race->pages, capacity * sizeof *grown);
            if (grown == NULL) {
                return NULL;
            }
            race->pages = grown;
            race->pages_capacity = capacity;
        }
        /* Cells come with the first access (open_page). */
        race->pages[race->npages++] = (RacePage){.number = number};
        *slot = (uint32_t)race->npages;
        race->page_index.used++;
    }
    return &race->pages[*slot - 1];
}

/* Makes sure that the page has cells, fine enough for the access. Returns 0 or -1. Cells of 24
 * bytes for each word of four; for each byte once an access is smaller or not aligned. */
static int
open_page(Race *race, RacePage *page, int by_bytes)
{
    if (page->cells != NULL && page->by_bytes >= by_bytes) {
        return 0;
    }
    size_t count = by_bytes ? RACE_PAGE : RACE_PAGE / WORD;
    if (race->bytes > BYTES_LIMIT) {
        return -1;
    }
    Cell *cells = calloc(count, sizeof *cells);
    if (cells == NULL) {
        return -1;
    }
    /* The bytes of cells that are replaced stay counted: the limit is a rough one. */
    race->bytes += count * sizeof *cells;
    /* From words to bytes: each byte inherits the accesses of its word. */
    for (size_t i = 0; page->cells != NULL && i < count; i++) {
        cells[i] = page->cells[i / WORD];
    }
    free(page->cells);
    page->cells = cells;
    page->by_bytes = by_bytes;
    return 0;
}

/* ---- findings -------------------------------------------------------------------------------- */

/* The reverse of the numbering, linear over functions: only reports ask. */
static const Instr *
instr_of(const Race *race, uint32_t number)
{
    const EmuModule *m = race->launch->module;
    for (size_t i = 0; number != 0 && i < m->nfunctions; i++) {
        const Function *f = m->functions[i];
        uint32_t first = race->first_instr[i];
        if (first != 0 && number >= first && number < first + (uint32_t)f->ninstrs) {
            return &f->code[number - first];
        }
    }
    return NULL;
}

/* One access under way: by one lane, to bytes of one page. */
typedef struct {
    Block *b;
    const Access *access;
    BlockRace *r;
    uint32_t lane, i; /* i: lane - lo */
    uint64_t address;
    Block *owner; /* of the shared memory, NULL: global memory */
    Stamp stamp;
} Step;

static int
is_of_cluster(const Block *b, uint32_t block)
{
    int found = b->watch->race->block == block;
    for (unsigned i = 0; b->cluster != NULL && i < b->cluster->size; i++) {
        found |= b->cluster->members[i]->watch->race->block == block;
    }
    return found;
}

/* One sentence with both accesses. The current one names itself by Access, the other by what is
 * left in its stamp. */
static int32_t
report(const Step *s, Stamp other, int other_writes)
{
    Block *b = s->b;
    char where[400] = "", place[300] = "";
    static const char *const verbs[] = {"", "read", "write", "atomic"};
    const Instr *in = instr_of(s->r->race, stamp_instr(other));
    uint32_t lane = stamp_lane(other), x = b->dim[0], y = b->dim[1];
    const uint32_t *grid = b->launch->spec->grid;
    uint64_t block = stamp_block(other), at = s->address;
    if (in != NULL) {
        emu_source_text(b->launch->module, in, place, sizeof place);
    }
    if (s->owner != NULL) {
        /* Reported as the kernel's own offset; global addresses are the host's. */
        at -= (uint64_t)(uintptr_t)s->owner->shared;
        snprintf(where, sizeof where, "shared memory at 0x%llx%s", (unsigned long long)at,
                 s->owner == b ? "" : " of another block of the cluster");
    }
    else {
        char about[300] = "";
        emu_memory_describe(b->launch->spec->memory, at, about, sizeof about);
        snprintf(where, sizeof where, "global memory (%s)", about);
    }
    return emu_watch_report(
        b, s->access->in, (FaultWhat){EMU_FAULT_RACE, 719, (int)s->lane, at},
        "race: the %u-byte %s of %s and the %s by block (%u,%u,%u), thread (%u,%u,%u)%s%s are not "
        "ordered by %s",
        s->access->bytes, verbs[s->access->kind], where, other_writes ? "write" : "read",
        (unsigned)(block % grid[0]), (unsigned)(block / grid[0] % grid[1]),
        (unsigned)(block / grid[0] / grid[1]), lane % x, lane / x % y, lane / x / y,
        place[0] != '\0' ? " at " : "", place,
        is_of_cluster(b, stamp_block(other))
            ? "any barrier"
            : "anything (a fence and an atomic, or a later launch)");
}

/* ---- the rule -------------------------------------------------------------------------------- */

/* Whether `other` happened before the current access. */
static int
is_ordered(const Step *s, Stamp other)
{
    /* The expensive question, and a rare one: two blocks at one place. */
    if (stamp_block(other) != s->r->block) {
        return emu_race_happened_before_across(s->r, s->lane, other);
    }
    /* A thread's own accesses are in program order. */
    return stamp_lane(other) == s->lane ||
           race_happened_before(s->r, s->lane, stamp_lane(other), stamp_clock(other));
}

/* The bytes that the store of this lane writes. */
static void
stored_bytes(const Step *s, uint32_t lane, unsigned char *out)
{
    const Instr *in = s->access->in;
    size_t unit = (size_t)1 << in->size;
    for (unsigned k = 0; k < in->count; k++) {
        uint64_t v = emu_row_lane(s->b, s->b->regs + emu_operands(in)[k], lane);
        memcpy(out + k * unit, &v, unit);
    }
}

/* Whether a store leaves memory as it is, or as the other lane of the same store makes it. Writes
 * that cannot be told apart from no write: the value is there already, or another lane of the same
 * instruction writes the same value to the same place. */
static int
is_silent(const Step *s, Stamp other)
{
    const Instr *in = s->access->in;
    unsigned char mine[STORE_BYTES], theirs[STORE_BYTES];
    /* Only plain stores have their values in rows that can be looked at before the store. */
    if (in->run != emu_run_store || ((size_t)in->count << in->size) != s->access->bytes ||
        s->access->bytes > STORE_BYTES) {
        return 0;
    }
    uint64_t address = access_address(s->access, s->i);
    stored_bytes(s, s->lane, mine);
    /* Observers are called before memory changes, so the old value is still there. */
    if (memcmp(mine, (const void *)(uintptr_t)address, s->access->bytes) == 0) {
        return 1;
    }
    /* The other lane of the same store instruction, executed in the same step. */
    uint32_t lane = stamp_lane(other);
    if (stamp_block(other) != s->r->block || stamp_instr(other) != stamp_instr(s->stamp) ||
        lane < s->b->lo || lane >= s->b->lo + s->b->n || !emu_lane_active(s->b, lane) ||
        access_address(s->access, lane - s->b->lo) != address) {
        return 0;
    }
    stored_bytes(s, lane, theirs);
    return memcmp(mine, theirs, s->access->bytes) == 0;
}

/* The definition of a race at the head of this file. */
static int
collides(const Step *s, Stamp other)
{
    /* Cheapest condition first. */
    return other != 0 && !(stamp_strong(other) && stamp_strong(s->stamp)) &&
           !is_ordered(s, other) && !(s->access->kind == ACCESS_WRITE && is_silent(s, other));
}

/* Keeps two concurrent reads: one more chance to catch a writer. A read that is ordered before the
 * new one is covered by it: a later write that is ordered after the new read is ordered after the
 * old one, too. */
static void
keep_read(const Step *s, Cell *cell)
{
    for (int k = 0; k < 2; k++) {
        Stamp old = cell->read[k];
        if (old == 0 || (stamp_block(old) == s->r->block && is_ordered(s, old))) {
            cell->read[k] = s->stamp;
            return;
        }
    }
    /* Both slots hold concurrent reads: the second gives way. */
    cell->read[1] = s->stamp;
}

/* FastTrack's rule for one cell: a read must be ordered after the last write, a write after the
 * last write and the reads since then. */
static int32_t
visit(const Step *s, Cell *cell)
{
    /* Block objects are reused, and their shared memory with them: what an earlier block of the
     * grid did there is no race with this one. */
    if (s->owner != NULL && cell->write != 0 && !is_of_cluster(s->b, stamp_block(cell->write))) {
        cell->write = 0; /* of the block that had this memory before */
    }
    for (int k = 0; s->owner != NULL && k < 2; k++) {
        if (cell->read[k] != 0 && !is_of_cluster(s->b, stamp_block(cell->read[k]))) {
            cell->read[k] = 0;
        }
    }
    if (collides(s, cell->write) && report(s, cell->write, 1) != 0) {
        return EMU_EVENT_FAULT;
    }
    if (s->access->kind == ACCESS_READ) {
        keep_read(s, cell);
        return 0;
    }
    for (int k = 0; k < 2; k++) {
        if (collides(s, cell->read[k]) && report(s, cell->read[k], 0) != 0) {
            return EMU_EVENT_FAULT;
        }
    }
    /* Whoever is ordered behind this write is ordered behind what it replaced. */
    *cell = (Cell){.write = s->stamp};
    return 0;
}

/* ---- accesses -------------------------------------------------------------------------------- */

static int32_t
visit_page(Step *s, RacePage *page, uint64_t address, unsigned bytes)
{
    /* Words until the first access that is no whole word: a quarter of the memory. */
    int by_bytes = ((address | bytes) & (WORD - 1)) != 0;
    if (open_page(s->r->race, page, by_bytes) != 0) {
        return 0;
    }
    unsigned unit = page->by_bytes ? 1 : WORD;
    Cell *cell = page->cells + address % RACE_PAGE / unit;
    for (unsigned k = 0; k < bytes; k += unit, cell++) {
        s->address = address + k;
        if (visit(s, cell) != 0) {
            return EMU_EVENT_FAULT;
        }
    }
    return 0;
}

static int32_t
access_lane(Step *s, RacePage **last)
{
    Block *b = s->b;
    uint64_t address = access_address(s->access, s->i), end = address + s->access->bytes;
    s->owner = emu_watch_owner(b, address);
    const BlockRace *owner = s->owner != NULL ? s->owner->watch->race : NULL;
    uint64_t shared = owner != NULL ? (uint64_t)(uintptr_t)s->owner->shared : 0;
    uint32_t block = owner != NULL ? owner->block : NO_BLOCK;
    /* A strong read sees what was released to its address; it acquires before it is judged. */
    int strong = stamp_strong(s->stamp);
    if (strong && s->access->kind != ACCESS_WRITE) {
        emu_race_acquire_from(s->r, s->lane, address, block);
    }
    /* An access may straddle two pages. */
    while (address < end) {
        uint64_t offset = address - shared;
        uint64_t stop = address + RACE_PAGE - offset % RACE_PAGE;
        unsigned bytes = (unsigned)((stop < end ? stop : end) - address);
        /* Lanes side by side nearly always stay in one page: the last one found is kept. */
        RacePage *page = owner != NULL ? &owner->pages[offset / RACE_PAGE] : *last;
        if (owner == NULL && (page == NULL || page->number != address / RACE_PAGE)) {
            page = *last = global_page(s->r->race, address / RACE_PAGE);
        }
        if (page != NULL && visit_page(s, page, address, bytes) != 0) {
            return EMU_EVENT_FAULT;
        }
        address += bytes;
    }
    /* A strong write after a fence, or one with .release, hands on all that the thread has done
     * (PTX ISA, "Release and acquire patterns"). */
    if (strong && s->access->kind != ACCESS_READ &&
        (s->r->fenced[s->lane] || s->access->releases || s->access->in->flags & EMU_FLAG_RELEASE)) {
        emu_race_release_to(s->r, s->lane, access_address(s->access, s->i), block);
    }
    return 0;
}

/* Local memory and parameters are not shared between threads. */
static int
is_private(const Block *b, uint64_t address)
{
    return address - (uint64_t)(uintptr_t)b->local < b->local_bytes * b->width ||
           address - (uint64_t)(uintptr_t)b->launch->params < b->launch->params_bytes;
}

/* The bits of a stamp that name the thread. Lane in bits 16 to 25, block from bit 42 on. */
static const Stamp THREAD = (Stamp)1023 << 16 | ~(Stamp)0 << 42;

static int
is_mine(Stamp old, Stamp mine)
{
    return old == 0 || ((old ^ mine) & THREAD) == 0;
}

/* What most accesses are: words of global memory side by side, that no thread or the thread itself
 * has touched before. Returns how many lanes from the first this was true of. Called first; the
 * general way takes the rest of the lanes. Such accesses cannot race, so stamping them is all there
 * is to do. */
static uint32_t
access_line(Block *b, const Access *a, Stamp first, Race *race)
{
    uint64_t address = (uint64_t)(uintptr_t)a->base;
    const Clock *clock = b->watch->race->clock;
    if (a->each != NULL || a->only >= 0 || a->step != (int64_t)a->bytes || !b->dense ||
        ((address | a->bytes) & (WORD - 1)) != 0 || emu_watch_owner(b, address) != NULL ||
        /* Every access lies in one page and covers whole cells. */
        RACE_PAGE % a->bytes != 0 || is_private(b, address)) {
        return 0;
    }
    for (uint32_t i = 0; i < b->n;) {
        RacePage *page = global_page(race, address / RACE_PAGE);
        /* A page with cells by bytes is left to the general way. */
        if (page == NULL || open_page(race, page, 0) != 0 || page->by_bytes) {
            return i;
        }
        Cell *cell = page->cells + address % RACE_PAGE / WORD,
             *end = page->cells + RACE_PAGE / WORD;
        for (; i < b->n && cell < end; i++) {
            Stamp mine = first | (Stamp)(b->lo + i) << 16 | (Stamp)clock[b->lo + i] << 27;
            for (unsigned k = 0; k < a->bytes; k += WORD, cell++) {
                if (!is_mine(cell->write, mine) || !is_mine(cell->read[0], mine) ||
                    !is_mine(cell->read[1], mine)) {
                    return i; /* visited again, word by word, by the caller */
                }
                /* The read of the thread itself replaces its earlier one. */
                if (a->kind == ACCESS_READ) {
                    cell->read[0] = mine;
                }
                else {
                    *cell = (Cell){.write = mine};
                }
            }
            address += a->bytes;
        }
    }
    return b->n;
}

/* The observer's access for races: stamps every lane's access and judges it. */
int32_t
emu_race_access(Block *b, const Access *a)
{
    BlockRace *r = b->watch->race;
    const Function *f = b->frame->function;
    uint32_t first = r->race->first_instr[f->index];
    /* Numbers of a function follow each other, so the instruction's distance is enough. */
    uint64_t number = first != 0 ? first + (uint32_t)(a->in - f->code) : 0;
    /* Strong: volatile, relaxed, acquire, release and atomic accesses (PTX ISA, "Memory consistency
     * model"). */
    uint64_t strong = a->kind == ACCESS_ATOMIC || a->in->flags & (EMU_FLAG_POLL | EMU_FLAG_RELEASE);
    RacePage *last = NULL;
    /* all lanes read one place: the first and the last of them stand for all */
    uint32_t step = a->each == NULL && a->step == 0 && a->kind == ACCESS_READ && a->only < 0 &&
                            b->n > 1 && !strong
                        ? b->n - 1
                        : 1;
    /* Block numbers of more than 22 bits do not fit into stamps; a block whose clock ran over is
     * not checked any further. */
    if (r->gave_up || r->race->launch->nblocks > BLOCKS_LIMIT) {
        return 0;
    }
    Stamp common = number | (Stamp)(strong != 0) << 26 | (Stamp)r->block << 42;
    /* Strong accesses may acquire and release, so none of them takes the short way. */
    uint32_t done = strong ? 0 : access_line(b, a, common, r->race);
    for (uint32_t i = done; i < b->n; i += step) {
        uint32_t lane = b->lo + i;
        if (!access_concerns(b, a, i) || is_private(b, access_address(a, i))) {
            continue;
        }
        Step s = {
            .b = b,
            .access = a,
            .r = r,
            .lane = lane,
            .i = i,
            .stamp = common | (Stamp)lane << 16 | (Stamp)r->clock[lane] << 27,
        };
        if (access_lane(&s, &last) != 0) {
            return EMU_EVENT_FAULT;
        }
    }
    return 0;
}
