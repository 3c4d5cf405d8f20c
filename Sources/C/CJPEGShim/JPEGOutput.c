#include "JPEGOutput.h"

#include <stddef.h>
#include <stdint.h>

bool jpeg_has_every_coefficient(const struct jpeg_decompress_struct *info) {
    if (info->coef_bits == NULL) {
        return false;
    }
    for (int component = 0; component < info->num_components; component++) {
        for (int index = 0; index < DCTSIZE2; index++) {
            if (info->coef_bits[component][index] != 0) {
                return false;
            }
        }
    }
    return true;
}

// CMYK is stored inverted, as shares of light and not of ink: Adobe's programs began it, and every writer and every
// browser follows them. Their marker does not tell, because programs that remove metadata remove it too.
static void invert(uint8_t *pixels, JDIMENSION width) {
    for (size_t index = 0; index < (size_t)width * 4; index++) {
        pixels[index] ^= 255;
    }
}

// Shares of ink to red, green, blue, 255.
static void convert_inks(uint8_t *pixels, JDIMENSION width) {
    for (JDIMENSION x = 0; x < width; x++, pixels += 4) {
        const unsigned int light = pixels[3] ^ 255u;
        for (int channel = 0; channel < 3; channel++) {
            pixels[channel] = (uint8_t)(((pixels[channel] ^ 255u) * light + 127) / 255);
        }
        pixels[3] = 255;
    }
}

void jpeg_convert_inks(const struct jpeg_decompress_struct *info, JSAMPARRAY rows, JDIMENSION count, bool keeps_inks) {
    if (info->out_color_space != JCS_CMYK) {
        return;
    }
    for (JDIMENSION index = 0; index < count; index++) {
        invert(rows[index], info->output_width);
        if (!keeps_inks) {
            convert_inks(rows[index], info->output_width);
        }
    }
}
