#include "GeometryKernels.h"
#include "pixels.h"

HALCYON_CLONES
void halcyon_frame_pixels(
    uint8_t *pixels, const float *image, const float *line, const float *border, const float *background,
    size_t count) {
    const f32x4 ink = floats(border), behind = floats(background);
    for (size_t i = 0; i < count; i++) {
        const f32x4 above = load_8(pixels + i * 4) * image[i] + ink * line[i];
        store_8(above + behind * (1 - above.w * (1 / 255.f)), pixels + i * 4);
    }
}

HALCYON_CLONES
void halcyon_frame_pixels_16(
    void *pixels, const float *image, const float *line, const float *border, const float *background, size_t count) {
    const f32x4 ink = floats(border), behind = floats(background);
    uint8_t *samples = pixels;
    for (size_t i = 0; i < count; i++) {
        const f32x4 above = load_16(samples + i * 8) * image[i] + ink * line[i];
        store_16(above + behind * (1 - above.w * (1 / 65535.f)), samples + i * 8);
    }
}
