#ifndef HALCYON_REFERENCE_VIPS_GEOMETRY_H
#define HALCYON_REFERENCE_VIPS_GEOMETRY_H

#include <stddef.h>

// Shapes and places with libvips, after halcyon_vips_load. Each returns 0, or -1 for what libvips refuses.

// A file to an avatar: a thumbnail of 400 × 300, of which the middle 300 × 300 get round corners of radius 20 and a border
// of 4 pixels. The mask and the border are drawings that are rendered once.
int halcyon_vips_avatar(const void *bytes, size_t count);

// Four samples a pixel, rotated clockwise with bicubic interpolation.
int halcyon_vips_rotate(const void *pixels, int width, int height, double degrees);

// Four samples a pixel: 1200 × 900 of them, 100 from the left and the top; mirrored from left to right; and, of
// 1632 × 1224 premultiplied ones, with round corners of radius 40, by a mask that is drawn once.
int halcyon_vips_crop(const void *pixels, int width, int height);
int halcyon_vips_flip(const void *pixels, int width, int height);
int halcyon_vips_round_corners(const void *pixels, int width, int height);

#endif
