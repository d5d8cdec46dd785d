/* The emulated device's settings, read from the environment once, at the first call. No other file
 * of the emulated device reads the environment.
 *
 * Variables are read on whatever thread makes the first call, under pthread_once; the result never
 * changes afterwards, so all threads read it without a lock. A value that cannot be read counts as
 * not set, and one out of range is clamped: a wrong setting must not keep a program from running.
 * docs/emulator.md describes each variable. */
#include "emu/driver/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static EmuSettings machine;
static EmuDriverSettings driver;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Base 0: decimal, 0x and octal are all accepted. */
static long long
number(const char *name, long long fallback)
{
    const char *text = getenv(name);
    if (text == NULL || *text == '\0') {
        return fallback;
    }
    char *end;
    long long value = strtoll(text, &end, 0);
    return end == text ? fallback : value;
}

/* A count of bytes with an optional k, m, g or t (powers of 1024). */
static size_t
bytes(const char *name, size_t fallback)
{
    const char *text = getenv(name);
    if (text == NULL || *text == '\0') {
        return fallback;
    }
    char *end;
    unsigned long long value = strtoull(text, &end, 0);
    if (end == text) {
        return fallback;
    }
    /* `| 0x20` folds upper case to lower case, for the letters that matter here. */
    const char *units = "kmgt", *unit = *end != '\0' ? strchr(units, *end | 0x20) : NULL;
    return unit != NULL ? (size_t)value << (10 * (unit - units + 1)) : (size_t)value;
}

/* Text that does not fit is cut: the settings have fixed size. */
static void
copy_text(char *to, size_t capacity, const char *name)
{
    const char *text = getenv(name);
    snprintf(to, capacity, "%s", text != NULL ? text : "");
}

/* Any occurrence counts, whatever separates the words. */
static int
has_word(const char *name, const char *word)
{
    const char *text = getenv(name);
    return text != NULL && strstr(text, word) != NULL;
}

/* GPUNP_EMU: words by commas; "mem" is what is checked anyway. */
static unsigned
read_checks(void)
{
    static const struct {
        const char *word;
        unsigned check;
    } rows[] = {{"init", EMU_CHECK_INIT},     {"race", EMU_CHECK_RACE},
                {"stream", EMU_CHECK_STREAM}, {"leaks", EMU_CHECK_LEAKS},
                {"count", EMU_CHECK_COUNT},   {"continue", EMU_CHECK_CONTINUE},
                {"sync", EMU_CHECK_SYNC}};
    unsigned checks = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        checks |= has_word("GPUNP_EMU", rows[i].word) ? rows[i].check : 0;
    }
    return checks;
}

static long long
clamp(long long value, long long lo, long long hi)
{
    return value < lo ? lo : value > hi ? hi : value;
}

/* "sm_80", "80" or "8.0". */
static void
read_arch(void)
{
    /* Compute capability 9.0 by default: what gpunp is tuned for and what the device's attributes
     * describe. */
    const char *text = getenv("GPUNP_EMU_ARCH");
    driver.arch_major = 9;
    driver.arch_minor = 0;
    if (text == NULL) {
        return;
    }
    int major, minor;
    if (sscanf(text, "%d.%d", &major, &minor) == 2) {
        driver.arch_major = major;
        driver.arch_minor = minor;
        return;
    }
    if (strncmp(text, "sm_", 3) == 0) {
        text += 3;
    }
    int arch = atoi(text);
    if (arch >= 30) {
        driver.arch_major = arch / 10;
        driver.arch_minor = arch % 10;
    }
}

static void
read_environment(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    /* Half of the machine's memory and 4 GiB at most, so that tests that fill the device leave the
     * machine usable. */
    size_t half = pages > 0 ? (size_t)pages / 2 * (size_t)page : (size_t)1 << 30;
    size_t four = (size_t)4 << 30;

    driver.devices = (int)clamp(number("GPUNP_EMU_DEVICES", 1), 0, EMU_MAX_DEVICES);
    driver.peers = number("GPUNP_EMU_PEERS", 1) != 0;
    driver.sm_count = (int)clamp(number("GPUNP_EMU_SMS", 4), 1, 1024);
    driver.memory_bytes = bytes("GPUNP_EMU_MEMORY", half < four ? half : four);
    driver.async = (int)clamp(number("GPUNP_EMU_ASYNC", 1), 0, 2);
    /* 1024 pieces is about what a GPU's queue holds before a launch waits. */
    driver.queue = (unsigned)clamp(number("GPUNP_EMU_QUEUE", 1024), 0, INT32_MAX);
    driver.delay_us = (unsigned)clamp(number("GPUNP_EMU_DELAY", 0), 0, 1000000);
    driver.workers = (int)clamp(number("GPUNP_EMU_WORKERS", clamp(cores, 1, 8)), 1, 256);
    driver.watchdog = (uint64_t)number("GPUNP_EMU_WATCHDOG", 0);
    /* A power of two up to a page, since the bounds of an allocation are rounded up to it
     * (memory.c). */
    driver.granule = bytes("GPUNP_EMU_GRANULE", 1);
    if (driver.granule < 1 || driver.granule > 4096 ||
        (driver.granule & (driver.granule - 1)) != 0) {
        driver.granule = 1;
    }
    /* Filling more than 16 MiB would cost more than it finds. */
    driver.poison_bytes = bytes("GPUNP_EMU_POISON", (size_t)16 << 20);
    driver.trace_calls = has_word("GPUNP_EMU_TRACE", "calls");
    driver.log_unsupported = number("GPUNP_EMU_LOG", 0) != 0;
    copy_text(driver.report, sizeof driver.report, "GPUNP_EMU_REPORT");
    copy_text(driver.fail, sizeof driver.fail, "GPUNP_EMU_FAIL");
    copy_text(driver.toolkit, sizeof driver.toolkit, "CUDA_HOME");
    read_arch();

    /* Settings of the machine that runs kernels (exec/), which reads no environment either. */
    machine.optimise = (int)clamp(number("GPUNP_EMU_OPT", 2), 0, 2);
    machine.exact = number("GPUNP_EMU_EXACT", 0) != 0;
    machine.isa = (int)clamp(number("GPUNP_EMU_ISA", 0), 0, 4);
    machine.shuffle = number("GPUNP_EMU_SHUFFLE", 0) != 0;
    machine.seed = (uint64_t)number("GPUNP_EMU_SEED", 1);
    machine.trace = has_word("GPUNP_EMU_TRACE", "ptx");
    machine.checks = read_checks();
}

const EmuSettings *
emu_settings(void)
{
    pthread_once(&once, read_environment);
    return &machine;
}

const EmuDriverSettings *
emu_driver_settings(void)
{
    pthread_once(&once, read_environment);
    return &driver;
}
