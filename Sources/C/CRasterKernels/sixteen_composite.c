#include "sixteen.h"

HALCYON_CLONES
void halcyon_source_over_16(const void *source, void *out, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const u16x4 above = load(source, i);
        const u16x4 rest = multiply_by_65535ths(load(out, i), ~above.wwww);
        // Saturating, in case a caller's pixels have colours above their alpha.
        store(__builtin_elementwise_add_sat(above, rest), out, i);
    }
}

void halcyon_fill_pixels_16(void *out, const void *pixel, size_t count) {
    const u16x4 value = load(pixel, 0);
    for (size_t i = 0; i < count; i++) {
        store(value, out, i);
    }
}
