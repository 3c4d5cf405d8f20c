#include "colors.h"

#include <math.h>
#include <string.h>

void halcyon_reference_copy(const void *source, void *out, size_t byte_count) {
    memcpy(out, source, byte_count);
}

static uint8_t sample(float value) {
    return (uint8_t)(fminf(fmaxf(value, 0), 1) * 255 + 0.5f);
}

void halcyon_reference_flatten(const uint8_t *source, uint8_t *out, size_t count) {
    for (size_t i = 0; i < count; i++, source += 4, out += 4) {
        // The colours are multiplied by alpha already, and black adds nothing.
        memcpy(out, source, 3);
        out[3] = 255;
    }
}

void halcyon_reference_matrix(const uint8_t *source, uint8_t *out, size_t count, const float *matrix) {
    for (size_t i = 0; i < count; i++, source += 4, out += 4) {
        const float alpha = source[3] / 255.0f;
        float color[3];
        for (int k = 0; k < 3; k++) {
            color[k] = alpha > 0 ? source[k] / 255.0f / alpha : 0;
        }
        for (int k = 0; k < 3; k++) {
            const float *row = matrix + k * 3;
            const float sum = row[0] * color[0] + row[1] * color[1] + row[2] * color[2];
            out[k] = sample(fminf(fmaxf(sum, 0), 1) * alpha);
        }
        out[3] = source[3];
    }
}

void halcyon_reference_exposure(const uint8_t *source, uint8_t *out, size_t count, float factor) {
    for (size_t i = 0; i < count; i++, source += 4, out += 4) {
        const float alpha = source[3] / 255.0f;
        for (int k = 0; k < 3; k++) {
            const float color = alpha > 0 ? source[k] / 255.0f / alpha : 0;
            const float light = color <= 0.04045f ? color / 12.92f : powf((color + 0.055f) / 1.055f, 2.4f);
            const float brighter = fminf(light * factor, 1);
            const float encoded =
                brighter <= 0.0031308f ? brighter * 12.92f : 1.055f * powf(brighter, 1 / 2.4f) - 0.055f;
            out[k] = sample(encoded * alpha);
        }
        out[3] = source[3];
    }
}

void halcyon_reference_multiply(const uint8_t *source, const uint8_t *backdrop, uint8_t *out, size_t count) {
    for (size_t i = 0; i < count; i++, source += 4, backdrop += 4, out += 4) {
        const float above = source[3] / 255.0f, below = backdrop[3] / 255.0f;
        for (int k = 0; k < 3; k++) {
            const float s = source[k] / 255.0f, b = backdrop[k] / 255.0f;
            out[k] = sample(s * (1 - below) + b * (1 - above) + s * b);
        }
        out[3] = sample(above + below - above * below);
    }
}
