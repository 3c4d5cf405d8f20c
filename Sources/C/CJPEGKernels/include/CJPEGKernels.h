// Baseline JPEG (ITU-T T.81) at 1/8, 2/8 and 4/8 of its sides, with an entropy decoder of its own: at these sizes few
// coefficients of a block count, and the bits of the others can be skipped several symbols at a time, while libjpeg
// spends nearly all its time on decoding them.
//
// In C because it is the innermost loop of every thumbnail, and some hundred times slower in a debug build of Swift.
//
// Everything that is unusual or damaged makes these functions return false, upon which the caller turns to libjpeg: no
// verdict about a file is made here. No function reads or writes beyond what it is given, whatever the bytes say.

#ifndef HALCYON_JPEG_KERNELS_H
#define HALCYON_JPEG_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// One image, from create to destroy. Set tables and components, start, then decode until nothing is left.
typedef struct HalcyonJPEGReducer HalcyonJPEGReducer;

// NULL where there is no memory.
HalcyonJPEGReducer *_Nullable halcyon_jpeg_reducer_create(void);
void halcyon_jpeg_reducer_destroy(HalcyonJPEGReducer *reducer);

// Sets the table of a class (AC or DC) and a destination, 0 to 3 (T.81 B.2.4.2): the numbers of codes of 1 to 16 bits,
// and the symbols. A later table replaces an earlier one. False for an impossible code and for symbols that 8-bit
// images do not have.
bool halcyon_jpeg_reducer_set_table(
    HalcyonJPEGReducer *reducer, bool is_ac, int32_t destination, const uint8_t *counts, const uint8_t *symbols,
    size_t symbol_count);

// Adds the next component, of at most three, in the order of the frame, with its sampling factors, the destinations of
// its tables, and its 64 quantisation factors in zigzag order. False for more than 255 as factor, and for tables that
// were not set.
bool halcyon_jpeg_reducer_add_component(
    HalcyonJPEGReducer *reducer, int32_t horizontal, int32_t vertical, int32_t dc_table, int32_t ac_table,
    const uint16_t *quantization);

// Prepares the one scan of all components, whose data begin at `bytes`, which must stay where they are until destroy.
// `eighths` is 1, 2 or 4, `restart_interval` 0 for none. False for other scales, and for sampling factors other than
// those of 4:4:4, 4:2:2 (halved along rows) and 4:2:0.
bool halcyon_jpeg_reducer_start(
    HalcyonJPEGReducer *reducer, const uint8_t *bytes, size_t count, int32_t width, int32_t height, int32_t eighths,
    int32_t restart_interval);

// The size of the rows to come: width and height times eighths / 8, rounded up.
int32_t halcyon_jpeg_reducer_width(const HalcyonJPEGReducer *reducer);
int32_t halcyon_jpeg_reducer_height(const HalcyonJPEGReducer *reducer);

// Decodes up to `unit_row_count` rows of units, and writes the rows of red, green, blue, 255 that they give; `pixels`
// is the first row of the whole image. False once the data are not what a baseline image has; otherwise `rows_done`
// tells how many rows are there.
bool halcyon_jpeg_reducer_decode(
    HalcyonJPEGReducer *reducer, uint8_t *pixels, size_t bytes_per_row, int32_t unit_row_count, int32_t *rows_done);

#pragma clang assume_nonnull end

#endif
