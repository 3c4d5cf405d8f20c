#ifndef HALCYON_PNG_FILTERS_H
#define HALCYON_PNG_FILTERS_H

#include "CPNGKernels.h"

#include <ProcessorClones.h>
#include <string.h>

typedef uint8_t u8x8 __attribute__((ext_vector_type(8)));
typedef uint8_t u8x16 __attribute__((ext_vector_type(16)));
typedef uint16_t u16x16 __attribute__((ext_vector_type(16)));
typedef int16_t i16x8 __attribute__((ext_vector_type(8)));
typedef uint32_t u32x2 __attribute__((ext_vector_type(2)));
typedef uint32_t u32x4 __attribute__((ext_vector_type(4)));

ALWAYS_INLINE uint32_t load_u32(const uint8_t *bytes) {
    uint32_t value;
    memcpy(&value, bytes, 4);
    return value;
}

ALWAYS_INLINE void store_pixel(uint8_t *bytes, uint32_t value, size_t bytes_per_pixel) {
    if (bytes_per_pixel == 4) {
        memcpy(bytes, &value, 4);
    } else {
        memcpy(bytes, &value, 2);
        bytes[2] = (uint8_t)(value >> 16);
    }
}

// The predictor of filter type 4 (PNG, 9.4).
ALWAYS_INLINE uint8_t paeth_byte(int left, int up, int corner) {
    int by_left = up - corner, by_up = left - corner, by_corner = by_left + by_up;
    by_left = by_left < 0 ? -by_left : by_left;
    by_up = by_up < 0 ? -by_up : by_up;
    by_corner = by_corner < 0 ? -by_corner : by_corner;
    if (by_left <= by_up && by_left <= by_corner) {
        return (uint8_t)left;
    }
    return (uint8_t)(by_up <= by_corner ? up : corner);
}

#endif
