#ifndef HALCYON_REFERENCE_CODECS_H
#define HALCYON_REFERENCE_CODECS_H

#include <stddef.h>
#include <stdint.h>

// The formats' C libraries, used as directly as they can be. Each writes rows of RGBA without padding into `pixels`,
// whose memory the caller keeps from one call to the next, and returns 0, or -1 for bytes that do not decode or a
// buffer of another size than the picture needs.

// libjpeg at scale_numerator/8 of the sides, fast upsampling as it comes, alpha 255.
int halcyon_reference_decode_jpeg(
    const uint8_t *bytes, size_t count, unsigned scale_numerator, uint8_t *pixels, size_t pixels_size);

// libwebp, at the size given; its own scaler where that is not the file's.
int halcyon_reference_decode_webp(
    const uint8_t *bytes, size_t count, int width, int height, uint8_t *pixels, size_t pixels_size);

// libpng's simplified interface. Built only where libpng is there: see halcyon_reference_has_png.
int halcyon_reference_decode_png(const uint8_t *bytes, size_t count, uint8_t *pixels, size_t pixels_size);

// 1 if libpng was there when this was built.
int halcyon_reference_has_png(void);

#endif
