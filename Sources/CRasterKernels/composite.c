#include "CRasterKernels.h"
#include "vectors.h"

static const size_t step = 4;

ALWAYS_INLINE void source_over_step(const uint8_t *source, uint8_t *out, size_t byte_count) {
    u8x16 above = 0, below = 0;
    memcpy(&above, source, byte_count);
    memcpy(&below, out, byte_count);
    const u8x16 rest = MULTIPLY_BY_255THS(below, ~ALPHAS(above));
    // Saturating, in case a caller's pixels have colours above their alpha.
    const u8x16 sum = __builtin_elementwise_add_sat(above, rest);
    memcpy(out, &sum, byte_count);
}

HALCYON_CLONES
void halcyon_source_over(const uint8_t *source, uint8_t *out, size_t count) {
    size_t i = 0;
    for (; i + step <= count; i += step) {
        source_over_step(source + i * 4, out + i * 4, sizeof(u8x16));
    }
    source_over_step(source + i * 4, out + i * 4, (count - i) * 4);
}

ALWAYS_INLINE void multiply_by_coverage_step(uint8_t *pixels, const uint8_t *coverage, size_t count) {
    u8x16 samples = 0;
    u8x4 factors = 0;
    memcpy(&samples, pixels, count * 4);
    memcpy(&factors, coverage, count);
    const u8x16 spread = __builtin_shufflevector(factors, factors, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    const u8x16 product = MULTIPLY_BY_255THS(samples, spread);
    memcpy(pixels, &product, count * 4);
}

HALCYON_CLONES
void halcyon_multiply_by_coverage(uint8_t *pixels, const uint8_t *coverage, size_t count) {
    size_t i = 0;
    for (; i + step <= count; i += step) {
        multiply_by_coverage_step(pixels + i * 4, coverage + i, step);
    }
    multiply_by_coverage_step(pixels + i * 4, coverage + i, count - i);
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
