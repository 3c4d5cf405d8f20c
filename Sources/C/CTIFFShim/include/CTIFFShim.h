#ifndef HALCYON_TIFF_SHIM_H
#define HALCYON_TIFF_SHIM_H

// libtiff's fields are got and set through variadic functions, which Swift cannot call.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A page of a file in memory that is being read.
typedef struct HalcyonTIFFReader HalcyonTIFFReader;

/// The layout of the stored pixels of a page, in the words of TIFF 6.0. Tables belong to the reader.
typedef struct {
    uint32_t width;
    uint32_t height;
    /// 0 where the file does not say.
    uint16_t bits_per_sample;
    uint16_t samples_per_pixel;
    /// `UINT16_MAX` where the file does not say.
    uint16_t photometric;
    uint16_t sample_format;
    /// Red, green and blue, 2 to the power of `bits_per_sample` entries each, or `NULL`.
    const uint16_t *color_map[3];
    bool is_planar;
    bool is_tiled;
    /// A Boolean value that indicates whether this build of libtiff can decompress the page.
    bool has_codec;
    uint16_t compression;
    /// A Boolean value that indicates whether the samples are YCbCr of 8 bits with colour in full resolution, and not
    /// JPEG.
    bool is_full_ycbcr;
    /// Of a tile, or of a strip of all columns.
    uint32_t segment_width;
    uint32_t segment_height;
    /// Bytes of a decoded tile or strip of one plane (or of all samples where they are not in planes).
    size_t segment_size;
    /// Bytes of a row of such a tile or strip.
    size_t segment_row_size;
} HalcyonTIFFLayout;

/// Opens the directory at an offset; `bytes` must stay where they are until the reader is closed. `NULL` where it
/// cannot be read; then `message`, of `capacity` bytes, says why.
///
/// `padding`: zeros that are read beyond the end, so that what is there of a strip can be decoded.
HalcyonTIFFReader *halcyon_tiff_reader_open(
    const uint8_t *bytes,
    size_t count,
    size_t padding,
    uint64_t directory_offset,
    size_t greatest_allocation,
    char *message,
    size_t capacity
);
void halcyon_tiff_reader_close(HalcyonTIFFReader *reader);

/// Returns the last failure in libtiff's words; empty if there was none.
const char *halcyon_tiff_reader_message(const HalcyonTIFFReader *reader);

/// Lets the next error be the first.
void halcyon_tiff_reader_forget_message(HalcyonTIFFReader *reader);

bool halcyon_tiff_reader_layout(HalcyonTIFFReader *reader, HalcyonTIFFLayout *layout);

/// Returns whether a strip or tile lies beyond the end of the file.
bool halcyon_tiff_reader_is_cut_short(HalcyonTIFFReader *reader);

/// Returns the end of the last strip that begins within the file, if strips are stored as they are; else 0.
uint64_t halcyon_tiff_reader_plain_end(HalcyonTIFFReader *reader);

/// Returns whether all bytes of a row lie within the file, if strips are stored as they are; `plane` counts where samples
/// are in planes.
bool halcyon_tiff_reader_has_plain_row(HalcyonTIFFReader *reader, uint32_t row, uint16_t plane);

/// Returns whether the strip or tile that contains a pixel is left out of the file, as of sparse ones: it has neither a place
/// nor bytes.
bool halcyon_tiff_reader_is_left_out(HalcyonTIFFReader *reader, uint32_t column, uint32_t row, uint16_t plane);

/// Decodes one row of all samples from strips; rows must be read in their order.
bool halcyon_tiff_reader_read_row(HalcyonTIFFReader *reader, uint32_t row, uint8_t *out);

/// Decodes the strip or tile that contains a pixel; `plane` counts where samples are in planes.
bool halcyon_tiff_reader_read_segment(
    HalcyonTIFFReader *reader,
    uint32_t column,
    uint32_t row,
    uint16_t plane,
    uint8_t *out,
    size_t size
);

/// Prepares reading through libtiff's own conversion to premultiplied RGBA of 8 bits.
bool halcyon_tiff_reader_start_rgba(HalcyonTIFFReader *reader);

/// Decodes rows that begin where a strip or a row of tiles does: 4 * width bytes each, without padding.
bool halcyon_tiff_reader_read_rgba(HalcyonTIFFReader *reader, uint32_t row, uint32_t count, uint32_t *out);

/// A file that is being written to memory.
typedef struct HalcyonTIFFWriter HalcyonTIFFWriter;

typedef struct {
    uint32_t width;
    uint32_t height;
    uint16_t bits_per_sample;
    /// 3, or 4 with straight alpha.
    uint16_t samples_per_pixel;
    /// As in the tag of that name.
    uint16_t orientation;
    /// The place of the page in the file, from 0, and the number of pages; both 0 for a file of one image.
    uint16_t number;
    uint16_t count;
    /// 1 (fastest) to 9 (smallest).
    uint16_t deflate_level;
    const uint8_t *icc_profile;
    size_t icc_profile_size;
    const uint8_t *xmp;
    size_t xmp_size;
} HalcyonTIFFPage;

/// Starts a file. `NULL` where memory runs out.
HalcyonTIFFWriter *halcyon_tiff_writer_open(void);
void halcyon_tiff_writer_close(HalcyonTIFFWriter *writer);

/// Starts the next page, deflated with horizontal prediction; all rows of the page before have been written.
bool halcyon_tiff_writer_start_page(HalcyonTIFFWriter *writer, const HalcyonTIFFPage *page);

const char *halcyon_tiff_writer_message(const HalcyonTIFFWriter *writer);

/// Writes the next row. `samples` is changed by the prediction.
bool halcyon_tiff_writer_write_row(HalcyonTIFFWriter *writer, uint8_t *samples);

/// Ends the last page and the file, and lends its bytes until the writer is closed.
bool halcyon_tiff_writer_finish(HalcyonTIFFWriter *writer, const uint8_t **bytes, size_t *count);

#endif
