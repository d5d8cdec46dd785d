/* Finds the PTX in a module image: plain text, a fatbin (also wrapped as nvcc embeds it), a cubin.
 *
 * A fatbin is a header and a chain of entries, each with a header of its own; the offsets below
 * were read off files that `fatbinary` writes. Entries may be packed as LZ4 blocks, which are
 * unpacked here, or with zstd, which the system's own library unpacks where there is one.
 *
 * Called by the driver with an image of unknown size (cuModuleLoadData), so every length in it is
 * checked against the others before it is used. The results point into the image, or to memory that
 * the caller frees.
 */
#include "emu/ptx/ptx.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* Magic numbers: of a fatbin, and of the wrapper structure in which nvcc embeds a pointer to
     * one. */
    FATBIN = 0xba55ed50,
    WRAPPER = 0x466243b1,
    KIND_PTX = 1,
    FLAG_LZ4 = 0x2000,
    FLAG_ZSTD = 0x8000,
    /* A text of more than 1 GiB is taken for a damaged header. */
    MOST_TEXT = 1 << 30
};

typedef struct {
    uint16_t kind, version;
    uint32_t header_bytes;
    uint64_t payload_bytes;
    uint32_t packed_bytes, unknown_1;
    uint32_t unknown_2, arch;
    uint32_t unknown_3[2];
    uint64_t flags;
    uint64_t unknown_4;
    uint64_t unpacked_bytes;
} Entry;

/* Images need not be aligned. */
static uint32_t
word(const void *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* A length whose nibble was 15 goes on in bytes of 255 and a last one. */
static size_t
long_length(const unsigned char **in, const unsigned char *end, size_t length)
{
    if (length == 15) {
        unsigned char more = 255;
        while (more == 255 && *in < end) {
            more = *(*in)++;
            length += more;
        }
    }
    return length;
}

/* Unpacks one LZ4 block (the public block format). Returns the bytes written; 0 on bad data. */
static size_t
lz4_unpack(const unsigned char *in, size_t in_bytes, char *out, size_t capacity)
{
    const unsigned char *end = in + in_bytes;
    size_t at = 0;
    while (in < end) {
        unsigned token = *in++;
        /* The upper nibble counts literals, the lower one the match. */
        size_t literals = long_length(&in, end, token >> 4);
        if (literals > (size_t)(end - in) || literals > capacity - at) {
            return 0;
        }
        memcpy(out + at, in, literals);
        at += literals;
        in += literals;
        if (in == end) {
            return at; /* the last sequence has no match */
        }
        if (end - in < 2) {
            return 0;
        }
        /* Matches start up to 64 KiB back, and have at least four bytes. */
        size_t offset = in[0] | (size_t)in[1] << 8;
        in += 2;
        size_t match = long_length(&in, end, token & 15) + 4;
        /* A match must lie in what has been written. */
        if (offset == 0 || offset > at || match > capacity - at) {
            return 0;
        }
        for (size_t i = 0; i < match; i++, at++) { /* source and target may overlap */
            out[at] = out[at - offset];
        }
    }
    return at;
}

/* ---- zstd ------------------------------------------------------------------------------------ */

/* Looked up once; a program without packed fatbins never loads the library. */
static struct {
    size_t (*decompress)(void *to, size_t capacity, const void *from, size_t bytes);
    unsigned (*is_error)(size_t code);
} zstd;
static pthread_once_t zstd_once = PTHREAD_ONCE_INIT;

static void
open_zstd(void)
{
    void *library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        return;
    }
    /* The casts store a data pointer into a function pointer, as POSIX has it for dlsym. */
    *(void **)(void *)&zstd.is_error = dlsym(library, "ZSTD_isError");
    *(void **)(void *)&zstd.decompress = dlsym(library, "ZSTD_decompress");
}

static int
has_zstd(void)
{
    pthread_once(&zstd_once, open_zstd);
    return zstd.is_error != NULL && zstd.decompress != NULL;
}

/* Bytes written; 0 on bad data. */
static size_t
zstd_unpack(const char *in, size_t in_bytes, char *out, size_t capacity)
{
    size_t got = zstd.decompress(out, capacity, in, in_bytes);
    return zstd.is_error(got) ? 0 : got;
}

/* Gives the text of an entry; 200 is CUDA_ERROR_INVALID_IMAGE. */
static CUresult
unpack(const Entry *entry, const char *payload, const char **text, size_t *bytes, char **owned)
{
    int is_zstd = (entry->flags & FLAG_ZSTD) != 0;
    if ((entry->flags & (FLAG_LZ4 | FLAG_ZSTD)) == 0) {
        *text = payload;
        /* The payload is padded, and its text ends before the padding. */
        *bytes = strnlen(payload, entry->payload_bytes);
        return 0;
    }
    /* A byte of LZ4 stands for 255 at most, one of zstd for any number. */
    if (entry->packed_bytes > entry->payload_bytes || entry->unpacked_bytes > MOST_TEXT ||
        (!is_zstd && entry->unpacked_bytes / 255 > entry->packed_bytes)) {
        return 200;
    }
    char *unpacked = malloc(entry->unpacked_bytes + 1);
    if (unpacked == NULL) {
        return 2;
    }
    size_t got = is_zstd
                     ? zstd_unpack(payload, entry->packed_bytes, unpacked, entry->unpacked_bytes)
                     : lz4_unpack((const unsigned char *)payload, entry->packed_bytes, unpacked,
                                  entry->unpacked_bytes);
    if (got == 0) {
        free(unpacked);
        return 200;
    }
    unpacked[got] = '\0';
    *owned = unpacked;
    *text = unpacked;
    /* The length in the header may count a final NUL. */
    *bytes = strlen(unpacked);
    return 0;
}

/* The PTX entry for the newest architecture. */
static CUresult
fatbin_ptx(const char *fatbin, const char **text, size_t *bytes, char **owned, EmuLog *log)
{
    /* The header: magic, version, its own size and the size of all entries. */
    uint16_t header_bytes;
    uint64_t rest;
    memcpy(&header_bytes, fatbin + 6, sizeof header_bytes);
    memcpy(&rest, fatbin + 8, sizeof rest);
    const char *at = fatbin + header_bytes, *end = at + rest;
    const char *best = NULL;
    uint32_t best_arch = 0;
    int packed = 0, entries = 0;
    while ((size_t)(end - at) >= sizeof(Entry)) {
        Entry entry;
        memcpy(&entry, at, sizeof entry);
        if (entry.header_bytes < sizeof entry || entry.header_bytes > (size_t)(end - at) ||
            /* An entry must end within the fatbin. */
            entry.payload_bytes > (uint64_t)(end - at) - entry.header_bytes) {
            return 200;
        }
        entries++;
        /* Without the library another entry may still serve. */
        if (entry.kind == KIND_PTX && (entry.flags & FLAG_ZSTD) != 0 && !has_zstd()) {
            packed = 1;
        }
        else if (entry.kind == KIND_PTX && (best == NULL || entry.arch > best_arch)) {
            /* Architectures count upwards; the emulated device runs the PTX of any. */
            best = at;
            best_arch = entry.arch;
        }
        at += entry.header_bytes + entry.payload_bytes;
    }
    if (best == NULL) {
        emu_log_error(log,
                      packed ? "the fatbin's PTX is packed with zstd, and there is no libzstd.so.1 "
                               "here: build it with --compress-mode=speed or none\n"
                             : "none of the fatbin's %d entries is PTX: the emulated device takes "
                               "PTX only\n",
                      entries);
        /* 209 is CUDA_ERROR_NO_BINARY_FOR_GPU. */
        return 209;
    }
    Entry entry;
    memcpy(&entry, best, sizeof entry);
    return unpack(&entry, best + entry.header_bytes, text, bytes, owned);
}

int
emu_fatbin_at(const void *at, size_t bytes)
{
    uint16_t header_bytes;
    uint64_t rest;
    if (word(at) != FATBIN) {
        return 0;
    }
    memcpy(&header_bytes, (const char *)at + 6, sizeof header_bytes);
    memcpy(&rest, (const char *)at + 8, sizeof rest);
    return header_bytes >= EMU_FATBIN_HEADER && header_bytes <= bytes &&
           rest <= bytes - header_bytes;
}

/* The kind is told by the first bytes. Text ends in NUL, so no more bytes are read than it has. */
CUresult
emu_image_ptx(const void *image, const char **text, size_t *bytes, char **owned, EmuLog *log)
{
    const unsigned char *first = image;
    if (first[0] == 0x7f && first[1] == 'E' && first[2] == 'L' && first[3] == 'F') {
        emu_log_error(log, "this is a cubin: the emulated device takes PTX only\n");
        return 209;
    }
    /* Four bytes may be read: a shorter text was ruled out character by character. */
    int longer = first[0] != 0 && first[1] != 0 && first[2] != 0 && first[3] != 0;
    if (first[0] == 0x50 && first[1] == 0xed && word(image) == FATBIN) {
        return fatbin_ptx(image, text, bytes, owned, log);
    }
    /* The wrapper holds the magic, a version and the address of the fatbin. */
    if (longer && word(image) == WRAPPER) {
        const char *fatbin;
        memcpy(&fatbin, (const char *)image + 8, sizeof fatbin);
        return word(fatbin) == FATBIN ? fatbin_ptx(fatbin, text, bytes, owned, log) : 200;
    }
    *text = image;
    *bytes = strlen(image);
    if (*bytes == 0 || strstr(image, ".version") == NULL) {
        emu_log_error(log, "the image is neither PTX nor a fatbin\n");
        return 200;
    }
    return 0;
}
