// libjpeg reports errors by longjmp, which must not cross Swift frames. Every function here sets its own jump target
// before it calls libjpeg, and no code of the caller runs inside libjpeg.
#ifndef HALCYON_CJPEGSHIM_H
#define HALCYON_CJPEGSHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum HalcyonJPEGStatus {
    HALCYON_JPEG_OK = 0,
    // The bytes ended, or a marker other than that of a restart came, while image data were still missing.
    HALCYON_JPEG_TRUNCATED,
    HALCYON_JPEG_CORRUPT,
    HALCYON_JPEG_UNSUPPORTED,
    // The system or the memory limit refused memory.
    HALCYON_JPEG_OUT_OF_MEMORY,
    HALCYON_JPEG_TOO_MANY_SCANS,
} HalcyonJPEGStatus;

// After any status but HALCYON_JPEG_OK a decoder or encoder can only be asked for its message and destroyed.
typedef struct HalcyonJPEGDecoder HalcyonJPEGDecoder;
typedef struct HalcyonJPEGEncoder HalcyonJPEGEncoder;

// What open found: the size of the rows to come, and whether absorb is needed before them.
typedef struct HalcyonJPEGLayout {
    int32_t width;
    int32_t height;
    bool has_multiple_scans;
} HalcyonJPEGLayout;

// A decoder of a file whose bytes are all there. They are not copied and must stay where they are until destroy. NULL
// where there is no memory.
HalcyonJPEGDecoder *halcyon_jpeg_decoder_create(const uint8_t *bytes, size_t count);

// A decoder of bytes that come one piece after the other, of which it copies the first. Huffman coding only: arithmetic
// decoding cannot wait for bytes. NULL where there is no memory.
HalcyonJPEGDecoder *halcyon_jpeg_stream_create(const uint8_t *bytes, size_t count);

// For both kinds of decoder.

void halcyon_jpeg_decoder_destroy(HalcyonJPEGDecoder *decoder);
const char *halcyon_jpeg_decoder_message(const HalcyonJPEGDecoder *decoder);

// Reads the header and prepares output at `eighths`/8 of the stored size. Of a stream, the header and that of the first
// scan must have been appended as a whole. With `keeps_inks`, rows of four components are shares of cyan, magenta, yellow
// and black, 255 for all of it. `memory_limit` bounds libjpeg's whole-image buffers, `scan_limit` the scans absorbed.
// With `tolerates_loss`, missing and damaged data are grey or wrong instead of an error, if a row of blocks is there, and
// scans that are too many are left out.
HalcyonJPEGStatus halcyon_jpeg_decoder_open(HalcyonJPEGDecoder *decoder, int32_t eighths, bool keeps_inks,
                                            bool tolerates_loss, int64_t memory_limit, int32_t scan_limit,
                                            HalcyonJPEGLayout *layout);

// Whether some of the data read so far were missing or wrong, so that blocks are grey or spoiled.
bool halcyon_jpeg_decoder_has_lost_data(const HalcyonJPEGDecoder *decoder);

// For a file whose bytes are all there.

// For files of several scans: reads up to `row_count` rows of blocks. Repeat until `is_complete`.
HalcyonJPEGStatus halcyon_jpeg_decoder_absorb(HalcyonJPEGDecoder *decoder, int32_t row_count, bool *is_complete);

// Writes the next `row_count` rows as red, green, blue, 255, or as inks.
HalcyonJPEGStatus halcyon_jpeg_decoder_read_rows(HalcyonJPEGDecoder *decoder, uint8_t *rows, size_t bytes_per_row,
                                                 int32_t row_count);

// For a stream.

// How far the scans have been read.
typedef struct HalcyonJPEGAbsorption {
    // Scans that have arrived as a whole.
    int32_t scan_count;
    // Set where the rest of the bytes at hand is not a whole row of blocks.
    bool needs_bytes;
    // Set at the end of the image.
    bool is_complete;
} HalcyonJPEGAbsorption;

// Copies bytes; decodes nothing.
HalcyonJPEGStatus halcyon_jpeg_stream_append(HalcyonJPEGDecoder *decoder, const uint8_t *bytes, size_t count);

// Says that no more bytes come, so that what is missing is an error.
void halcyon_jpeg_stream_end(HalcyonJPEGDecoder *decoder);

// Whether libjpeg has warned of damaged data so far.
bool halcyon_jpeg_stream_is_damaged(const HalcyonJPEGDecoder *decoder);

// For files of several scans: reads up to `row_count` rows of blocks of the bytes at hand, and no further than to the
// beginning of the next scan.
HalcyonJPEGStatus halcyon_jpeg_stream_absorb(HalcyonJPEGDecoder *decoder, int32_t row_count,
                                             HalcyonJPEGAbsorption *absorption);

// For files of several scans: begins to write the image as of a scan that has arrived. All of its rows are to be read
// before halcyon_jpeg_stream_finish_scan.
HalcyonJPEGStatus halcyon_jpeg_stream_start_scan(HalcyonJPEGDecoder *decoder, int32_t scan);
HalcyonJPEGStatus halcyon_jpeg_stream_finish_scan(HalcyonJPEGDecoder *decoder);

// Writes up to `row_count` rows as red, green, blue, 255, or as inks: fewer where the bytes at hand end.
HalcyonJPEGStatus halcyon_jpeg_stream_read_rows(HalcyonJPEGDecoder *decoder, uint8_t *rows, size_t bytes_per_row,
                                                int32_t row_count, int32_t *read_count);

// Whether all pixels of a row of red, green, blue and an ignored byte are shades of grey.
bool halcyon_jpeg_is_gray(const uint8_t *row, size_t pixel_count);

// NULL where there is no memory.
HalcyonJPEGEncoder *halcyon_jpeg_encoder_create(void);
void halcyon_jpeg_encoder_destroy(HalcyonJPEGEncoder *encoder);
const char *halcyon_jpeg_encoder_message(const HalcyonJPEGEncoder *encoder);

typedef struct HalcyonJPEGSettings {
    int32_t width;
    int32_t height;
    int32_t quality;
    // One component, of the brightness.
    bool is_gray;
    bool subsamples_chroma;
    bool is_progressive;
    // Huffman tables are made for the image, at the price of a second pass over its coefficients. Progressive files
    // always have such tables.
    bool optimizes_tables;
} HalcyonJPEGSettings;

// `sample`: an encoder of a part of the image, finished, that has made tables for it, with the same components; they are
// taken for this file. NULL for none.
HalcyonJPEGStatus halcyon_jpeg_encoder_start(HalcyonJPEGEncoder *encoder, HalcyonJPEGSettings settings,
                                             const HalcyonJPEGEncoder *sample);

// Writes a segment of at most 65,533 bytes, before the first row.
HalcyonJPEGStatus halcyon_jpeg_encoder_write_segment(HalcyonJPEGEncoder *encoder, uint8_t marker, const uint8_t *bytes,
                                                     size_t count);

// Takes the next `row_count` rows of red, green, blue and an ignored byte.
HalcyonJPEGStatus halcyon_jpeg_encoder_write_rows(HalcyonJPEGEncoder *encoder, const uint8_t *rows,
                                                  size_t bytes_per_row, int32_t row_count);

// Ends the file; its bytes belong to the encoder.
HalcyonJPEGStatus halcyon_jpeg_encoder_finish(HalcyonJPEGEncoder *encoder, const uint8_t **bytes, size_t *count);

#endif
