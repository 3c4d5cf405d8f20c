#include "sixteen.h"

void halcyon_reverse_pixels_16(const void *source, void *out, size_t count) {
    for (size_t i = 0; i < count; i++) {
        store(load(source, count - 1 - i), out, i);
    }
}

void halcyon_transpose_pixels_16(
    const void *source, ptrdiff_t source_bytes_per_row, void *out, ptrdiff_t out_bytes_per_row, size_t width,
    size_t height) {
    // Blocks of 8 × 8 pixels, whose rows and columns are whole cache lines of 64 bytes.
    const size_t side = 8;
    for (size_t top = 0; top < height; top += side) {
        const size_t bottom = top + side < height ? top + side : height;
        for (size_t left = 0; left < width; left += side) {
            const size_t right = left + side < width ? left + side : width;
            for (size_t y = top; y < bottom; y++) {
                const uint8_t *from = (const uint8_t *)source + (ptrdiff_t)y * source_bytes_per_row;
                for (size_t x = left; x < right; x++) {
                    store(load(from, x), (uint8_t *)out + (ptrdiff_t)x * out_bytes_per_row, y);
                }
            }
        }
    }
}
