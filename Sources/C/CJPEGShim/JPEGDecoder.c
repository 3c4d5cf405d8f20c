#include "JPEGDecoder.h"

#include "JPEGOutput.h"

#include <stdlib.h>

#include <jerror.h>

enum {
    // The blocks that the scans of a file may cover, in images. Real files, whose scans refine one component after the
    // other, cover their blocks about six times; a scan without data, or with one code for 32,767 blocks, costs a
    // forged file a few bytes and the decoder a pass over the image.
    GREATEST_PASS_COUNT = 20,
    // For small images more: some programs write a scan for each coefficient.
    LEAST_BLOCK_BUDGET = 1 << 24,
};

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

bool halcyon_jpeg_decoder_has_lost_data(const HalcyonJPEGDecoder *decoder) { return decoder->errors.has_lost_data; }

// All blocks of the image.
static uint64_t count_blocks(const struct jpeg_decompress_struct *info) {
    uint64_t count = 0;
    for (int index = 0; index < info->num_components; index++) {
        const jpeg_component_info *component = &info->comp_info[index];
        count += (uint64_t)component->width_in_blocks * component->height_in_blocks;
    }
    return count;
}

HalcyonJPEGStatus halcyon_jpeg_decoder_open(HalcyonJPEGDecoder *decoder, int32_t eighths, bool keeps_inks,
                                            bool tolerates_loss, int64_t memory_limit, int32_t scan_limit,
                                            HalcyonJPEGLayout *layout) {
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
    decoder->errors.tolerates_loss = tolerates_loss;
    const uint64_t block_count = count_blocks(info);
    decoder->blocks_left = GREATEST_PASS_COUNT * block_count > LEAST_BLOCK_BUDGET ? GREATEST_PASS_COUNT * block_count
                                                                                   : LEAST_BLOCK_BUDGET;
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
    decoder->frame = (JPEGFrameHeader){
        .width = info->image_width,
        .height = info->image_height,
        .component_count = info->num_components,
        .precision = info->data_precision,
        .is_progressive = info->progressive_mode,
        .is_arithmetic = info->arith_code,
    };
    layout->width = (int32_t)info->output_width;
    layout->height = (int32_t)info->output_height;
    layout->has_multiple_scans = info->buffered_image;
    return HALCYON_JPEG_OK;
}

void jpeg_decoder_restore_frame(HalcyonJPEGDecoder *decoder) {
    struct jpeg_decompress_struct *info = &decoder->info;
    info->image_width = decoder->frame.width;
    info->image_height = decoder->frame.height;
    info->num_components = decoder->frame.component_count;
    info->data_precision = decoder->frame.precision;
    info->progressive_mode = decoder->frame.is_progressive;
    info->arith_code = decoder->frame.is_arithmetic;
}

bool jpeg_decoder_lacks_coefficients(const HalcyonJPEGDecoder *decoder) {
    return decoder->errors.has_reached_end && !jpeg_has_every_coefficient(&decoder->info);
}

// A row of blocks of the scan that has just been read, or of the one before if it was its last.
static uint64_t count_row_blocks(const struct jpeg_decompress_struct *info) {
    uint64_t count = 0;
    for (int index = 0; index < info->comps_in_scan; index++) {
        const jpeg_component_info *component = info->cur_comp_info[index];
        count += (uint64_t)component->width_in_blocks * (uint64_t)component->v_samp_factor;
    }
    return count;
}

JPEGAbsorbed jpeg_decoder_absorb_row(HalcyonJPEGDecoder *decoder) {
    struct jpeg_decompress_struct *info = &decoder->info;
    const int result = jpeg_consume_input(info);
    jpeg_decoder_restore_frame(decoder);
    bool is_too_much = info->input_scan_number > decoder->scan_limit;
    if (result == JPEG_ROW_COMPLETED || result == JPEG_SCAN_COMPLETED) {
        const uint64_t count = count_row_blocks(info);
        is_too_much = is_too_much || count > decoder->blocks_left;
        decoder->blocks_left -= is_too_much ? 0 : count;
    }
    if (is_too_much && result != JPEG_REACHED_EOI) {
        if (!decoder->errors.tolerates_loss || info->input_scan_number < 2) {
            return JPEG_ABSORBED_TOO_MUCH;
        }
        decoder->errors.has_lost_data = true;
        decoder->is_stopped = true;
        return JPEG_ABSORBED_ALL;
    }
    switch (result) {
    case JPEG_REACHED_EOI:
        return JPEG_ABSORBED_ALL;
    case JPEG_SUSPENDED:
        return JPEG_ABSORBED_NOTHING;
    default:
        return JPEG_ABSORBED_ROW;
    }
}

HalcyonJPEGStatus jpeg_decoder_end_early(HalcyonJPEGDecoder *decoder) {
    struct jpeg_decompress_struct *info = &decoder->info;
    JPEGErrors *errors = &decoder->errors;
    const HalcyonJPEGStatus status = errors->status;
    jpeg_decoder_restore_frame(decoder);
    const bool is_of_data = status == HALCYON_JPEG_TRUNCATED || status == HALCYON_JPEG_CORRUPT;
    // Within a scan, libjpeg only warns.
    const bool is_between_scans = info->total_iMCU_rows > 0 && info->input_iMCU_row >= info->total_iMCU_rows;
    if (!errors->tolerates_loss || errors->has_ended_early || !is_of_data || !is_between_scans) {
        return status;
    }
    errors->has_ended_early = true;
    errors->has_lost_data = true;
    // The segment at fault is passed over, and an end marker follows.
    info->unread_marker = 0;
    jpeg_feed_cut(&decoder->feed);
    if (setjmp(errors->target)) {
        return errors->status;
    }
    return jpeg_consume_input(info) == JPEG_REACHED_EOI ? HALCYON_JPEG_OK : status;
}

int jpeg_decoder_last_scan(const HalcyonJPEGDecoder *decoder) {
    // The one that is stopped has gaps.
    return decoder->info.input_scan_number - (decoder->is_stopped ? 1 : 0);
}

HalcyonJPEGStatus jpeg_decoder_check_coefficients(HalcyonJPEGDecoder *decoder) {
    if (decoder->is_stopped || !jpeg_decoder_lacks_coefficients(decoder)) {
        return HALCYON_JPEG_OK;
    }
    decoder->errors.has_lost_data = true;
    return decoder->errors.tolerates_loss ? HALCYON_JPEG_OK : HALCYON_JPEG_TRUNCATED;
}

HalcyonJPEGStatus halcyon_jpeg_decoder_absorb(HalcyonJPEGDecoder *decoder, int32_t row_count, bool *is_complete) {
    *is_complete = false;
    if (setjmp(decoder->errors.target)) {
        const HalcyonJPEGStatus status = jpeg_decoder_end_early(decoder);
        *is_complete = status == HALCYON_JPEG_OK;
        return status;
    }
    for (int32_t row = 0; row < row_count; row++) {
        const JPEGAbsorbed absorbed = jpeg_decoder_absorb_row(decoder);
        if (absorbed == JPEG_ABSORBED_TOO_MUCH) {
            return HALCYON_JPEG_TOO_MANY_SCANS;
        }
        if (absorbed != JPEG_ABSORBED_ROW) {
            *is_complete = true;
            return jpeg_decoder_check_coefficients(decoder);
        }
    }
    return HALCYON_JPEG_OK;
}

HalcyonJPEGStatus jpeg_decoder_read_rows(HalcyonJPEGDecoder *decoder, uint8_t *rows, size_t bytes_per_row,
                                         int32_t row_count, int32_t *read_count) {
    struct jpeg_decompress_struct *info = &decoder->info;
    *read_count = 0;
    jpeg_decoder_restore_frame(decoder);
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
        jpeg_start_output(info, jpeg_decoder_last_scan(decoder));
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
