#include "JPEGErrors.h"

#include <jerror.h>

static HalcyonJPEGStatus status_of_error(const JPEGErrors *errors) {
    switch (errors->manager.msg_code) {
    case JERR_OUT_OF_MEMORY:
    case JERR_NO_BACKING_STORE:
        return HALCYON_JPEG_OUT_OF_MEMORY;
    case JERR_BAD_PRECISION:
    case JERR_CCIR601_NOTIMPL:
    case JERR_COMPONENT_COUNT:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_IMAGE_TOO_BIG:
    case JERR_NOTIMPL:
    case JERR_SOF_UNSUPPORTED:
        return HALCYON_JPEG_UNSUPPORTED;
    default:
        return errors->has_reached_end ? HALCYON_JPEG_TRUNCATED : HALCYON_JPEG_CORRUPT;
    }
}

_Noreturn void jpeg_errors_fail(j_common_ptr info, HalcyonJPEGStatus status) {
    JPEGErrors *errors = (JPEGErrors *)info->err;
    errors->status = status;
    errors->manager.format_message(info, errors->message);
    longjmp(errors->target, 1);
}

static void on_error(j_common_ptr info) { jpeg_errors_fail(info, status_of_error((JPEGErrors *)info->err)); }

// Returns whether the data ended at a restart marker, so that only the rest of an interval is missing. At most some
// half of the intervals of a scan may be such, because those cost a forged file two bytes each.
static bool is_interval_cut_short(JPEGErrors *errors, j_decompress_ptr info) {
    if (errors->has_reached_end || info->restart_interval == 0 || info->unread_marker < JPEG_RST0
        || info->unread_marker > JPEG_RST0 + 7) {
        return false;
    }
    if (errors->short_interval_scan != info->input_scan_number) {
        errors->short_interval_scan = info->input_scan_number;
        errors->short_interval_count = 0;
    }
    errors->short_interval_count++;
    const uint64_t units = (uint64_t)info->input_iMCU_row * info->MCUs_per_row;
    return errors->short_interval_count <= 1 + units / info->restart_interval / 2;
}

// Ends decoding at lost data, unless an image that lacks them is to be shown.
static void lose_data(JPEGErrors *errors, j_decompress_ptr info, HalcyonJPEGStatus status) {
    errors->has_lost_data = true;
    if (!errors->tolerates_loss) {
        jpeg_errors_fail((j_common_ptr)info, errors->has_reached_end ? HALCYON_JPEG_TRUNCATED : status);
    }
}

// Ends decoding where the rest of the data is missing, unless the rows before are to be shown. A row of blocks must be
// there: a forged header must not buy the time to paint an image with grey. With arithmetic coding nothing tells the
// rows that are there, as its decoder reads zeros behind the end and never misses anything.
static void lose_rest(JPEGErrors *errors, j_decompress_ptr info) {
    lose_data(errors, info, HALCYON_JPEG_TRUNCATED);
    const bool has_rows = info->input_scan_number > 1 || info->input_iMCU_row > 0;
    if (info->arith_code || !has_rows) {
        jpeg_errors_fail((j_common_ptr)info, HALCYON_JPEG_TRUNCATED);
    }
}

// libjpeg goes on after damaged data, and so does this where the loss is tolerated. A wrong code, or a restart marker
// that is missing or comes too early, spoils some blocks, and every program shows the rest, as there are cameras and
// editors that write such files. Where data are missing, libjpeg fills the image with grey: that must not be taken for
// the real one. A wrong arithmetic code does the same, because nothing behind it can be read. Other warnings, such as of
// stray bytes between segments or of an unknown version of JFIF, change no pixel.
static void on_message(j_common_ptr common, int level) {
    JPEGErrors *errors = (JPEGErrors *)common->err;
    j_decompress_ptr info = (j_decompress_ptr)common;
    if (level >= 0) {
        return;
    }
    errors->manager.num_warnings++;
    switch (errors->manager.msg_code) {
    case JWRN_HIT_MARKER:
        lose_data(errors, info, HALCYON_JPEG_TRUNCATED);
        if (!errors->has_reached_end && info->progressive_mode && info->unread_marker != JPEG_EOI) {
            // A scan shorter than it should be, with others behind it: some detail is missing, no part of the image.
            break;
        }
        if (!is_interval_cut_short(errors, info)) {
            lose_rest(errors, info);
        }
        break;
    case JWRN_JPEG_EOF:
        lose_rest(errors, info);
        break;
    case JWRN_HUFF_BAD_CODE:
    case JWRN_MUST_RESYNC:
        lose_data(errors, info, HALCYON_JPEG_CORRUPT);
        if (errors->has_reached_end) {
            lose_rest(errors, info);
        }
        break;
    case JWRN_ARITH_BAD_CODE:
        errors->has_lost_data = true;
        jpeg_errors_fail(common, errors->has_reached_end ? HALCYON_JPEG_TRUNCATED : HALCYON_JPEG_CORRUPT);
    default:
        break;
    }
}

static void on_output(j_common_ptr info) { (void)info; }

void jpeg_errors_init(JPEGErrors *errors) {
    jpeg_std_error(&errors->manager);
    errors->manager.error_exit = on_error;
    errors->manager.emit_message = on_message;
    errors->manager.output_message = on_output;
    errors->status = HALCYON_JPEG_OK;
    errors->has_reached_end = false;
    errors->tolerates_loss = false;
    errors->has_lost_data = false;
    errors->has_ended_early = false;
    errors->short_interval_count = 0;
    errors->short_interval_scan = 0;
    errors->message[0] = 0;
}
