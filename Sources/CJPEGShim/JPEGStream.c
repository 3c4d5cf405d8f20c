#include "JPEGDecoder.h"

HalcyonJPEGStatus halcyon_jpeg_stream_append(HalcyonJPEGDecoder *decoder, const uint8_t *bytes, size_t count) {
    return jpeg_feed_append(&decoder->feed, bytes, count) ? HALCYON_JPEG_OK : HALCYON_JPEG_OUT_OF_MEMORY;
}

void halcyon_jpeg_stream_end(HalcyonJPEGDecoder *decoder) { decoder->feed.is_ended = true; }

bool halcyon_jpeg_stream_is_damaged(const HalcyonJPEGDecoder *decoder) {
    return decoder->errors.manager.num_warnings > 0;
}

HalcyonJPEGStatus halcyon_jpeg_stream_absorb(HalcyonJPEGDecoder *decoder, int32_t row_count,
                                             HalcyonJPEGAbsorption *absorption) {
    struct jpeg_decompress_struct *info = &decoder->info;
    if (setjmp(decoder->errors.target)) {
        return decoder->errors.status;
    }
    absorption->is_complete = false;
    absorption->needs_bytes = false;
    const int scan = info->input_scan_number;
    for (int32_t row = 0; row < row_count && info->input_scan_number == scan; row++) {
        const int result = jpeg_consume_input(info);
        if (info->input_scan_number > decoder->scan_limit) {
            return HALCYON_JPEG_TOO_MANY_SCANS;
        }
        if (result == JPEG_REACHED_EOI) {
            absorption->is_complete = true;
            break;
        }
        if (result == JPEG_SUSPENDED) {
            absorption->needs_bytes = true;
            break;
        }
    }
    // The scan that is under way has gaps.
    absorption->scan_count = absorption->is_complete ? info->input_scan_number : info->input_scan_number - 1;
    return absorption->is_complete && jpeg_decoder_lacks_coefficients(decoder) ? HALCYON_JPEG_TRUNCATED
                                                                               : HALCYON_JPEG_OK;
}

HalcyonJPEGStatus halcyon_jpeg_stream_start_scan(HalcyonJPEGDecoder *decoder, int32_t scan) {
    struct jpeg_decompress_struct *info = &decoder->info;
    if (setjmp(decoder->errors.target)) {
        return decoder->errors.status;
    }
    // Neither waits for bytes, as the scan has arrived.
    if (!jpeg_start_output(info, scan)) {
        return HALCYON_JPEG_TRUNCATED;
    }
    return HALCYON_JPEG_OK;
}

HalcyonJPEGStatus halcyon_jpeg_stream_finish_scan(HalcyonJPEGDecoder *decoder) {
    if (setjmp(decoder->errors.target)) {
        return decoder->errors.status;
    }
    return jpeg_finish_output(&decoder->info) ? HALCYON_JPEG_OK : HALCYON_JPEG_TRUNCATED;
}

HalcyonJPEGStatus halcyon_jpeg_stream_read_rows(HalcyonJPEGDecoder *decoder, uint8_t *rows, size_t bytes_per_row,
                                                int32_t row_count, int32_t *read_count) {
    return jpeg_decoder_read_rows(decoder, rows, bytes_per_row, row_count, read_count);
}
