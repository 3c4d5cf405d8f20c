#ifndef HALCYON_REFERENCE_CODECS_H
#define HALCYON_REFERENCE_CODECS_H

#include <stddef.h>
#include <stdint.h>

// The formats' C libraries, used as directly as they can be. Each writes rows of RGBA without padding into `pixels`,
// whose memory the caller keeps from one call to the next, and returns 0, or -1 for bytes that do not decode or a
// buffer of another size than the image needs.

// libjpeg at scale_numerator/8 of the sides, fast upsampling as it comes, alpha 255.
int halcyon_reference_decode_jpeg(
    const uint8_t *bytes, size_t count, unsigned scale_numerator, uint8_t *pixels, size_t pixels_size);

// libwebp, at the size given; its own scaler where that is not the file's.
int halcyon_reference_decode_webp(
    const uint8_t *bytes, size_t count, int width, int height, uint8_t *pixels, size_t pixels_size);

// libpng's simplified interface. Built only where libpng is there: see halcyon_reference_has_png.
int halcyon_reference_decode_png(const uint8_t *bytes, size_t count, uint8_t *pixels, size_t pixels_size);

// libavif with dav1d: the first image, or all of a sequence.
int halcyon_reference_decode_avif(const uint8_t *bytes, size_t count, int threads, int all_frames);

// All frames of an animated WebP, composed by libwebp.
int halcyon_reference_decode_webp_frames(const uint8_t *bytes, size_t count);

// All frames of a GIF by giflib, its colours looked up, drawn over each other. Built only where giflib is there: see
// halcyon_reference_has_gif.
int halcyon_reference_decode_gif_frames(const uint8_t *bytes, size_t count);

// Rows of RGBA without padding to a file, alpha left out. The quality is the library's own, from 0 to 100.
int halcyon_reference_encode_jpeg(const uint8_t *pixels, int width, int height, int quality, size_t *byte_count);
// The file is the caller's, for halcyon_reference_free. In libjpeg's usual ten scans.
int halcyon_reference_encode_progressive_jpeg(
    const uint8_t *pixels, int width, int height, size_t bytes_per_row, int quality, uint8_t **result,
    size_t *byte_count);
void halcyon_reference_free(void *bytes);
int halcyon_reference_encode_webp(const uint8_t *pixels, int width, int height, int quality, size_t *byte_count);
// libpng at zlib's level 6, its own choice of filters.
int halcyon_reference_encode_png(const uint8_t *pixels, int width, int height, size_t *byte_count);

// 1 if giflib was there when this was built.
int halcyon_reference_has_gif(void);

// 1 if libpng was there when this was built.
int halcyon_reference_has_png(void);

#endif
