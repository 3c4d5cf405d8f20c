#include "JPEGDecoder.h"

HalcyonJPEGStatus halcyon_jpeg_stream_append(HalcyonJPEGDecoder *decoder, const uint8_t *bytes, size_t count) {
    return jpeg_feed_append(&decoder->feed, bytes, count) ? HALCYON_JPEG_OK : HALCYON_JPEG_OUT_OF_MEMORY;
}

void halcyon_jpeg_stream_end(HalcyonJPEGDecoder *decoder) { decoder->feed.is_ended = true; }

bool halcyon_jpeg_stream_is_damaged(const HalcyonJPEGDecoder *decoder) {
    return decoder->errors.manager.num_warnings > 0 || decoder->errors.has_lost_data;
}

static HalcyonJPEGStatus absorb(HalcyonJPEGDecoder *decoder, int32_t row_count, HalcyonJPEGAbsorption *absorption) {
    if (setjmp(decoder->errors.target)) {
        const HalcyonJPEGStatus status = jpeg_decoder_end_early(decoder);
        absorption->is_complete = status == HALCYON_JPEG_OK;
        return status;
    }
    const int scan = decoder->info.input_scan_number;
    for (int32_t row = 0; row < row_count && decoder->info.input_scan_number == scan; row++) {
        switch (jpeg_decoder_absorb_row(decoder)) {
        case JPEG_ABSORBED_ROW:
            break;
        case JPEG_ABSORBED_NOTHING:
            absorption->needs_bytes = true;
            return HALCYON_JPEG_OK;
        case JPEG_ABSORBED_ALL:
            absorption->is_complete = true;
            return jpeg_decoder_check_coefficients(decoder);
        case JPEG_ABSORBED_TOO_MUCH:
            return HALCYON_JPEG_TOO_MANY_SCANS;
        }
    }
    return HALCYON_JPEG_OK;
}

HalcyonJPEGStatus halcyon_jpeg_stream_absorb(HalcyonJPEGDecoder *decoder, int32_t row_count,
                                             HalcyonJPEGAbsorption *absorption) {
    absorption->is_complete = false;
    absorption->needs_bytes = false;
    const HalcyonJPEGStatus status = absorb(decoder, row_count, absorption);
    if (status == HALCYON_JPEG_OK) {
        // The scan that is under way has gaps.
        absorption->scan_count =
            absorption->is_complete ? jpeg_decoder_last_scan(decoder) : decoder->info.input_scan_number - 1;
    }
    return status;
}

HalcyonJPEGStatus halcyon_jpeg_stream_start_scan(HalcyonJPEGDecoder *decoder, int32_t scan) {
    struct jpeg_decompress_struct *info = &decoder->info;
    jpeg_decoder_restore_frame(decoder);
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
    jpeg_decoder_restore_frame(decoder);
    if (setjmp(decoder->errors.target)) {
        return decoder->errors.status;
    }
    return jpeg_finish_output(&decoder->info) ? HALCYON_JPEG_OK : HALCYON_JPEG_TRUNCATED;
}

HalcyonJPEGStatus halcyon_jpeg_stream_read_rows(HalcyonJPEGDecoder *decoder, uint8_t *rows, size_t bytes_per_row,
                                                int32_t row_count, int32_t *read_count) {
    return jpeg_decoder_read_rows(decoder, rows, bytes_per_row, row_count, read_count);
}
