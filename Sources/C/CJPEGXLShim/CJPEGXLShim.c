#include "CJPEGXLShim.h"

// Up to 0.8 these functions took a pixel format, which was not used.
#if JPEGXL_NUMERIC_VERSION >= JPEGXL_COMPUTE_NUMERIC_VERSION(0, 9, 0)
#define HALCYON_JPEGXL_FORMAT
#else
#define HALCYON_JPEGXL_FORMAT NULL,
#endif

JxlPixelFormat halcyon_jpegxl_pixel_format(uint32_t channel_count, bool is_sixteen_bits, size_t alignment) {
    return (JxlPixelFormat){
        .num_channels = channel_count,
        .data_type = is_sixteen_bits ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8,
        .endianness = JXL_NATIVE_ENDIAN,
        .align = alignment,
    };
}

JxlDecoderStatus halcyon_jpegxl_get_encoding(const JxlDecoder *decoder, JxlColorProfileTarget target,
                                             JxlColorEncoding *encoding) {
    return halcyon_jpegxl_library()->JxlDecoderGetColorAsEncodedProfile(decoder, HALCYON_JPEGXL_FORMAT target, encoding);
}

JxlDecoderStatus halcyon_jpegxl_get_icc_profile_size(const JxlDecoder *decoder, JxlColorProfileTarget target,
                                                     size_t *size) {
    return halcyon_jpegxl_library()->JxlDecoderGetICCProfileSize(decoder, HALCYON_JPEGXL_FORMAT target, size);
}

JxlDecoderStatus halcyon_jpegxl_get_icc_profile(const JxlDecoder *decoder, JxlColorProfileTarget target, uint8_t *bytes,
                                                size_t size) {
    return halcyon_jpegxl_library()->JxlDecoderGetColorAsICCProfile(decoder, HALCYON_JPEGXL_FORMAT target, bytes, size);
}
