#ifndef HALCYON_REFERENCE_VIPS_GEOMETRY_H
#define HALCYON_REFERENCE_VIPS_GEOMETRY_H

#include <stddef.h>

// Shapes and places with libvips, after halcyon_vips_load. Each returns 0, or -1 for what libvips refuses.

// A file to an avatar: a thumbnail of 400 × 300, of which the middle 300 × 300 get round corners of radius 20 and a border
// of 4 pixels. The mask and the border are drawings that are rendered once.
int halcyon_vips_avatar(const void *bytes, size_t count);

// Four samples a pixel, rotated clockwise with bicubic interpolation.
int halcyon_vips_rotate(const void *pixels, int width, int height, double degrees);

#endif
