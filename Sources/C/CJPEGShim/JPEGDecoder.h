#ifndef HALCYON_JPEG_DECODER_H
#define HALCYON_JPEG_DECODER_H

#include "JPEGErrors.h"
#include "JPEGFeed.h"

// What the frame header says. libjpeg takes over that of a second one before it refuses it, or while it waits for the rest
// of it, when all its tables are still those of the first.
typedef struct JPEGFrameHeader {
    JDIMENSION width;
    JDIMENSION height;
    int component_count;
    int precision;
    boolean is_progressive;
    boolean is_arithmetic;
} JPEGFrameHeader;

struct HalcyonJPEGDecoder {
    struct jpeg_decompress_struct info;
    JPEGFrameHeader frame;
    JPEGFeed feed;
    JPEGErrors errors;
    int32_t scan_limit;
    // The blocks that scans may still cover, see `jpeg_decoder_absorb_row`.
    uint64_t blocks_left;
    // Set where the scan under way is one too many, and those before it are shown.
    bool is_stopped;
    // Set for bytes that come one piece after the other.
    bool is_stream;
    bool keeps_inks;
    bool has_started_output;
};

// What became of an attempt to read a row of blocks.
typedef enum JPEGAbsorbed {
    JPEG_ABSORBED_ROW,
    // The bytes at hand end.
    JPEG_ABSORBED_NOTHING,
    // The image has ended.
    JPEG_ABSORBED_ALL,
    // There are too many scans, or too long ones.
    JPEG_ABSORBED_TOO_MUCH,
} JPEGAbsorbed;

// Puts the first frame header back in its place, before anything is done with what was read.
void jpeg_decoder_restore_frame(HalcyonJPEGDecoder *decoder);

// Reads one row of blocks of a file with several scans, within a jump target.
JPEGAbsorbed jpeg_decoder_absorb_row(HalcyonJPEGDecoder *decoder);

// After an error between two scans: ends the image there if what came before is to be shown; otherwise returns the
// error's status. Sets the jump target.
HalcyonJPEGStatus jpeg_decoder_end_early(HalcyonJPEGDecoder *decoder);

// The number of the last scan to show of a file whose scans have all been absorbed.
int jpeg_decoder_last_scan(const HalcyonJPEGDecoder *decoder);

// Once all scans have been absorbed: the status of a file whose end may be missing between two scans.
HalcyonJPEGStatus jpeg_decoder_check_coefficients(HalcyonJPEGDecoder *decoder);

// Whether the image has ended before each of its coefficients has come with all its bits.
bool jpeg_decoder_lacks_coefficients(const HalcyonJPEGDecoder *decoder);

// Writes up to `row_count` rows, fewer where the source suspends. Sets the jump target; `read_count` is right also after
// an error.
HalcyonJPEGStatus jpeg_decoder_read_rows(HalcyonJPEGDecoder *decoder, uint8_t *rows, size_t bytes_per_row,
                                         int32_t row_count, int32_t *read_count);

#endif
