#ifndef HALCYON_REFERENCE_VIPS_H
#define HALCYON_REFERENCE_VIPS_H

#include <stddef.h>
#include <stdint.h>

// libvips through its C API, loaded when the program runs: several versions can be measured, each in a process of its own,
// and none has to be there when this is built. Everything but loading returns 0, or -1 for what libvips refuses.

// Loads a library and starts it with a number of threads for one image, without its cache of operations. Returns NULL, or
// what went wrong.
const char *halcyon_vips_load(const char *path, int concurrency);

// Such as "8.14.1".
const char *halcyon_vips_version(void);

// An image that fits into width × height, as bytes in memory.
int halcyon_vips_thumbnail(const void *bytes, size_t count, int width, int height);

// A whole image as bytes in memory; all frames below each other if all_frames is not 0.
int halcyon_vips_decode(const void *bytes, size_t count, int all_frames);

// Four samples a pixel, premultiplied, to another size with Lanczos-3.
int halcyon_vips_resize(const void *pixels, int width, int height, int result_width, int result_height);

// Four samples a pixel, premultiplied, blurred by a Gaussian of this standard deviation, as precisely as by default.
int halcyon_vips_blur(const void *pixels, int width, int height, double radius);

// Three or four samples a pixel to a file of the format "jpeg", "png" or "webp"; the quality counts for the lossy ones.
int halcyon_vips_encode(
    const void *pixels, int width, int height, int bands, const char *format, int quality, size_t *byte_count);

#endif
