#ifndef HALCYON_RASTER_PLANAR_H
#define HALCYON_RASTER_PLANAR_H

#include "ProcessorClones.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Loops that compute in single precision, written for one pixel: the compiler widens them to as many pixels as a
// register of the processor holds. Samples stay in units of 1/255 or 1/65535, so that their differences are exact.

typedef struct {
    float red, green, blue, alpha;
} pixel;

// Before a loop whose turns touch one pixel each, which may be written where it was read.
#define PIXELS_ARE_INDEPENDENT _Pragma("clang loop vectorize(assume_safety) interleave(disable)")

ALWAYS_INLINE float lesser(float a, float b) { return a < b ? a : b; }
ALWAYS_INLINE float greater(float a, float b) { return a > b ? a : b; }

// A value limited to 0...limit; not a number counts as 0.
ALWAYS_INLINE float limited(float value, float limit) { return lesser(greater(value, 0.0f), limit); }

ALWAYS_INLINE float largest_sample(bool is_wide) { return is_wide ? 65535.0f : 255.0f; }

ALWAYS_INLINE pixel load_pixel(const void *pixels, size_t index, bool is_wide) {
    if (is_wide) {
        // Two words of 32 bits: with one of 64, half as many pixels are computed at a time.
        uint32_t low, high;
        memcpy(&low, (const uint8_t *)pixels + index * 8, sizeof low);
        memcpy(&high, (const uint8_t *)pixels + index * 8 + 4, sizeof high);
        return (pixel){
            (float)(int32_t)(low & 0xFFFF), (float)(int32_t)(low >> 16), (float)(int32_t)(high & 0xFFFF),
            (float)(int32_t)(high >> 16)};
    }
    uint32_t word;
    memcpy(&word, (const uint8_t *)pixels + index * sizeof word, sizeof word);
    return (pixel){
        (float)(int32_t)(word & 0xFF), (float)(int32_t)(word >> 8 & 0xFF), (float)(int32_t)(word >> 16 & 0xFF),
        (float)(int32_t)(word >> 24)};
}

ALWAYS_INLINE uint32_t rounded_sample(float sample) { return (uint32_t)(int32_t)(sample + 0.5f); }

// Alpha limited to what a sample holds, colours to alpha, all rounded to nearest.
ALWAYS_INLINE void store_pixel(pixel value, void *out, size_t index, bool is_wide) {
    const float alpha = limited(value.alpha, largest_sample(is_wide));
    const uint32_t r = rounded_sample(limited(value.red, alpha)), g = rounded_sample(limited(value.green, alpha));
    const uint32_t b = rounded_sample(limited(value.blue, alpha)), a = rounded_sample(alpha);
    if (is_wide) {
        const uint32_t low = r | g << 16, high = b | a << 16;
        memcpy((uint8_t *)out + index * 8, &low, sizeof low);
        memcpy((uint8_t *)out + index * 8 + 4, &high, sizeof high);
    } else {
        const uint32_t word = r | g << 8 | b << 16 | a << 24;
        memcpy((uint8_t *)out + index * sizeof word, &word, sizeof word);
    }
}

#endif
