#include "JPEGErrors.h"
#include "JPEGFeed.h"
#include "JPEGOutput.h"

#include <stdlib.h>

#include <jerror.h>

struct HalcyonJPEGStream {
    struct jpeg_decompress_struct info;
    JPEGFeed feed;
    JPEGErrors errors;
    int32_t scan_limit;
    bool keeps_inks;
};

HalcyonJPEGStream *halcyon_jpeg_stream_create(void) {
    HalcyonJPEGStream *stream = calloc(1, sizeof *stream);
    if (stream == NULL) {
        return NULL;
    }
    jpeg_errors_init(&stream->errors);
    stream->info.err = &stream->errors.manager;
    if (setjmp(stream->errors.target)) {
        free(stream);
        return NULL;
    }
    jpeg_create_decompress(&stream->info);
    jpeg_feed_init(&stream->feed);
    stream->info.src = &stream->feed.manager;
    return stream;
}

void halcyon_jpeg_stream_destroy(HalcyonJPEGStream *stream) {
    if (setjmp(stream->errors.target) == 0) {
        jpeg_destroy_decompress(&stream->info);
    }
    jpeg_feed_destroy(&stream->feed);
    free(stream);
}

const char *halcyon_jpeg_stream_message(const HalcyonJPEGStream *stream) { return stream->errors.message; }

HalcyonJPEGStatus halcyon_jpeg_stream_append(HalcyonJPEGStream *stream, const uint8_t *bytes, size_t count) {
    return jpeg_feed_append(&stream->feed, bytes, count) ? HALCYON_JPEG_OK : HALCYON_JPEG_OUT_OF_MEMORY;
}

void halcyon_jpeg_stream_end(HalcyonJPEGStream *stream) { stream->feed.is_ended = true; }

HalcyonJPEGStatus halcyon_jpeg_stream_open(HalcyonJPEGStream *stream, int32_t eighths, bool keeps_inks,
                                           int64_t memory_limit, int32_t scan_limit, HalcyonJPEGLayout *layout) {
    struct jpeg_decompress_struct *info = &stream->info;
    if (setjmp(stream->errors.target)) {
        return stream->errors.status;
    }
    stream->scan_limit = scan_limit;
    stream->keeps_inks = keeps_inks;
    // 0 would mean "without limit".
    info->mem->max_memory_to_use = memory_limit > 0 ? (long)memory_limit : 1;
    if (jpeg_read_header(info, TRUE) == JPEG_SUSPENDED) {
        return HALCYON_JPEG_TRUNCATED;
    }
    if (info->arith_code) {
        // Its decoder cannot suspend.
        ERREXIT(info, JERR_NOTIMPL);
    }
    info->scale_num = (unsigned int)eighths;
    info->scale_denom = 8;
    info->out_color_space = info->num_components == 4 ? JCS_CMYK : JCS_EXT_RGBA;
    info->dct_method = JDCT_ISLOW;
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

HalcyonJPEGStatus halcyon_jpeg_stream_absorb(HalcyonJPEGStream *stream, int32_t row_count,
                                             HalcyonJPEGAbsorption *absorption) {
    struct jpeg_decompress_struct *info = &stream->info;
    if (setjmp(stream->errors.target)) {
        return stream->errors.status;
    }
    absorption->is_complete = false;
    absorption->needs_bytes = false;
    const int scan = info->input_scan_number;
    for (int32_t row = 0; row < row_count && info->input_scan_number == scan; row++) {
        const int result = jpeg_consume_input(info);
        if (info->input_scan_number > stream->scan_limit) {
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
    if (absorption->is_complete && stream->errors.has_reached_end && !jpeg_has_every_coefficient(info)) {
        return HALCYON_JPEG_TRUNCATED;
    }
    return HALCYON_JPEG_OK;
}

HalcyonJPEGStatus halcyon_jpeg_stream_start_scan(HalcyonJPEGStream *stream, int32_t scan) {
    struct jpeg_decompress_struct *info = &stream->info;
    if (setjmp(stream->errors.target)) {
        return stream->errors.status;
    }
    // Neither waits for bytes, as the scan has arrived.
    if (!jpeg_start_output(info, scan)) {
        return HALCYON_JPEG_TRUNCATED;
    }
    return HALCYON_JPEG_OK;
}

HalcyonJPEGStatus halcyon_jpeg_stream_finish_scan(HalcyonJPEGStream *stream) {
    if (setjmp(stream->errors.target)) {
        return stream->errors.status;
    }
    return jpeg_finish_output(&stream->info) ? HALCYON_JPEG_OK : HALCYON_JPEG_TRUNCATED;
}

HalcyonJPEGStatus halcyon_jpeg_stream_read_rows(HalcyonJPEGStream *stream, uint8_t *rows, size_t bytes_per_row,
                                                int32_t row_count, int32_t *read_count) {
    struct jpeg_decompress_struct *info = &stream->info;
    // Volatile, because it is read after a jump.
    volatile int32_t done = 0;
    *read_count = 0;
    if (setjmp(stream->errors.target)) {
        *read_count = done;
        return stream->errors.status;
    }
    while (done < row_count) {
        // libjpeg hands out at most 4 rows a call.
        JSAMPROW pointers[4];
        const int32_t count = row_count - done < 4 ? row_count - done : 4;
        for (int32_t index = 0; index < count; index++) {
            pointers[index] = rows + (size_t)(done + index) * bytes_per_row;
        }
        const JDIMENSION read = jpeg_read_scanlines(info, pointers, (JDIMENSION)count);
        if (read == 0) {
            break;
        }
        jpeg_convert_inks(info, pointers, read, stream->keeps_inks);
        done += (int32_t)read;
    }
    *read_count = done;
    return HALCYON_JPEG_OK;
}
