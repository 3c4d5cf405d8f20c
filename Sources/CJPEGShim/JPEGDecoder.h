#ifndef HALCYON_JPEG_DECODER_H
#define HALCYON_JPEG_DECODER_H

#include "JPEGErrors.h"
#include "JPEGFeed.h"

struct HalcyonJPEGDecoder {
    struct jpeg_decompress_struct info;
    JPEGFeed feed;
    JPEGErrors errors;
    int32_t scan_limit;
    // Set for bytes that come one piece after the other.
    bool is_stream;
    bool keeps_inks;
    bool has_started_output;
};

// Whether the image has ended before each of its coefficients has come with all its bits.
bool jpeg_decoder_lacks_coefficients(const HalcyonJPEGDecoder *decoder);

// Writes up to `row_count` rows, fewer where the source suspends. Sets the jump target; `read_count` is right also after
// an error.
HalcyonJPEGStatus jpeg_decoder_read_rows(HalcyonJPEGDecoder *decoder, uint8_t *rows, size_t bytes_per_row,
                                         int32_t row_count, int32_t *read_count);

#endif
