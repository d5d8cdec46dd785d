/* Hashes for tables and file names; not for security: callers compare the whole key. */
#include "base/base.h"

#include <string.h>

/* Mixes 64 bits so that each input bit moves half of the output bits (the finaliser of
 * SplitMix64, Steele, Lea and Flood, OOPSLA 2014). */
static uint64_t
mix(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

uint64_t
gnp_hash64(const void *data, size_t bytes, uint64_t seed)
{
    const unsigned char *p = data;
    uint64_t h = mix(seed ^ (0x9e3779b97f4a7c15u + bytes));
    for (; bytes >= 8; bytes -= 8, p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        h = (h ^ mix(word)) * 0x9fb21c651e98df25u;
        h ^= h >> 32;
    }
    uint64_t tail = 0;
    if (bytes != 0) {
        memcpy(&tail, p, bytes);
    }
    return mix(h ^ mix(tail + bytes));
}
