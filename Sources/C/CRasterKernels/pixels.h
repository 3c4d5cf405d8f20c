#ifndef HALCYON_RASTER_PIXELS_H
#define HALCYON_RASTER_PIXELS_H

#include "sixteen.h"

// A pixel as one vector of four floats, from samples of either depth.

ALWAYS_INLINE f32x4 floats(const float *values) {
    f32x4 result;
    memcpy(&result, values, sizeof result);
    return result;
}

ALWAYS_INLINE f32x4 load_8(const uint8_t *pixel) {
    u8x4 samples;
    memcpy(&samples, pixel, sizeof samples);
    return __builtin_convertvector(samples, f32x4);
}

ALWAYS_INLINE f32x4 load_16(const uint8_t *pixel) {
    return __builtin_convertvector(load(pixel, 0), f32x4);
}

// Rounded to nearest. Rounding may leave a sample a hair above the range, and none is below it.
ALWAYS_INLINE void store_8(f32x4 pixel, uint8_t *out) {
    const i32x4 whole = __builtin_convertvector(pixel + 0.5f, i32x4);
    const u8x4 samples = __builtin_convertvector(__builtin_elementwise_min(whole, (i32x4)255), u8x4);
    memcpy(out, &samples, sizeof samples);
}

ALWAYS_INLINE void store_16(f32x4 pixel, uint8_t *out) {
    const i32x4 whole = __builtin_convertvector(pixel + 0.5f, i32x4);
    store(__builtin_convertvector(__builtin_elementwise_min(whole, (i32x4)65535), u16x4), out, 0);
}

#endif
