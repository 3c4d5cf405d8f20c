#ifndef HALCYON_REFERENCE_RESIZE_H
#define HALCYON_REFERENCE_RESIZE_H

#include <stdint.h>

// Lanczos with three lobes over rows of RGBA without padding, in two passes of single-precision sums, rounded once:
// the textbook's way, as the compiler makes it. Returns 0, or -1 when memory runs out.
int halcyon_reference_resize(
    const uint8_t *source, int width, int height, uint8_t *result, int result_width, int result_height);

#endif
