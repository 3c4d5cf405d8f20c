#include "JPEGSource.h"

#include "JPEGErrors.h"

static void source_init(j_decompress_ptr info) { (void)info; }

// The decoder may look ahead past a last byte that it does not need. An end marker lets it go on; it complains itself
// (JWRN_HIT_MARKER) if it does need more.
static boolean source_fill(j_decompress_ptr info) {
    static const JOCTET end_of_image[2] = {0xff, JPEG_EOI};
    ((JPEGErrors *)info->err)->has_reached_end = true;
    info->src->next_input_byte = end_of_image;
    info->src->bytes_in_buffer = sizeof end_of_image;
    return TRUE;
}

static void source_skip(j_decompress_ptr info, long count) {
    if (count <= 0) {
        return;
    }
    if ((size_t)count > info->src->bytes_in_buffer) {
        source_fill(info);
        return;
    }
    info->src->next_input_byte += count;
    info->src->bytes_in_buffer -= (size_t)count;
}

static void source_end(j_decompress_ptr info) { (void)info; }

void jpeg_source_init(struct jpeg_source_mgr *source) {
    source->init_source = source_init;
    source->fill_input_buffer = source_fill;
    source->skip_input_data = source_skip;
    source->resync_to_restart = jpeg_resync_to_restart;
    source->term_source = source_end;
}
