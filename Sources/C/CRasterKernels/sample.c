#include "sample.h"

HALCYON_CLONES
void halcyon_sample_bilinear(
    const HalcyonSampledImage *image, const HalcyonSamplePath *path, const float *coverage, const float *background,
    uint8_t *out, size_t count) {
    SAMPLE_PATH(bilinear(image, x, y, 4, load_8), 255.f, store_8, 4)
}

HALCYON_CLONES
void halcyon_sample_bilinear_16(
    const HalcyonSampledImage *image, const HalcyonSamplePath *path, const float *coverage, const float *background,
    void *out, size_t count) {
    SAMPLE_PATH(bilinear(image, x, y, 8, load_16), 65535.f, store_16, 8)
}

HALCYON_CLONES
void halcyon_sample_bicubic(
    const HalcyonSampledImage *image, const HalcyonSamplePath *path, const float *coverage, const float *background,
    uint8_t *out, size_t count) {
    SAMPLE_PATH(bicubic(image, x, y, 4, load_8, 255.f), 255.f, store_8, 4)
}

HALCYON_CLONES
void halcyon_sample_bicubic_16(
    const HalcyonSampledImage *image, const HalcyonSamplePath *path, const float *coverage, const float *background,
    void *out, size_t count) {
    SAMPLE_PATH(bicubic(image, x, y, 8, load_16, 65535.f), 65535.f, store_16, 8)
}
