/* The kernel cache on disk.
 *
 * One file per entry in one private directory. Trust rules: the directory and each file belong to
 * this user, no other user may write them, and no symbolic link is followed. An entry contains its
 * whole key and a checksum; one that does not match in every byte is a miss. Writing goes to a
 * temporary file that is renamed, so any number of processes see whole entries or none. Nothing
 * here raises or blocks on anything but the file system; any thread may call it without the GIL.
 *
 * compile.c loads and stores, once per kernel and process. The directory is found once per process,
 * at the first use; a change of GPUNP_CACHE_DIR after that has no effect. A missing or refused
 * directory is no error: kernels are then compiled once per process, and notice.c passes the reason
 * on as a warning.
 */
#include "rt/internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAGIC "GNPKERN1"
/* A file larger than any kernel is damaged or planted; without a limit it would be read to
 * memory. */
#define LARGEST_ENTRY ((uint64_t)256 << 20)
#define SCAN_EVERY 64       /* stores between two looks at the size */
#define TOUCH_AFTER 600     /* seconds after which a hit renews the time stamp */
#define TEMPORARY_LIFE 3600 /* seconds until an abandoned temporary file is removed */

typedef struct {
    char magic[8];
    uint64_t key_bytes, payload_bytes, checksum;
} Header;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int dir_fd = -1; /* guarded by lock, like the rest */
static int is_settled;  /* the directory was tried */
static char dir_name[PATH_MAX];
static char warning[PATH_MAX + 300];
static int stores;

/* ---- the directory --------------------------------------------------------------------------- */

/* Kept until gnp_cache_take_warning() is called with the GIL: this code may run in a thread of ours
 * that cannot warn. */
static void
distrust(const char *why)
{
    snprintf(warning, sizeof warning,
             "gpunp keeps compiled kernels in memory only: the directory %s %s. Give "
             "GPUNP_CACHE_DIR a directory of your own, or 'off'.",
             dir_name, why);
}

/* The cache's directory; 0 when it is switched off or there is no home directory. The order of the
 * XDG base directory specification; relative paths are ignored, as it demands. The password file is
 * asked last, for daemons that run without HOME. */
static int
choose_dir(char *dir, size_t capacity)
{
    const char *asked = gnp_env(GNP_ENV_CACHE);
    if (strcmp(asked, "off") == 0) {
        return 0;
    }
    if (*asked != '\0') {
        return snprintf(dir, capacity, "%s", asked) < (int)capacity;
    }
    const char *base = gnp_env_foreign("XDG_CACHE_HOME");
    if (base != NULL && base[0] == '/') {
        return snprintf(dir, capacity, "%s/gpunp", base) < (int)capacity;
    }
    base = gnp_env_foreign("HOME");
    struct passwd entry, *found = NULL;
    char buffer[2048];
    if ((base == NULL || base[0] != '/') &&
        getpwuid_r(getuid(), &entry, buffer, sizeof buffer, &found) == 0 && found != NULL) {
        base = entry.pw_dir;
    }
    if (base == NULL || base[0] != '/') {
        return 0;
    }
    return snprintf(dir, capacity, "%s/.cache/gpunp", base) < (int)capacity;
}

/* mkdir -p; what exists already is left as it is. Errors are ignored: open_dir() reports what
 * matters, and another process may have made the directory in between. */
static void
make_dirs(const char *dir)
{
    char part[PATH_MAX];
    for (size_t i = 1; dir[i - 1] != '\0' && i < sizeof part; i++) {
        if (dir[i] == '/' || dir[i] == '\0') {
            memcpy(part, dir, i);
            part[i] = '\0';
            (void)mkdir(part, 0700);
        }
    }
}

/* Under the lock. The checks are made on the open directory, and later files are opened relative to
 * it: replacing the path after the check has no effect on this process. */
static int
open_dir(void)
{
    struct stat st;
    make_dirs(dir_name);
    int fd = open(dir_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        distrust(errno == ELOOP || errno == ENOTDIR ? "is a symbolic link or no directory"
                                                    : "cannot be opened or made");
        return -1;
    }
    if (fstat(fd, &st) != 0 || st.st_uid != geteuid()) {
        distrust("belongs to another user");
    }
    else if ((st.st_mode & 022) != 0) {
        distrust("can be written by other users");
    }
    else {
        return fd;
    }
    close(fd);
    return -1;
}

/* The directory, or -1 for memory only. */
static int
directory(void)
{
    pthread_mutex_lock(&lock);
    if (!is_settled) {
        is_settled = 1;
        if (choose_dir(dir_name, sizeof dir_name)) {
            dir_fd = open_dir();
        }
    }
    int fd = dir_fd;
    pthread_mutex_unlock(&lock);
    return fd;
}

/* Copied, since the message may be written again by another thread as soon as the lock is released.
 * The copy is read with the GIL held. */
const char *
gnp_cache_take_warning(void)
{
    static char taken[sizeof warning];
    pthread_mutex_lock(&lock);
    memcpy(taken, warning, sizeof taken);
    warning[0] = '\0';
    pthread_mutex_unlock(&lock);
    return taken[0] != '\0' ? taken : NULL;
}

/* ---- reading and writing whole files --------------------------------------------------------- */

static int
read_all(int fd, void *data, size_t bytes)
{
    for (char *p = data; bytes > 0;) {
        ssize_t n = read(fd, p, bytes);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return -1;
        }
        p += n;
        bytes -= (size_t)n;
    }
    return 0;
}

static int
write_all(int fd, const void *data, size_t bytes)
{
    for (const char *p = data; bytes > 0;) {
        ssize_t n = write(fd, p, bytes);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return -1;
        }
        p += n;
        bytes -= (size_t)n;
    }
    return 0;
}

/* Two independent 64-bit hashes name the file. They need not be collision-free: the file contains
 * the key, and a collision is a miss. */
static void
entry_name(const void *key, size_t key_bytes, char name[48])
{
    snprintf(name, 48, "%016llx%016llx.kernel",
             (unsigned long long)gnp_hash64(key, key_bytes, 0x67706e75),
             (unsigned long long)gnp_hash64(key, key_bytes, 0x6e703232));
}

static int
is_entry_name(const char *name)
{
    return strlen(name) == 39 && strcmp(name + 32, ".kernel") == 0;
}

/* Detects a file that was cut off or damaged on disk, not a forged one: who can write as this user
 * can also change the program. */
static uint64_t
checksum(const void *key, size_t key_bytes, const void *payload, size_t bytes)
{
    return gnp_hash64(payload, bytes, gnp_hash64(key, key_bytes, bytes));
}

/* Opens an entry that is a private regular file of this user, or -1. */
static int
open_entry(int dir, const char *name, struct stat *st)
{
    /* O_NONBLOCK: opening a planted FIFO must not block. */
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        return -1;
    }
    if (fstat(fd, st) != 0 || !S_ISREG(st->st_mode) || st->st_uid != geteuid() ||
        (st->st_mode & 022) != 0 || st->st_size < (off_t)sizeof(Header) ||
        (uint64_t)st->st_size > LARGEST_ENTRY) {
        close(fd);
        return -1;
    }
    return fd;
}

/* The payload of an open entry when all of it is right. Sizes in the header are checked against the
 * size of the file before anything is allocated. */
static int
read_entry(int fd, uint64_t file_bytes, const void *key, size_t key_bytes, GnpBytes *out)
{
    Header header;
    if (read_all(fd, &header, sizeof header) != 0 || memcmp(header.magic, MAGIC, 8) != 0 ||
        header.key_bytes != key_bytes || header.payload_bytes > file_bytes ||
        header.payload_bytes == 0 ||
        sizeof header + header.key_bytes + header.payload_bytes != file_bytes) {
        return -1;
    }
    char *data = malloc(key_bytes + header.payload_bytes);
    if (data == NULL) {
        return -1;
    }
    if (read_all(fd, data, key_bytes + header.payload_bytes) != 0 ||
        memcmp(data, key, key_bytes) != 0 ||
        checksum(key, key_bytes, data + key_bytes, header.payload_bytes) != header.checksum) {
        free(data);
        return -1;
    }
    /* The buffer keeps its allocated size, a few KiB more than the image needs for the short time
     * until it is loaded. */
    memmove(data, data + key_bytes, header.payload_bytes);
    out->data = data;
    out->bytes = header.payload_bytes;
    return 0;
}

/* Every failure is a miss: the kernel is compiled and the entry written again. */
int
gnp_cache_load(const void *key, size_t key_bytes, GnpBytes *out)
{
    char name[48];
    struct stat st;
    int dir = directory();
    if (dir < 0) {
        return -1;
    }
    entry_name(key, key_bytes, name);
    int fd = open_entry(dir, name, &st);
    if (fd < 0) {
        return -1;
    }
    int status = read_entry(fd, (uint64_t)st.st_size, key, key_bytes, out);
    if (status == 0 && time(NULL) - st.st_mtime > TOUCH_AFTER) {
        (void)futimens(fd, NULL); /* eviction takes the least recently used entries */
    }
    close(fd);
    return status;
}

/* ---- size ------------------------------------------------------------------------------------ */

typedef struct {
    char name[48];
    int64_t bytes;
    time_t used;
} Found;

/* For qsort, least recently used first. The subtraction of times could overflow an int. */
static int
older_first(const void *a, const void *b)
{
    time_t x = ((const Found *)a)->used, y = ((const Found *)b)->used;
    return (x > y) - (x < y);
}

/* All entries of the directory, in a malloc'ed array; abandoned temporary files are removed. Opened
 * anew by ".", because a directory stream has a position of its own and closing it closes its
 * descriptor. The list is a snapshot: entries may vanish while it is used. */
static Found *
list_entries(int dir, size_t *count)
{
    Found *list = NULL;
    size_t n = 0, capacity = 0;
    int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
    if (stream == NULL && fd >= 0) {
        close(fd); /* else the stream's */
    }
    for (struct dirent *d; stream != NULL && (d = readdir(stream)) != NULL;) {
        struct stat st;
        if (d->d_name[0] == '.' && strncmp(d->d_name, ".tmp-", 5) != 0) {
            continue;
        }
        if (fstatat(dir, d->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
            continue;
        }
        if (d->d_name[0] == '.') {
            if (time(NULL) - st.st_mtime > TEMPORARY_LIFE) {
                (void)unlinkat(dir, d->d_name, 0);
            }
            continue;
        }
        if (!is_entry_name(d->d_name)) {
            continue;
        }
        if (n == capacity) {
            capacity = capacity != 0 ? 2 * capacity : 256;
            Found *longer = realloc(list, capacity * sizeof *list);
            if (longer == NULL) {
                break;
            }
            list = longer;
        }
        memcpy(list[n].name, d->d_name, 40);
        list[n].bytes = st.st_size;
        list[n++].used = st.st_mtime;
    }
    if (stream != NULL) {
        closedir(stream);
    }
    *count = n;
    return list;
}

/* Several processes may do this at once: unlinking a file twice fails harmlessly, and a kernel that
 * is evicted while it is read stays readable through the open descriptor. */
static void
evict(int dir)
{
    size_t n = 0;
    int64_t total = 0, limit = gnp_env_int(GNP_ENV_CACHE_LIMIT);
    Found *list = list_entries(dir, &n);
    for (size_t i = 0; i < n; i++) {
        total += list[i].bytes;
    }
    if (total > limit && list != NULL) {
        qsort(list, n, sizeof *list, older_first);
        /* Down to four fifths, so that the next store does not start over. */
        for (size_t i = 0; i < n && total > limit - limit / 5; i++) {
            if (unlinkat(dir, list[i].name, 0) == 0) {
                total -= list[i].bytes;
            }
        }
    }
    free(list);
}

/* The first store of a process looks too, so that programs that compile little still bound the
 * size. */
static int
evict_is_due(void)
{
    pthread_mutex_lock(&lock);
    int due = stores++ % SCAN_EVERY == 0;
    pthread_mutex_unlock(&lock);
    return due;
}

/* ---- writing --------------------------------------------------------------------------------- */

static int
write_entry(int fd, const void *key, size_t key_bytes, const void *payload, size_t bytes)
{
    Header header = {.key_bytes = key_bytes, .payload_bytes = bytes};
    memcpy(header.magic, MAGIC, 8);
    header.checksum = checksum(key, key_bytes, payload, bytes);
    return write_all(fd, &header, sizeof header) == 0 && write_all(fd, key, key_bytes) == 0 &&
                   write_all(fd, payload, bytes) == 0
               ? 0
               : -1;
}

/* The name has process, serial number and clock, so processes in different PID namespaces on one
 * file system do not collide; O_EXCL catches the rest. Without fsync: after a power failure an
 * entry may be empty or cut off, which its checksum shows. */
void
gnp_cache_store(const void *key, size_t key_bytes, const void *payload, size_t bytes)
{
    static unsigned serial;
    char name[48], temporary[96];
    struct timespec now;
    int dir = directory();
    if (dir < 0 || bytes == 0 || sizeof(Header) + key_bytes + bytes > LARGEST_ENTRY) {
        return;
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
    entry_name(key, key_bytes, name);
    snprintf(temporary, sizeof temporary, ".tmp-%ld-%u-%ld", (long)getpid(),
             __atomic_fetch_add(&serial, 1, __ATOMIC_RELAXED), now.tv_nsec);
    int fd = openat(dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) {
        return;
    }
    (void)fchmod(fd, 0600); /* whatever the umask is */
    int status = write_entry(fd, key, key_bytes, payload, bytes);
    status |= close(fd);
    if (status != 0 || renameat(dir, temporary, dir, name) != 0) {
        (void)unlinkat(dir, temporary, 0);
        return;
    }
    if (evict_is_due()) {
        evict(dir);
    }
}

/* ---- information and removal ----------------------------------------------------------------- */

void
gnp_cache_describe(char *dir, size_t capacity, int64_t *entries, int64_t *bytes)
{
    int fd = directory();
    size_t n = 0;
    *bytes = 0;
    snprintf(dir, capacity, "%s", fd >= 0 ? dir_name : "");
    Found *list = fd >= 0 ? list_entries(fd, &n) : NULL;
    for (size_t i = 0; i < n; i++) {
        *bytes += list[i].bytes;
    }
    *entries = (int64_t)n;
    free(list);
}

/* "Empty" includes "no directory": prewarm.c then expects that the compiler will be needed. */
int
gnp_cache_is_empty(void)
{
    int fd = directory();
    size_t n = 0;
    free(fd >= 0 ? list_entries(fd, &n) : NULL);
    return n == 0;
}

int64_t
gnp_cache_clear(void)
{
    int fd = directory();
    size_t n = 0;
    int64_t removed = 0;
    Found *list = fd >= 0 ? list_entries(fd, &n) : NULL;
    for (size_t i = 0; i < n; i++) {
        removed += unlinkat(fd, list[i].name, 0) == 0;
    }
    free(list);
    return fd >= 0 ? removed : -1;
}
