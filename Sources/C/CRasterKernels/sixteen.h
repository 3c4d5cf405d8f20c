#ifndef HALCYON_RASTER_SIXTEEN_H
#define HALCYON_RASTER_SIXTEEN_H

#include "SixteenBitKernels.h"
#include "vectors.h"

// A pixel is one vector of four samples, which every processor here holds in half a register. Images of 16 bits are
// rare, so these loops are plain; the compiler widens them where the processor has the room.

typedef uint16_t u16x4 __attribute__((ext_vector_type(4)));
typedef float f32x4 __attribute__((ext_vector_type(4)));
typedef float f32x16 __attribute__((ext_vector_type(16)));

ALWAYS_INLINE u16x4 load(const void *pixels, size_t index) {
    u16x4 pixel;
    memcpy(&pixel, (const uint8_t *)pixels + index * sizeof pixel, sizeof pixel);
    return pixel;
}

ALWAYS_INLINE void store(u16x4 pixel, void *out, size_t index) {
    memcpy((uint8_t *)out + index * sizeof pixel, &pixel, sizeof pixel);
}

// Samples multiplied by factors and divided by 65535, rounded to nearest. Exact, and without overflow: the largest
// product, 65535², leaves 130,559 in 32 bits, more than what is added.
ALWAYS_INLINE u16x4 multiply_by_65535ths(u16x4 samples, u16x4 factors) {
    const u32x4 product = __builtin_convertvector(samples, u32x4) * __builtin_convertvector(factors, u32x4) + 32768;
    return __builtin_convertvector((product + (product >> 16)) >> 16, u16x4);
}

#endif
