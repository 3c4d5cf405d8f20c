#include "JPEGDecoder.h"

#include "JPEGOutput.h"

#include <stdlib.h>

#include <jerror.h>

// A decoder whose feed has no bytes yet.
static HalcyonJPEGDecoder *create(bool is_stream) {
    HalcyonJPEGDecoder *decoder = calloc(1, sizeof *decoder);
    if (decoder == NULL) {
        return NULL;
    }
    decoder->is_stream = is_stream;
    jpeg_errors_init(&decoder->errors);
    decoder->info.err = &decoder->errors.manager;
    if (setjmp(decoder->errors.target)) {
        free(decoder);
        return NULL;
    }
    jpeg_create_decompress(&decoder->info);
    jpeg_feed_init(&decoder->feed);
    decoder->info.src = &decoder->feed.manager;
    return decoder;
}

HalcyonJPEGDecoder *halcyon_jpeg_decoder_create(const uint8_t *bytes, size_t count) {
    HalcyonJPEGDecoder *decoder = create(false);
    if (decoder != NULL) {
        jpeg_feed_borrow(&decoder->feed, bytes, count);
    }
    return decoder;
}

HalcyonJPEGDecoder *halcyon_jpeg_stream_create(const uint8_t *bytes, size_t count) {
    HalcyonJPEGDecoder *decoder = create(true);
    if (decoder != NULL && !jpeg_feed_append(&decoder->feed, bytes, count)) {
        halcyon_jpeg_decoder_destroy(decoder);
        return NULL;
    }
    return decoder;
}

void halcyon_jpeg_decoder_destroy(HalcyonJPEGDecoder *decoder) {
    if (setjmp(decoder->errors.target) == 0) {
        jpeg_destroy_decompress(&decoder->info);
    }
    jpeg_feed_destroy(&decoder->feed);
    free(decoder);
}

const char *halcyon_jpeg_decoder_message(const HalcyonJPEGDecoder *decoder) { return decoder->errors.message; }

HalcyonJPEGStatus halcyon_jpeg_decoder_open(HalcyonJPEGDecoder *decoder, int32_t eighths, bool keeps_inks,
                                            int64_t memory_limit, int32_t scan_limit, HalcyonJPEGLayout *layout) {
    struct jpeg_decompress_struct *info = &decoder->info;
    if (setjmp(decoder->errors.target)) {
        return decoder->errors.status;
    }
    decoder->scan_limit = scan_limit;
    decoder->keeps_inks = keeps_inks;
    // 0 would mean "without limit".
    info->mem->max_memory_to_use = memory_limit > 0 ? (long)memory_limit : 1;
    if (jpeg_read_header(info, TRUE) == JPEG_SUSPENDED) {
        return HALCYON_JPEG_TRUNCATED;
    }
    if (info->arith_code && decoder->is_stream) {
        // Its decoder cannot suspend.
        ERREXIT(info, JERR_NOTIMPL);
    }
    info->scale_num = (unsigned int)eighths;
    info->scale_denom = 8;
    info->out_color_space = info->num_components == 4 ? JCS_CMYK : JCS_EXT_RGBA;
    info->dct_method = JDCT_ISLOW;
    // Buffered-image mode keeps jpeg_start_decompress from reading the whole file before it returns.
    info->buffered_image = jpeg_has_multiple_scans(info);
    if (!jpeg_start_decompress(info)) {
        return HALCYON_JPEG_TRUNCATED;
    }
    if (info->output_components != 4) {
        ERREXIT(info, JERR_CONVERSION_NOTIMPL);
    }
    layout->width = (int32_t)info->output_width;
    layout->height = (int32_t)info->output_height;
    layout->has_multiple_scans = info->buffered_image;
    return HALCYON_JPEG_OK;
}

bool jpeg_decoder_lacks_coefficients(const HalcyonJPEGDecoder *decoder) {
    return decoder->errors.has_reached_end && !jpeg_has_every_coefficient(&decoder->info);
}

HalcyonJPEGStatus halcyon_jpeg_decoder_absorb(HalcyonJPEGDecoder *decoder, int32_t row_count, bool *is_complete) {
    struct jpeg_decompress_struct *info = &decoder->info;
    if (setjmp(decoder->errors.target)) {
        return decoder->errors.status;
    }
    *is_complete = false;
    for (int32_t row = 0; row < row_count; row++) {
        int result = jpeg_consume_input(info);
        if (info->input_scan_number > decoder->scan_limit) {
            return HALCYON_JPEG_TOO_MANY_SCANS;
        }
        if (result == JPEG_REACHED_EOI || result == JPEG_SUSPENDED) {
            *is_complete = true;
            break;
        }
    }
    return *is_complete && jpeg_decoder_lacks_coefficients(decoder) ? HALCYON_JPEG_TRUNCATED : HALCYON_JPEG_OK;
}

HalcyonJPEGStatus jpeg_decoder_read_rows(HalcyonJPEGDecoder *decoder, uint8_t *rows, size_t bytes_per_row,
                                         int32_t row_count, int32_t *read_count) {
    struct jpeg_decompress_struct *info = &decoder->info;
    *read_count = 0;
    if (setjmp(decoder->errors.target)) {
        return decoder->errors.status;
    }
    while (*read_count < row_count) {
        // libjpeg hands out at most 4 rows a call.
        JSAMPROW pointers[4];
        const int32_t count = row_count - *read_count < 4 ? row_count - *read_count : 4;
        for (int32_t index = 0; index < count; index++) {
            pointers[index] = rows + (size_t)(*read_count + index) * bytes_per_row;
        }
        const JDIMENSION read = jpeg_read_scanlines(info, pointers, (JDIMENSION)count);
        if (read == 0) {
            break;
        }
        jpeg_convert_inks(info, pointers, read, decoder->keeps_inks);
        *read_count += (int32_t)read;
    }
    return HALCYON_JPEG_OK;
}

HalcyonJPEGStatus halcyon_jpeg_decoder_read_rows(HalcyonJPEGDecoder *decoder, uint8_t *rows, size_t bytes_per_row,
                                                 int32_t row_count) {
    struct jpeg_decompress_struct *info = &decoder->info;
    if (setjmp(decoder->errors.target)) {
        return decoder->errors.status;
    }
    if (info->buffered_image && !decoder->has_started_output) {
        jpeg_start_output(info, info->input_scan_number);
        decoder->has_started_output = true;
    }
    int32_t read_count = 0;
    const HalcyonJPEGStatus status = jpeg_decoder_read_rows(decoder, rows, bytes_per_row, row_count, &read_count);
    if (status != HALCYON_JPEG_OK) {
        return status;
    }
    // The arithmetic decoder reads zeros behind the last byte (T.81 D.2.6) and never complains.
    const bool lacks_bytes = info->arith_code && decoder->errors.has_reached_end;
    return read_count < row_count || lacks_bytes ? HALCYON_JPEG_TRUNCATED : HALCYON_JPEG_OK;
}
