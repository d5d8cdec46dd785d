/* Kernel packs: files of compiled kernels that came with the package or with a program.
 *
 * A pack is what the disk cache would hold after its kernels had been compiled, for several
 * architectures, in one file that is only read: an index of hashes of the cache's keys, and packed
 * blocks with what the cache stores under them, in parts, of which each stands in the file once.
 * The key contains the version of gpunp, all headers, the source and the options, so whatever was
 * made from another text is not found.
 *
 * The one difference to the cache: the key's version of NVRTC is that of the pack, not of the NVRTC
 * that is installed, which need not be there at all. A driver loads machine code of its own major
 * version and older ones; GPUNP_NVRTC asks for one compiler, and then only its packs count.
 *
 * Opening a pack reads its header and its targets: of one for other GPUs nothing else is touched.
 * The index is checked when a kernel is looked up in it.
 *
 * No Python API but in the functions at the end; any thread. A damaged pack is a warning, once, and
 * its kernels are compiled. gpunp/_pack.py writes the files. */
#include "rt/internal.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "GNPPACK3"
#define LARGEST ((uint32_t)64 << 20) /* bytes of a block, and of a kernel */

enum { MAX_PACKS = 16, MAX_TARGETS = 32, KEPT_BLOCKS = 16 };

/* The file, in little-endian order: the header, then targets, blocks and entries, which the
 * header's checksum covers, then the blocks, each a stream of LZMA or, where that is no smaller or
 * the pack was made without Python's lzma module, as it is. */
typedef struct {
    char magic[8];
    uint32_t major, minor; /* of NVRTC */
    uint32_t ntargets, nblocks, nentries, zero;
    uint64_t checksum;
    char origin[96]; /* what gnp_compile_origin said, with a NUL */
} Header;

typedef struct {
    uint32_t arch, makes_cubin;
} Target;

typedef struct {
    uint64_t offset;
    uint32_t packed_bytes, bytes;
} Block;

typedef struct {
    uint64_t hash[GNP_PACK_HASHES]; /* the entries are sorted by them */
    uint32_t check;                 /* of what the cache stores, and of the key's size */
    uint32_t block, offset, bytes;  /* where the list of its parts is */
} Entry;

/* One behind the other they are what the cache stores. */
typedef struct {
    uint32_t block, offset, bytes;
} Part;

typedef struct {
    char path[PATH_MAX];
    const char *problem; /* why it is not used; NULL: it is */
    const Header *header;
    const Target *targets;
    const Block *blocks;
    const Entry *entries;
    size_t bytes;   /* of the file */
    int is_checked; /* the index too; guarded by lock */
    int64_t hits;   /* guarded by lock */
} Pack;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static Pack *packs; /* written under once, and never freed */
static int npacks;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* The blocks used last, each unpacked as far as it was needed: kernels of one operation stand side
 * by side. */
typedef struct {
    const Block *block;
    char *data;    /* malloc; NULL: nothing is kept here */
    GnpLzma *lzma; /* malloc */
    size_t bytes;  /* unpacked so far */
} Kept;
static Kept kept[KEPT_BLOCKS]; /* guarded by lock */
static int next_kept, was_told;

/* ---- opening --------------------------------------------------------------------------------- */

/* The bytes of targets, blocks and entries. */
static uint64_t
index_bytes(const Header *header)
{
    return (uint64_t)header->ntargets * sizeof(Target) + (uint64_t)header->nblocks * sizeof(Block) +
           (uint64_t)header->nentries * sizeof(Entry);
}

/* What is wrong with the head of a mapped file, or NULL; then the pack's pointers lead into it. */
static const char *
check_header(Pack *pack, const char *data)
{
    const Header *header = (const Header *)(const void *)data;
    if (pack->bytes < sizeof *header || memcmp(header->magic, MAGIC, sizeof header->magic) != 0) {
        return "is no kernel pack";
    }
    if (header->ntargets > MAX_TARGETS || index_bytes(header) > pack->bytes - sizeof *header ||
        memchr(header->origin, '\0', sizeof header->origin) == NULL) {
        return "is damaged";
    }
    pack->header = header;
    pack->targets = (const Target *)(header + 1);
    pack->blocks = (const Block *)(const void *)(pack->targets + header->ntargets);
    pack->entries = (const Entry *)(pack->blocks + header->nblocks);
    return NULL;
}

/* What is wrong with the index, or NULL; then every block lies in the file and every entry in its
 * block. */
static const char *
check_index(const Pack *pack)
{
    const Header *header = pack->header;
    if (gnp_hash64((const char *)(header + 1), index_bytes(header), header->nentries) !=
        header->checksum) {
        return "is damaged";
    }
    for (uint32_t i = 0; i < header->nblocks; i++) {
        const Block *block = &pack->blocks[i];
        if (block->offset > pack->bytes || block->packed_bytes > pack->bytes - block->offset ||
            block->bytes > LARGEST) {
            return "is damaged";
        }
    }
    for (uint32_t i = 0; i < header->nentries; i++) {
        const Entry *entry = &pack->entries[i];
        if (entry->block >= header->nblocks ||
            (uint64_t)entry->offset + entry->bytes > pack->blocks[entry->block].bytes) {
            return "is damaged";
        }
    }
    return NULL;
}

/* Whether the pack may be used: its index is checked by the first who asks. */
static int
is_usable(Pack *pack)
{
    pthread_mutex_lock(&lock);
    if (pack->problem == NULL && !pack->is_checked) {
        pack->problem = check_index(pack);
        pack->is_checked = 1;
    }
    const int usable = pack->problem == NULL;
    pthread_mutex_unlock(&lock);
    return usable;
}

/* Adds the pack of that path. It stays mapped as long as the process lives. */
static void
add_pack(const char *path, size_t length)
{
    struct stat st;
    if (npacks == MAX_PACKS || length >= PATH_MAX) {
        return;
    }
    Pack *pack = &packs[npacks++];
    memcpy(pack->path, path, length);
    pack->problem = "cannot be read";
    int fd = open(pack->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        return;
    }
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        pack->bytes = (size_t)st.st_size;
        void *data = mmap(NULL, pack->bytes, PROT_READ, MAP_PRIVATE, fd, 0);
        if (data != MAP_FAILED) {
            pack->problem = check_header(pack, data);
        }
    }
    close(fd);
}

/* For scandir. */
static int
is_pack_name(const struct dirent *entry)
{
    const size_t n = strlen(entry->d_name);
    return n > 5 && strcmp(entry->d_name + n - 5, ".pack") == 0;
}

/* Adds the packs of a folder; returns how many it has. */
static int
add_folder(const char *folder)
{
    struct dirent **found = NULL;
    const int n = scandir(folder, &found, is_pack_name, alphasort);
    for (int i = 0; i < n; i++) {
        char path[PATH_MAX + 300];
        const int length = snprintf(path, sizeof path, "%s/%s", folder, found[i]->d_name);
        add_pack(path, (size_t)length);
        free(found[i]);
    }
    free(found);
    return n > 0 ? n : 0;
}

/* Adds the packs of the distribution gpunp-kernels, machine code of more kernels than the package
 * has: from beside the package, or the first folder of installed packages that has some. */
static void
add_kernels(const char *package)
{
    char folder[PATH_MAX + 300];
    const char *sites = gnp_cuda_site_dirs();
    snprintf(folder, sizeof folder, "%s/../gpunp_kernels", package);
    int n = add_folder(folder);
    for (size_t length; n == 0 && *sites != '\0'; sites += length + (sites[length] == ':')) {
        length = strcspn(sites, ":");
        if (length > 0 && length < PATH_MAX) {
            snprintf(folder, sizeof folder, "%.*s/gpunp_kernels", (int)length, sites);
            n = add_folder(folder);
        }
    }
}

/* The files of GPUNP_PACK, then those of gpunp-kernels, then those beside the extension, which have
 * but PTX of some kernels. */
static void
open_packs(void)
{
    const char *asked = gnp_env(GNP_ENV_PACK), *package = gnp_cuda_package_dir();
    if (strcmp(asked, "off") == 0 || (packs = calloc(MAX_PACKS, sizeof *packs)) == NULL) {
        return;
    }
    for (size_t n; *asked != '\0'; asked += n + (asked[n] == ':')) {
        n = strcspn(asked, ":");
        if (n > 0) {
            add_pack(asked, n);
        }
    }
    add_kernels(package);
    (void)add_folder(package);
}

/* ---- finding --------------------------------------------------------------------------------- */

void
gnp_pack_hash(const void *key, size_t bytes, uint64_t hash[GNP_PACK_HASHES])
{
    static const uint64_t seeds[GNP_PACK_HASHES] = {0x67706e75, 0x6e703232};
    for (int i = 0; i < GNP_PACK_HASHES; i++) {
        hash[i] = gnp_hash64(key, bytes, seeds[i]);
    }
}

static int
compare(const Entry *entry, const uint64_t *hash)
{
    for (int i = 0; i < GNP_PACK_HASHES; i++) {
        if (entry->hash[i] != hash[i]) {
            return entry->hash[i] < hash[i] ? -1 : 1;
        }
    }
    return 0;
}

/* 128 bits of hash stand for the key, which would take more room than the kernel. */
static const Entry *
search(const Pack *pack, const GnpText *key)
{
    uint64_t hash[GNP_PACK_HASHES];
    size_t low = 0, high = pack->header->nentries;
    gnp_pack_hash(key->text, key->used, hash);
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = compare(&pack->entries[middle], hash);
        if (order == 0) {
            return &pack->entries[middle];
        }
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return NULL;
}

/* What is kept of a block, beginning with nothing; NULL without memory. */
static Kept *
keep(const Pack *pack, const Block *block)
{
    for (int i = 0; i < KEPT_BLOCKS; i++) {
        if (kept[i].block == block) {
            return &kept[i];
        }
    }
    Kept *found = &kept[next_kept];
    next_kept = (next_kept + 1) % KEPT_BLOCKS;
    free(found->data);
    free(found->lzma);
    *found = (Kept){.data = malloc((size_t)block->bytes + 1)};
    const char *packed = (const char *)pack->header + block->offset;
    found->lzma = gnp_lzma_new(packed, block->packed_bytes, found->data, block->bytes);
    found->block = found->data != NULL && found->lzma != NULL ? block : NULL;
    return found->block != NULL ? found : NULL;
}

/* Bytes of a block, from its offset on, under the lock and until the next call; NULL when it is
 * damaged. */
static const char *
contents(Pack *pack, uint32_t number, uint32_t offset, uint32_t bytes)
{
    const Block *block = &pack->blocks[number];
    const size_t end = (size_t)offset + bytes;
    if (block->packed_bytes == block->bytes) {
        return (const char *)pack->header + block->offset + offset;
    }
    Kept *unpacked = keep(pack, block);
    if (unpacked != NULL && end > unpacked->bytes) {
        if (gnp_lzma_until(unpacked->lzma, end) != 0) {
            pack->problem = "is damaged";
            return NULL;
        }
        unpacked->bytes = end;
    }
    return unpacked != NULL ? unpacked->data + offset : NULL;
}

/* A copy of the list of an entry's parts, under the lock, and the bytes of them all; NULL when it
 * is damaged. */
static Part *
parts_of(Pack *pack, const Entry *entry, size_t *bytes)
{
    const char *list = contents(pack, entry->block, entry->offset, entry->bytes);
    Part *parts = list != NULL ? malloc((size_t)entry->bytes + 1) : NULL; /* owned */
    uint64_t total = 0;
    if (parts == NULL) {
        return NULL;
    }
    memcpy(parts, list, entry->bytes);
    for (size_t i = 0; i < entry->bytes / sizeof *parts; i++) {
        const Part *part = &parts[i];
        if (part->block >= pack->header->nblocks ||
            (uint64_t)part->offset + part->bytes > pack->blocks[part->block].bytes ||
            (total += part->bytes) > LARGEST) {
            pack->problem = "is damaged";
            free(parts);
            return NULL;
        }
    }
    *bytes = (size_t)total;
    return parts;
}

/* -1 when a block is damaged. Under the lock. */
static int
join_parts(Pack *pack, const Part *parts, size_t nparts, char *to)
{
    for (size_t i = 0; i < nparts; i++) {
        const char *data = contents(pack, parts[i].block, parts[i].offset, parts[i].bytes);
        if (data == NULL) {
            return -1;
        }
        memcpy(to, data, parts[i].bytes);
        to += parts[i].bytes;
    }
    return 0;
}

static int
copy_out(Pack *pack, const Entry *entry, size_t key_bytes, GnpBytes *out)
{
    int status = -1;
    pthread_mutex_lock(&lock);
    Part *parts = parts_of(pack, entry, &out->bytes); /* owned */
    out->data = parts != NULL ? malloc(out->bytes + 1) : NULL;
    if (out->data != NULL) {
        status = join_parts(pack, parts, entry->bytes / sizeof *parts, out->data);
    }
    if (status == 0 && (uint32_t)gnp_hash64(out->data, out->bytes, key_bytes) != entry->check) {
        pack->problem = "is damaged";
        status = -1;
    }
    pack->hits += status == 0;
    pthread_mutex_unlock(&lock);
    free(parts);
    if (status != 0) {
        free(out->data);
        out->data = NULL;
    }
    return status;
}

/* Whether the device runs what was made for the target. Machine code runs on later minor versions
 * of its architecture; PTX on all later ones, where the driver knows its version, which grows with
 * each version of CUDA. */
static int
suits(const Pack *pack, const Target *target, const GnpCompileRequest *request)
{
    const int cc = request->cc, arch = (int)target->arch;
    if (request->is_emulated) {
        return !target->makes_cubin && arch <= cc;
    }
    const GnpDriver *driver = gnp_cuda_driver_if_open();
    const int version = (int)(pack->header->major * 1000 + pack->header->minor * 10);
    return arch <= cc &&
           (target->makes_cubin ? arch / 10 == cc / 10
                                : driver != NULL && driver->driver_version >= version);
}

/* Whether the pack's compiler is one that this process may use the work of. */
static int
is_compatible(const Pack *pack, const GnpCompileRequest *request)
{
    const int major = (int)pack->header->major, minor = (int)pack->header->minor;
    if (*gnp_env(GNP_ENV_NVRTC) != '\0') {
        const GnpNvrtc *nvrtc = gnp_cuda_nvrtc();
        return nvrtc != NULL && nvrtc->major == major && nvrtc->minor == minor;
    }
    const GnpDriver *driver = gnp_cuda_driver_if_open();
    return request->is_emulated || (driver != NULL && driver->driver_version / 1000 >= major);
}

static int
load_from(Pack *pack, const GnpCompileRequest *request, GnpBytes *out)
{
    for (uint32_t i = 0; i < pack->header->ntargets; i++) {
        if (!suits(pack, &pack->targets[i], request)) {
            continue;
        }
        if (!is_usable(pack)) {
            return -1;
        }
        /* The emulated device's own PTX names the lines of sources; that of older architectures is
         * the one that GPUs get. */
        GnpCompileRequest asked = *request;
        asked.is_emulated = request->is_emulated && (int)pack->targets[i].arch == request->cc;
        const GnpTarget target = {.major = (int)pack->header->major,
                                  .minor = (int)pack->header->minor,
                                  .arch = (int)pack->targets[i].arch,
                                  .makes_cubin = (int)pack->targets[i].makes_cubin};
        GnpText key = {0};
        gnp_compile_key(&target, &asked, &key);
        const Entry *entry = key.failed ? NULL : search(pack, &key);
        const size_t key_bytes = key.used;
        gnp_text_clear(&key);
        if (entry != NULL) {
            return copy_out(pack, entry, key_bytes, out);
        }
    }
    return -1;
}

int
gnp_pack_load(const GnpCompileRequest *request, GnpBytes *out)
{
    (void)pthread_once(&once, open_packs);
    for (int i = 0; i < npacks; i++) {
        if (packs[i].problem == NULL && is_compatible(&packs[i], request) &&
            load_from(&packs[i], request, out) == 0) {
            return 0;
        }
    }
    return -1;
}

/* Whether the device may find kernels in a pack: then the compiler may never be needed. */
int
gnp_pack_has(int cc)
{
    const GnpCompileRequest request = {.cc = cc};
    (void)pthread_once(&once, open_packs);
    for (int i = 0; i < npacks; i++) {
        for (uint32_t j = 0; packs[i].problem == NULL && j < packs[i].header->ntargets; j++) {
            if (suits(&packs[i], &packs[i].targets[j], &request)) {
                return 1;
            }
        }
    }
    return 0;
}

/* With the GIL. A pack without entries that is only older is no problem: its kernels are compiled.
 */
int
gnp_pack_warn(void)
{
    for (int i = 0; i < npacks && !was_told; i++) {
        if (packs[i].problem != NULL) {
            was_told = 1;
            return gnp_warn(PyExc_RuntimeWarning, "the kernel pack %s %s, and is not used",
                            packs[i].path, packs[i].problem);
        }
    }
    return 0;
}

/* ---- for Python ------------------------------------------------------------------------------ */

static PyObject *
describe_targets(const Pack *pack)
{
    PyObject *names = PyTuple_New((Py_ssize_t)pack->header->ntargets);
    for (uint32_t i = 0; names != NULL && i < pack->header->ntargets; i++) {
        PyObject *name =
            PyUnicode_FromFormat("%s_%u", pack->targets[i].makes_cubin ? "sm" : "compute",
                                 (unsigned)pack->targets[i].arch);
        if (name == NULL) {
            Py_CLEAR(names);
            break;
        }
        PyTuple_SET_ITEM(names, (Py_ssize_t)i, name);
    }
    return names;
}

static PyObject *
describe(Pack *pack)
{
    GnpText origin = {0};
    if (!is_usable(pack)) {
        return Py_BuildValue("(ss)", pack->path, pack->problem);
    }
    PyObject *targets = describe_targets(pack);
    if (targets == NULL) {
        return NULL;
    }
    gnp_compile_origin(&origin);
    const int is_current = !origin.failed && strcmp(origin.text, pack->header->origin) == 0;
    gnp_text_clear(&origin);
    return Py_BuildValue("(sInIINNL)", pack->path, (unsigned)pack->header->nentries,
                         (Py_ssize_t)pack->bytes, (unsigned)pack->header->major,
                         (unsigned)pack->header->minor, targets, PyBool_FromLong(is_current),
                         (long long)pack->hits);
}

static PyObject *
pack_info(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    (void)pthread_once(&once, open_packs);
    PyObject *list = PyList_New(npacks);
    for (int i = 0; list != NULL && i < npacks; i++) {
        PyObject *row = describe(&packs[i]);
        if (row == NULL) {
            Py_CLEAR(list);
            break;
        }
        PyList_SET_ITEM(list, i, row);
    }
    return list;
}

static PyMethodDef functions[] = {
    {"_pack_info", pack_info, METH_NOARGS,
     "For each kernel pack: path, entries, bytes, version of NVRTC, targets, whether it is of this "
     "build, hits; or path and problem."},
    {NULL, NULL, 0, NULL},
};

int
gnp_pack_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
