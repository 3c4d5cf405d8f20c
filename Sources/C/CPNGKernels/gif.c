#include "CPNGKernels.h"

#include <string.h>

void halcyon_gif_expand(
    uint8_t *restrict output, const uint8_t *restrict indices, const uint32_t *restrict table, size_t pixel_count) {
    size_t x = 0;
    // Eight indices at a time: one load instead of eight.
    for (; x + 8 <= pixel_count; x += 8) {
        uint64_t eight;
        memcpy(&eight, indices + x, 8);
        uint32_t pixels[8];
        for (int i = 0; i < 8; i++) {
            pixels[i] = table[eight & 0xFF];
            eight >>= 8;
        }
        memcpy(output + 4 * x, pixels, 32);
    }
    for (; x < pixel_count; x++) {
        memcpy(output + 4 * x, table + indices[x], 4);
    }
}

void halcyon_gif_draw(
    uint8_t *restrict output, const uint8_t *restrict indices, const uint32_t *restrict table, size_t pixel_count) {
    for (size_t x = 0; x < pixel_count; x++) {
        // Without a branch, because where a dithered image is transparent cannot be predicted.
        uint32_t below, above = table[indices[x]];
        memcpy(&below, output + 4 * x, 4);
        above |= above == 0 ? below : 0;
        memcpy(output + 4 * x, &above, 4);
    }
}
