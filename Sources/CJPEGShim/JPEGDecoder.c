#include "JPEGErrors.h"
#include "JPEGOutput.h"
#include "JPEGSource.h"

#include <stdlib.h>

#include <jerror.h>

struct HalcyonJPEGDecoder {
    struct jpeg_decompress_struct info;
    struct jpeg_source_mgr source;
    JPEGErrors errors;
    int32_t scan_limit;
    bool has_started_output;
    bool keeps_inks;
};

HalcyonJPEGDecoder *halcyon_jpeg_decoder_create(void) {
    HalcyonJPEGDecoder *decoder = calloc(1, sizeof *decoder);
    if (decoder == NULL) {
        return NULL;
    }
    jpeg_errors_init(&decoder->errors);
    decoder->info.err = &decoder->errors.manager;
    if (setjmp(decoder->errors.target)) {
        free(decoder);
        return NULL;
    }
    jpeg_create_decompress(&decoder->info);
    jpeg_source_init(&decoder->source);
    decoder->info.src = &decoder->source;
    return decoder;
}

void halcyon_jpeg_decoder_destroy(HalcyonJPEGDecoder *decoder) {
    if (setjmp(decoder->errors.target) == 0) {
        jpeg_destroy_decompress(&decoder->info);
    }
    free(decoder);
}

const char *halcyon_jpeg_decoder_message(const HalcyonJPEGDecoder *decoder) { return decoder->errors.message; }

HalcyonJPEGStatus halcyon_jpeg_decoder_open(HalcyonJPEGDecoder *decoder, const uint8_t *bytes, size_t count,
                                            int32_t eighths, bool keeps_inks, int64_t memory_limit, int32_t scan_limit,
                                            HalcyonJPEGLayout *layout) {
    struct jpeg_decompress_struct *info = &decoder->info;
    if (setjmp(decoder->errors.target)) {
        return decoder->errors.status;
    }
    decoder->scan_limit = scan_limit;
    decoder->keeps_inks = keeps_inks;
    decoder->source.next_input_byte = bytes;
    decoder->source.bytes_in_buffer = count;
    // 0 would mean "without limit".
    info->mem->max_memory_to_use = memory_limit > 0 ? (long)memory_limit : 1;
    jpeg_read_header(info, TRUE);
    info->scale_num = (unsigned int)eighths;
    info->scale_denom = 8;
    info->out_color_space = info->num_components == 4 ? JCS_CMYK : JCS_EXT_RGBA;
    info->dct_method = JDCT_ISLOW;
    // Buffered-image mode keeps jpeg_start_decompress from reading the whole file before it returns.
    info->buffered_image = jpeg_has_multiple_scans(info);
    jpeg_start_decompress(info);
    if (info->output_components != 4) {
        ERREXIT(info, JERR_CONVERSION_NOTIMPL);
    }
    layout->width = (int32_t)info->output_width;
    layout->height = (int32_t)info->output_height;
    layout->has_multiple_scans = info->buffered_image;
    return HALCYON_JPEG_OK;
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
    if (*is_complete && decoder->errors.has_reached_end && !jpeg_has_every_coefficient(info)) {
        return HALCYON_JPEG_TRUNCATED;
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
    int32_t done = 0;
    while (done < row_count) {
        // libjpeg hands out at most 4 rows a call.
        JSAMPROW pointers[4];
        const int32_t count = row_count - done < 4 ? row_count - done : 4;
        for (int32_t index = 0; index < count; index++) {
            pointers[index] = rows + (size_t)(done + index) * bytes_per_row;
        }
        const JDIMENSION read = jpeg_read_scanlines(info, pointers, (JDIMENSION)count);
        if (read == 0) {
            return HALCYON_JPEG_TRUNCATED;
        }
        jpeg_convert_inks(info, pointers, read, decoder->keeps_inks);
        done += (int32_t)read;
    }
    if (info->arith_code && decoder->errors.has_reached_end) {
        // The arithmetic decoder reads zeros behind the last byte (T.81 D.2.6) and never complains.
        return HALCYON_JPEG_TRUNCATED;
    }
    return HALCYON_JPEG_OK;
}
