#include "JPEGDestination.h"
#include "JPEGErrors.h"
#include "JPEGTables.h"

#include <stdlib.h>

bool halcyon_jpeg_is_gray(const uint8_t *row, size_t pixel_count) {
    uint8_t difference = 0;
    for (size_t i = 0; i < pixel_count; i++) {
        difference |= (uint8_t)((row[4 * i] ^ row[4 * i + 1]) | (row[4 * i] ^ row[4 * i + 2]));
    }
    return difference == 0;
}

struct HalcyonJPEGEncoder {
    struct jpeg_compress_struct info;
    JPEGDestination destination;
    JPEGErrors errors;
};

HalcyonJPEGEncoder *halcyon_jpeg_encoder_create(void) {
    HalcyonJPEGEncoder *encoder = calloc(1, sizeof *encoder);
    if (encoder == NULL) {
        return NULL;
    }
    jpeg_errors_init(&encoder->errors);
    encoder->info.err = &encoder->errors.manager;
    if (setjmp(encoder->errors.target)) {
        free(encoder);
        return NULL;
    }
    jpeg_create_compress(&encoder->info);
    jpeg_destination_init(&encoder->destination);
    encoder->info.dest = &encoder->destination.manager;
    return encoder;
}

void halcyon_jpeg_encoder_destroy(HalcyonJPEGEncoder *encoder) {
    if (setjmp(encoder->errors.target) == 0) {
        jpeg_destroy_compress(&encoder->info);
    }
    free(encoder->destination.bytes);
    free(encoder);
}

const char *halcyon_jpeg_encoder_message(const HalcyonJPEGEncoder *encoder) { return encoder->errors.message; }

HalcyonJPEGStatus halcyon_jpeg_encoder_start(HalcyonJPEGEncoder *encoder, HalcyonJPEGSettings settings,
                                             const HalcyonJPEGEncoder *sample) {
    struct jpeg_compress_struct *info = &encoder->info;
    if (setjmp(encoder->errors.target)) {
        return encoder->errors.status;
    }
    info->image_width = (JDIMENSION)settings.width;
    info->image_height = (JDIMENSION)settings.height;
    info->input_components = 4;
    info->in_color_space = JCS_EXT_RGBX;
    jpeg_set_defaults(info);
    jpeg_set_colorspace(info, settings.is_gray ? JCS_GRAYSCALE : JCS_YCbCr);
    jpeg_set_quality(info, settings.quality, TRUE);
    info->optimize_coding = settings.optimizes_tables;
    info->dct_method = JDCT_ISLOW;
    const int factor = settings.subsamples_chroma && !settings.is_gray ? 2 : 1;
    info->comp_info[0].h_samp_factor = factor;
    info->comp_info[0].v_samp_factor = factor;
    if (settings.is_progressive) {
        jpeg_simple_progression(info);
    }
    if (sample != NULL) {
        jpeg_tables_adopt(info, &sample->info);
    }
    jpeg_start_compress(info, TRUE);
    return HALCYON_JPEG_OK;
}

HalcyonJPEGStatus halcyon_jpeg_encoder_write_segment(HalcyonJPEGEncoder *encoder, uint8_t marker, const uint8_t *bytes,
                                                     size_t count) {
    if (setjmp(encoder->errors.target)) {
        return encoder->errors.status;
    }
    if (count > 65533) {
        return HALCYON_JPEG_UNSUPPORTED;
    }
    jpeg_write_marker(&encoder->info, marker, bytes, (unsigned int)count);
    return HALCYON_JPEG_OK;
}

HalcyonJPEGStatus halcyon_jpeg_encoder_write_rows(HalcyonJPEGEncoder *encoder, const uint8_t *rows,
                                                  size_t bytes_per_row, int32_t row_count) {
    if (setjmp(encoder->errors.target)) {
        return encoder->errors.status;
    }
    for (int32_t row = 0; row < row_count; row++) {
        // libjpeg's interface knows no const; it only reads.
        JSAMPROW pointer = (JSAMPROW)(uintptr_t)(rows + (size_t)row * bytes_per_row);
        jpeg_write_scanlines(&encoder->info, &pointer, 1);
    }
    return HALCYON_JPEG_OK;
}

HalcyonJPEGStatus halcyon_jpeg_encoder_finish(HalcyonJPEGEncoder *encoder, const uint8_t **bytes, size_t *count) {
    if (setjmp(encoder->errors.target)) {
        return encoder->errors.status;
    }
    jpeg_finish_compress(&encoder->info);
    *bytes = encoder->destination.bytes;
    *count = encoder->destination.count;
    return HALCYON_JPEG_OK;
}
