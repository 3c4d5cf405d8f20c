#include "CRasterKernels.h"
#include "clones.h"

static const size_t step = 4;

HALCYON_CLONES
void halcyon_source_over(const uint8_t *source, uint8_t *out, size_t count) {
    for (size_t i = 0; i < count; i += step) {
        const size_t byte_count = (count - i < step ? count - i : step) * 4;
        u8x16 above = 0, below = 0;
        memcpy(&above, source + i * 4, byte_count);
        memcpy(&below, out + i * 4, byte_count);
        const u8x16 rest = MULTIPLY_BY_255THS(below, ~ALPHAS(above));
        // Saturating, in case a caller's pixels have colours above their alpha.
        const u8x16 sum = __builtin_elementwise_add_sat(above, rest);
        memcpy(out + i * 4, &sum, byte_count);
    }
}

HALCYON_CLONES
void halcyon_multiply_by_coverage(uint8_t *pixels, const uint8_t *coverage, size_t count) {
    for (size_t i = 0; i < count; i += step) {
        const size_t taken = count - i < step ? count - i : step;
        u8x16 samples = 0;
        u8x4 factors = 0;
        memcpy(&samples, pixels + i * 4, taken * 4);
        memcpy(&factors, coverage + i, taken);
        const u8x16 spread =
            __builtin_shufflevector(factors, factors, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
        const u8x16 product = MULTIPLY_BY_255THS(samples, spread);
        memcpy(pixels + i * 4, &product, taken * 4);
    }
}

HALCYON_CLONES
void halcyon_fill_pixels(uint8_t *out, const uint8_t *pixel, size_t count) {
    uint32_t word;
    memcpy(&word, pixel, sizeof word);
    const u32x16 vector = word;
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        memcpy(out + i * 4, &vector, sizeof vector);
    }
    memcpy(out + i * 4, &vector, (count - i) * 4);
}
