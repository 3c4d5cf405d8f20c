#ifndef HALCYON_JPEG_COLOR_H
#define HALCYON_JPEG_COLOR_H

#include <stddef.h>
#include <stdint.h>

// YCbCr of JFIF (ITU-T T.871 clause 7) to red, green, blue, 255, with the rounding of libjpeg.
void color_convert_row(const uint8_t *y, const uint8_t *cb, const uint8_t *cr, uint8_t *out, size_t count);

// Brightness to red, green, blue, 255.
void color_expand_row(const uint8_t *y, uint8_t *out, size_t count);

// Twice as many samples, each 3/4 of the nearer and 1/4 of the further one, as libjpeg does. `count` is at least 3.
void color_smooth_row(const uint8_t *source, uint8_t *out, size_t count);

// Each sample twice.
void color_double_row(const uint8_t *source, uint8_t *out, size_t count);

// Each sample four times, as libjpeg does at every size.
void color_quadruple_row(const uint8_t *source, uint8_t *out, size_t count);

// The means of pairs; `count` is that of the pairs.
void color_halve_row(const uint8_t *source, uint8_t *out, size_t count);

#endif
