// What differs between versions of libavif: structures that have other members, and functions that return nothing in
// one and a result in another.
#ifndef HALCYON_AVIF_SHIM_H
#define HALCYON_AVIF_SHIM_H

#include "AVIFLibrary.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The version in use, which may be newer than that of the headers, as `AVIF_VERSION` counts: 1.2.1 is 1,020,100.
uint32_t halcyon_avif_version(void);

/// Returns whether an image whose flags say that it is mirrored is so left to right, or else top to bottom.
bool halcyon_avif_is_mirrored_left_to_right(const avifImage *image);

/// Describes rows of RGBA, of 8 bits a sample unless `depth` says otherwise, that an image is converted from or to.
void halcyon_avif_describe_rgba(avifRGBImage *rows, const avifImage *image, uint8_t *pixels, size_t bytes_per_row,
                                uint32_t depth);

avifResult halcyon_avif_set_icc_profile(avifImage *image, const uint8_t *bytes, size_t count);
avifResult halcyon_avif_set_xmp(avifImage *image, const uint8_t *bytes, size_t count);
avifResult halcyon_avif_set_exif(avifImage *image, const uint8_t *bytes, size_t count);
/// Says how often an animation plays, 0 for without end; `false` if this version of libavif has no way to write that.
bool halcyon_avif_set_loop_count(avifEncoder *encoder, uint32_t count);
avifResult halcyon_avif_set_codec_option(avifEncoder *encoder, const char *name, const char *value);

#endif
