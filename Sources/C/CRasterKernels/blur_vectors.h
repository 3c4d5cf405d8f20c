#ifndef HALCYON_RASTER_BLUR_VECTORS_H
#define HALCYON_RASTER_BLUR_VECTORS_H

#include "vectors.h"

// Four registers of the older processors and two of the newer: enough to share what a loop over weights loads.
typedef uint16_t u16x32 __attribute__((ext_vector_type(32)));
typedef uint32_t u32x32 __attribute__((ext_vector_type(32)));

// Macros, because functions that take such vectors have no calling convention that all processors share.

#define LOAD(type, pointer)                      \
    __extension__({                              \
        type loaded;                             \
        memcpy(&loaded, pointer, sizeof loaded); \
        loaded;                                  \
    })
#define LOAD_BYTES(pointer) __builtin_convertvector(LOAD(u8x32, pointer), u16x32)
#define LOAD_WORDS(pointer) LOAD(u16x32, pointer)
#define WIDENED(words) __builtin_convertvector(words, u32x32)

// The upper half of each product, for which there is an instruction.
#define UPPER_PRODUCT(words, factor) \
    __builtin_convertvector((WIDENED(words) * WIDENED((u16x32)(uint16_t)(factor))) >> 16, u16x32)
// Rounded up, as the instruction does.
#define MEAN(a, b) __builtin_convertvector((WIDENED(a) + WIDENED(b) + 1) >> 1, u16x32)

#endif
