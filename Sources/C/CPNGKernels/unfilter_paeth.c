#include "filters.h"

ALWAYS_INLINE i16x8 paeth_lanes(i16x8 left, i16x8 up, i16x8 corner) {
    i16x8 by_left = up - corner, by_up = left - corner, by_corner = by_left + by_up;
    by_left = __builtin_elementwise_max(by_left, -by_left);
    by_up = __builtin_elementwise_max(by_up, -by_up);
    by_corner = __builtin_elementwise_max(by_corner, -by_corner);
    i16x8 least = __builtin_elementwise_min(by_corner, __builtin_elementwise_min(by_left, by_up));
    i16x8 takes_left = by_left == least, takes_up = by_up == least;
    return (takes_left & left) | (~takes_left & ((takes_up & up) | (~takes_up & corner)));
}

/// Widens a pixel of each of two rows into the low and the high half.
ALWAYS_INLINE i16x8 load_pair(const uint8_t *low, const uint8_t *high) {
    u32x4 words = {load_u32(low), load_u32(high), 0, 0};
    u8x16 bytes = (u8x16)words;
    return __builtin_convertvector(__builtin_shufflevector(bytes, bytes, 0, 1, 2, 3, 4, 5, 6, 7), i16x8);
}

ALWAYS_INLINE i16x8 load_low(const uint8_t *low) {
    u32x4 words = {load_u32(low), 0, 0, 0};
    u8x16 bytes = (u8x16)words;
    return __builtin_convertvector(__builtin_shufflevector(bytes, bytes, 0, 1, 2, 3, 4, 5, 6, 7), i16x8);
}

/// The low half of one value below the low half of another.
ALWAYS_INLINE i16x8 join_low(i16x8 low, i16x8 high) {
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 8, 9, 10, 11);
}

ALWAYS_INLINE u32x2 narrow(i16x8 lanes) {
    return (u32x2)__builtin_convertvector(lanes, u8x8);
}

ALWAYS_INLINE void paeth_pixels(uint8_t *row, const uint8_t *previous, size_t byte_count, size_t bytes_per_pixel) {
    i16x8 left = 0, corner = 0;
    for (size_t i = 0; i < byte_count; i += bytes_per_pixel) {
        i16x8 up = load_low(previous + i);
        left = (load_low(row + i) + paeth_lanes(left, up, corner)) & 0xFF;
        corner = up;
        store_pixel(row + i, narrow(left)[0], bytes_per_pixel);
    }
}

void halcyon_png_unfilter_paeth(
    uint8_t *row, const uint8_t *previous, size_t byte_count, size_t bytes_per_pixel) {
    if (bytes_per_pixel == 4) {
        paeth_pixels(row, previous, byte_count, 4);
    } else if (bytes_per_pixel == 3) {
        paeth_pixels(row, previous, byte_count, 3);
    } else {
        for (size_t i = 0; i < byte_count; i++) {
            int left = i < bytes_per_pixel ? 0 : row[i - bytes_per_pixel];
            int corner = i < bytes_per_pixel ? 0 : previous[i - bytes_per_pixel];
            row[i] = (uint8_t)(row[i] + paeth_byte(left, previous[i], corner));
        }
    }
}

// A pixel of Paeth has to wait for the one to its left, so its speed is bound by latency, not by work. The second row
// runs one pixel behind the first, in the other half of the same registers: twice the pixels in the same time.
ALWAYS_INLINE void paeth_pair_pixels(
    uint8_t *row, uint8_t *next, const uint8_t *previous, size_t pixel_count, size_t bytes_per_pixel) {
    const i16x8 zero = 0;
    i16x8 corner = join_low(load_low(previous), zero);
    i16x8 left = (load_low(row) + paeth_lanes(zero, corner, zero)) & 0xFF;
    left = join_low(left, zero);
    store_pixel(row, narrow(left)[0], bytes_per_pixel);
    for (size_t x = 1; x < pixel_count; x++) {
        uint8_t *here = row + x * bytes_per_pixel;
        uint8_t *below = next + (x - 1) * bytes_per_pixel;
        // Above the upper pixel is the previous row; above the lower one is what the upper row got one step ago.
        i16x8 up = join_low(load_low(previous + x * bytes_per_pixel), left);
        left = (load_pair(here, below) + paeth_lanes(left, up, corner)) & 0xFF;
        corner = up;
        u32x2 words = narrow(left);
        store_pixel(here, words[0], bytes_per_pixel);
        store_pixel(below, words[1], bytes_per_pixel);
    }
    uint8_t *last = next + (pixel_count - 1) * bytes_per_pixel;
    i16x8 up = join_low(zero, left);
    left = (load_pair(last, last) + paeth_lanes(left, up, corner)) & 0xFF;
    store_pixel(last, narrow(left)[1], bytes_per_pixel);
}

void halcyon_png_unfilter_paeth_pair(
    uint8_t *row, uint8_t *next, const uint8_t *previous, size_t pixel_count, size_t bytes_per_pixel) {
    if (bytes_per_pixel == 4) {
        paeth_pair_pixels(row, next, previous, pixel_count, 4);
    } else {
        paeth_pair_pixels(row, next, previous, pixel_count, 3);
    }
}
