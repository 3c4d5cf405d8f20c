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
