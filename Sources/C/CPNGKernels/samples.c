#include "CPNGKernels.h"

#include <string.h>

void halcyon_png_drop_alpha(uint8_t *restrict output, const uint8_t *restrict row, size_t pixel_count) {
    for (size_t x = 0; x < pixel_count; x++) {
        output[3 * x] = row[4 * x];
        output[3 * x + 1] = row[4 * x + 1];
        output[3 * x + 2] = row[4 * x + 2];
    }
}

void halcyon_png_drop_alpha_16(uint8_t *restrict output, const uint8_t *restrict row, size_t pixel_count) {
    for (size_t x = 0; x < pixel_count; x++) {
        for (size_t channel = 0; channel < 3; channel++) {
            uint16_t sample;
            memcpy(&sample, row + 8 * x + 2 * channel, sizeof sample);
            output[6 * x + 2 * channel] = (uint8_t)(sample >> 8);
            output[6 * x + 2 * channel + 1] = (uint8_t)sample;
        }
    }
}

static uint16_t big_endian_sample(const uint8_t *bytes) { return (uint16_t)(bytes[0] << 8 | bytes[1]); }

bool halcyon_png_expand_16(
    uint8_t *restrict output, const uint8_t *restrict row, size_t pixel_count, size_t channel_count,
    const uint16_t *key) {
    const bool has_colors = channel_count >= 3;
    const bool has_alpha = channel_count == 2 || channel_count == 4;
    uint16_t all = 0xFFFF;
    for (size_t x = 0; x < pixel_count; x++, row += 2 * channel_count) {
        uint16_t pixel[4];
        pixel[0] = big_endian_sample(row);
        pixel[1] = has_colors ? big_endian_sample(row + 2) : pixel[0];
        pixel[2] = has_colors ? big_endian_sample(row + 4) : pixel[0];
        pixel[3] = has_alpha ? big_endian_sample(row + 2 * (channel_count - 1)) : 0xFFFF;
        if (key && pixel[0] == key[0] && (!has_colors || (pixel[1] == key[1] && pixel[2] == key[2]))) {
            memset(pixel, 0, sizeof pixel);
        }
        all &= pixel[3];
        memcpy(output + 8 * x, pixel, sizeof pixel);
    }
    return all == 0xFFFF;
}
