// What differs between versions of libjxl: functions that have lost parameters.
#ifndef HALCYON_JPEGXL_SHIM_H
#define HALCYON_JPEGXL_SHIM_H

#include "JPEGXLLibrary.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Samples of 8 or 16 bits, in the byte order of the machine; rows begin at multiples of `alignment` bytes.
JxlPixelFormat halcyon_jpegxl_pixel_format(uint32_t channel_count, bool is_sixteen_bits, size_t alignment);

JxlDecoderStatus halcyon_jpegxl_get_encoding(const JxlDecoder *decoder, JxlColorProfileTarget target,
                                             JxlColorEncoding *encoding);
JxlDecoderStatus halcyon_jpegxl_get_icc_profile_size(const JxlDecoder *decoder, JxlColorProfileTarget target,
                                                     size_t *size);
JxlDecoderStatus halcyon_jpegxl_get_icc_profile(const JxlDecoder *decoder, JxlColorProfileTarget target, uint8_t *bytes,
                                                size_t size);

#endif
