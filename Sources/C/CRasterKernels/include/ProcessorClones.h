// HALCYON_CLONES before a function compiles it for two generations of x86-64, of which the loader picks one by the
// processor (GNU indirect functions, so glibc only: musl has none). arm64 needs no choice: NEON is in its baseline.
//
// Not under sanitizers: the loader runs the choosing code before their run time is set up.

#ifndef HALCYON_PROCESSOR_CLONES_H
#define HALCYON_PROCESSOR_CLONES_H

// glibc's headers say that they are glibc's.
#include <stdlib.h>

#if defined(__x86_64__) && defined(__GLIBC__) && !__has_feature(address_sanitizer) && \
    !__has_feature(thread_sanitizer) && !__has_feature(memory_sanitizer)
#define HALCYON_CLONES __attribute__((target_clones("default", "arch=x86-64-v3")))
#else
#define HALCYON_CLONES
#endif

#define ALWAYS_INLINE static inline __attribute__((always_inline))

#endif
