#include "CAVIFShim.h"

#include <stdio.h>

// libavif 1.0 and later say whether they had memory for what they copy.
#if AVIF_VERSION >= 1000000
#define HALCYON_AVIF_RESULT(call) return call
#else
#define HALCYON_AVIF_RESULT(call) \
    call;                         \
    return AVIF_RESULT_OK
#endif

uint32_t halcyon_avif_version(void) {
    unsigned major = 0, minor = 0, patch = 0;
    if (sscanf(halcyon_avif_library()->avifVersion(), "%u.%u.%u", &major, &minor, &patch) < 2) {
        return AVIF_VERSION;
    }
    return major * 1000000 + minor * 10000 + patch * 100;
}

bool halcyon_avif_is_mirrored_left_to_right(const avifImage *image) {
#if AVIF_VERSION >= 1000000
    return image->imir.axis != 0;
#else
    return image->imir.mode != 0;
#endif
}

void halcyon_avif_describe_rgba(avifRGBImage *rows, const avifImage *image, uint8_t *pixels, size_t bytes_per_row,
                                uint32_t depth) {
    halcyon_avif_library()->avifRGBImageSetDefaults(rows, image);
    rows->format = AVIF_RGB_FORMAT_RGBA;
    rows->depth = depth;
    rows->pixels = pixels;
    rows->rowBytes = (uint32_t)bytes_per_row;
}

avifResult halcyon_avif_set_icc_profile(avifImage *image, const uint8_t *bytes, size_t count) {
    HALCYON_AVIF_RESULT(halcyon_avif_library()->avifImageSetProfileICC(image, bytes, count));
}

avifResult halcyon_avif_set_xmp(avifImage *image, const uint8_t *bytes, size_t count) {
    HALCYON_AVIF_RESULT(halcyon_avif_library()->avifImageSetMetadataXMP(image, bytes, count));
}

avifResult halcyon_avif_set_exif(avifImage *image, const uint8_t *bytes, size_t count) {
    HALCYON_AVIF_RESULT(halcyon_avif_library()->avifImageSetMetadataExif(image, bytes, count));
}

bool halcyon_avif_set_loop_count(avifEncoder *encoder, uint32_t count) {
#if AVIF_VERSION >= 1000000
    // The first round is no repetition.
    encoder->repetitionCount = count == 0 ? AVIF_REPETITION_COUNT_INFINITE : (int)(count < INT32_MAX ? count : INT32_MAX) - 1;
    return true;
#else
    (void)encoder;
    (void)count;
    return false;
#endif
}

avifResult halcyon_avif_set_codec_option(avifEncoder *encoder, const char *name, const char *value) {
    HALCYON_AVIF_RESULT(halcyon_avif_library()->avifEncoderSetCodecSpecificOption(encoder, name, value));
}
