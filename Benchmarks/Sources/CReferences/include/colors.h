#ifndef HALCYON_REFERENCE_COLORS_H
#define HALCYON_REFERENCE_COLORS_H

#include <stddef.h>
#include <stdint.h>

// One pass over memory: so many bytes, read and written.
void halcyon_reference_copy(const void *source, void *out, size_t byte_count);

// Changes of premultiplied RGBA of 8 bits as a textbook writes them, with straight colours in single precision, a pixel at
// a time: as the compiler makes it.

// An image over black.
void halcyon_reference_flatten(const uint8_t *source, uint8_t *out, size_t count);
// Straight colours times a matrix of 3 × 3, given by rows.
void halcyon_reference_matrix(const uint8_t *source, uint8_t *out, size_t count, const float *matrix);
// Straight colours times a factor in linear light, through powf.
void halcyon_reference_exposure(const uint8_t *source, uint8_t *out, size_t count, float factor);
// Multiply of Compositing and Blending Level 1.
void halcyon_reference_multiply(const uint8_t *source, const uint8_t *backdrop, uint8_t *out, size_t count);

// The same with libvips, loaded when it is first needed, on one thread. Each but the first returns 0, or -1 for what
// libvips refuses. The first returns NULL, or what went wrong.
const char *halcyon_vips_colors_load(const char *path);
int halcyon_vips_flatten(const void *pixels, int width, int height);
// Four bands times a matrix of 4 × 4, given by rows.
int halcyon_vips_recomb(const void *pixels, int width, int height, const double *matrix);
// Premultiplied pixels over others by a mode of VipsBlendMode.
int halcyon_vips_composite(const void *source, const void *backdrop, int width, int height, int mode);

#endif
