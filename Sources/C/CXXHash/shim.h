// XXH3 under names of its own, because on x86-64 the library offers variants that choose SSE2, AVX2 or AVX-512 at run
// time, and selects them with macros, which Swift does not import.
#ifndef HALCYON_CXXHASH_SHIM_H
#define HALCYON_CXXHASH_SHIM_H

#include <xxhash.h>

#if defined(__x86_64__) && defined(__has_include)
#if __has_include(<xxh_x86dispatch.h>)
#include <xxh_x86dispatch.h>
#endif
#endif

static inline uint64_t halcyon_xxh3(const void *bytes, size_t count, uint64_t seed) {
    return XXH3_64bits_withSeed(bytes, count, seed);
}

static inline int halcyon_xxh3_update(XXH3_state_t *state, const void *bytes, size_t count) {
    return XXH3_64bits_update(state, bytes, count) == XXH_OK;
}

#endif
