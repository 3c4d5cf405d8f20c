#include "CRasterKernels.h"
#include "vectors.h"

void halcyon_reverse_pixels(const uint8_t *source, uint8_t *out, size_t count) {
    const uint8_t *end = source + count * 4;
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        u32x4 pixels;
        memcpy(&pixels, end - (i + 4) * 4, sizeof pixels);
        pixels = __builtin_shufflevector(pixels, pixels, 3, 2, 1, 0);
        memcpy(out + i * 4, &pixels, sizeof pixels);
    }
    for (; i < count; i++) {
        memcpy(out + i * 4, end - (i + 1) * 4, 4);
    }
}

static void transpose_4x4(
    const uint8_t *source, ptrdiff_t source_bytes_per_row, uint8_t *out, ptrdiff_t out_bytes_per_row) {
    u32x4 a, b, c, d;
    memcpy(&a, source, 16);
    memcpy(&b, source + source_bytes_per_row, 16);
    memcpy(&c, source + 2 * source_bytes_per_row, 16);
    memcpy(&d, source + 3 * source_bytes_per_row, 16);
    const u32x4 ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const u32x4 cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5), cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    a = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
    b = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
    c = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
    d = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
    memcpy(out, &a, 16);
    memcpy(out + out_bytes_per_row, &b, 16);
    memcpy(out + 2 * out_bytes_per_row, &c, 16);
    memcpy(out + 3 * out_bytes_per_row, &d, 16);
}

static size_t lesser(size_t a, size_t b) { return a < b ? a : b; }

void halcyon_transpose_pixels(
    const uint8_t *source, ptrdiff_t source_bytes_per_row, uint8_t *out, ptrdiff_t out_bytes_per_row, size_t width,
    size_t height) {
    // Blocks of 16 × 16 pixels: their rows and their columns are whole cache lines of 64 bytes, so every line that is
    // fetched is used up while it is in the cache.
    const size_t side = 16;
    for (size_t top = 0; top < height; top += side) {
        const size_t bottom = lesser(top + side, height);
        for (size_t left = 0; left < width; left += side) {
            const size_t right = lesser(left + side, width);
            for (size_t y = top; y < bottom; y += 4) {
                for (size_t x = left; x < right; x += 4) {
                    const uint8_t *from = source + (ptrdiff_t)y * source_bytes_per_row + x * 4;
                    uint8_t *to = out + (ptrdiff_t)x * out_bytes_per_row + y * 4;
                    if (y + 4 <= bottom && x + 4 <= right) {
                        transpose_4x4(from, source_bytes_per_row, to, out_bytes_per_row);
                        continue;
                    }
                    for (size_t v = 0; y + v < lesser(y + 4, bottom); v++) {
                        for (size_t u = 0; x + u < lesser(x + 4, right); u++) {
                            memcpy(
                                to + (ptrdiff_t)u * out_bytes_per_row + v * 4,
                                from + (ptrdiff_t)v * source_bytes_per_row + u * 4, 4);
                        }
                    }
                }
            }
        }
    }
}
