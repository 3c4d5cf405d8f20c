#include "CTIFFShim.h"
#include "TIFFStream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct HalcyonTIFFReader {
    HalcyonTIFFStream stream;
    TIFF *tiff;
    TIFFRGBAImage image;
    bool has_image;
};

static tmsize_t write_nothing(thandle_t stream, void *bytes, tmsize_t size) {
    (void)stream;
    (void)bytes;
    (void)size;
    return -1;
}

/// libtiff reads mapped files in place, and writes to none that is opened for reading.
static int map(thandle_t stream, void **bytes, toff_t *count) {
    HalcyonTIFFReader *reader = stream;
    if (reader->stream.padding > 0) {
        return 0;
    }
    *bytes = reader->stream.bytes;
    *count = reader->stream.count;
    return 1;
}

HalcyonTIFFReader *halcyon_tiff_reader_open(
    const uint8_t *bytes,
    size_t count,
    size_t padding,
    uint64_t directory_offset,
    size_t greatest_allocation,
    char *message,
    size_t capacity
) {
    HalcyonTIFFReader *reader = calloc(1, sizeof *reader);
    if (!reader) {
        return NULL;
    }
    // libtiff writes to no file that is opened for reading.
    reader->stream.bytes = (uint8_t *)bytes;
    reader->stream.count = count;
    reader->stream.padding = padding;
    // h: the first directory is not read yet.
    reader->tiff = halcyon_tiff_open("rh", &reader->stream, write_nothing, map, greatest_allocation);
    if (reader->tiff && TIFFSetSubDirectory(reader->tiff, directory_offset)) {
        // What is only strange in a directory is no reason to refuse its pixels.
        reader->stream.message[0] = 0;
        return reader;
    }
    if (capacity > 0) {
        strncpy(message, reader->stream.message, capacity - 1);
        message[capacity - 1] = 0;
    }
    halcyon_tiff_reader_close(reader);
    return NULL;
}

void halcyon_tiff_reader_close(HalcyonTIFFReader *reader) {
    if (!reader) {
        return;
    }
    if (reader->has_image) {
        TIFFRGBAImageEnd(&reader->image);
    }
    if (reader->tiff) {
        TIFFClose(reader->tiff);
    }
    free(reader);
}

void halcyon_tiff_reader_forget_message(HalcyonTIFFReader *reader) { reader->stream.message[0] = 0; }

const char *halcyon_tiff_reader_message(const HalcyonTIFFReader *reader) {
    return reader->stream.message;
}

bool halcyon_tiff_reader_layout(HalcyonTIFFReader *reader, HalcyonTIFFLayout *layout) {
    TIFF *tiff = reader->tiff;
    memset(layout, 0, sizeof *layout);
    uint16_t planar = PLANARCONFIG_CONTIG;
    if (!TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &layout->width)
        || !TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &layout->height)) {
        return false;
    }
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &layout->bits_per_sample);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &layout->samples_per_pixel);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &layout->sample_format);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &planar);
    if (!TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &layout->photometric)) {
        layout->photometric = UINT16_MAX;
    }
    uint16_t *red = NULL, *green = NULL, *blue = NULL;
    if (TIFFGetField(tiff, TIFFTAG_COLORMAP, &red, &green, &blue)) {
        layout->color_map[0] = red;
        layout->color_map[1] = green;
        layout->color_map[2] = blue;
    }
    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &layout->compression);
    layout->has_codec = TIFFIsCODECConfigured(layout->compression) != 0;
    uint16_t horizontal = 0, vertical = 0;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_YCBCRSUBSAMPLING, &horizontal, &vertical);
    layout->is_full_ycbcr = layout->photometric == PHOTOMETRIC_YCBCR && horizontal == 1 && vertical == 1
        && layout->bits_per_sample == 8 && layout->samples_per_pixel >= 3 && layout->compression != COMPRESSION_JPEG
        && layout->compression != COMPRESSION_OJPEG;
    layout->is_planar = planar == PLANARCONFIG_SEPARATE;
    // libjpeg makes red, green and blue of YCbCr, row by row.
    if (layout->photometric == PHOTOMETRIC_YCBCR && layout->compression == COMPRESSION_JPEG && !layout->is_planar
        && layout->bits_per_sample == 8 && layout->samples_per_pixel == 3 && layout->has_codec
        && TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB)) {
        layout->photometric = PHOTOMETRIC_RGB;
    }
    layout->is_tiled = TIFFIsTiled(tiff) != 0;
    tmsize_t size, row_size;
    if (layout->is_tiled) {
        TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &layout->segment_width);
        TIFFGetField(tiff, TIFFTAG_TILELENGTH, &layout->segment_height);
        size = TIFFTileSize(tiff);
        row_size = TIFFTileRowSize(tiff);
    } else {
        uint32_t rows = 0;
        TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &rows);
        layout->segment_width = layout->width;
        layout->segment_height = rows == 0 || rows > layout->height ? layout->height : rows;
        size = TIFFStripSize(tiff);
        row_size = TIFFScanlineSize(tiff);
    }
    if (size <= 0 || row_size <= 0 || layout->segment_width == 0 || layout->segment_height == 0) {
        return false;
    }
    layout->segment_size = (size_t)size;
    layout->segment_row_size = (size_t)row_size;
    return true;
}

bool halcyon_tiff_reader_is_cut_short(HalcyonTIFFReader *reader) {
    if (reader->stream.padding > 0) {
        return true;
    }
    uint32_t count = TIFFIsTiled(reader->tiff) ? TIFFNumberOfTiles(reader->tiff) : TIFFNumberOfStrips(reader->tiff);
    for (uint32_t index = 0; index < count; index++) {
        uint64_t offset = TIFFGetStrileOffset(reader->tiff, index);
        uint64_t size = TIFFGetStrileByteCount(reader->tiff, index);
        if (size > 0 && (offset > reader->stream.count || size > reader->stream.count - offset)) {
            return true;
        }
    }
    return false;
}

uint64_t halcyon_tiff_reader_plain_end(HalcyonTIFFReader *reader) {
    uint16_t compression = 0;
    TIFFGetFieldDefaulted(reader->tiff, TIFFTAG_COMPRESSION, &compression);
    uint64_t end = 0;
    if (compression != COMPRESSION_NONE || TIFFIsTiled(reader->tiff)) {
        return end;
    }
    uint32_t count = TIFFNumberOfStrips(reader->tiff);
    for (uint32_t strip = 0; strip < count; strip++) {
        uint64_t offset = TIFFGetStrileOffset(reader->tiff, strip);
        uint64_t size = TIFFGetStrileByteCount(reader->tiff, strip);
        // What begins beyond the end is missing as a whole.
        if (offset < reader->stream.count && size <= UINT64_MAX - offset && offset + size > end) {
            end = offset + size;
        }
    }
    return end;
}

bool halcyon_tiff_reader_has_plain_row(HalcyonTIFFReader *reader, uint32_t row, uint16_t plane) {
    if (TIFFIsTiled(reader->tiff)) {
        return true;
    }
    uint32_t rows = 0;
    TIFFGetFieldDefaulted(reader->tiff, TIFFTAG_ROWSPERSTRIP, &rows);
    uint64_t before = rows == 0 ? row : row % rows;
    uint64_t offset = TIFFGetStrileOffset(reader->tiff, TIFFComputeStrip(reader->tiff, row, plane));
    uint64_t size = (uint64_t)TIFFScanlineSize(reader->tiff);
    return offset <= reader->stream.count && (reader->stream.count - offset) / size > before;
}

bool halcyon_tiff_reader_is_left_out(HalcyonTIFFReader *reader, uint32_t column, uint32_t row, uint16_t plane) {
    TIFF *tiff = reader->tiff;
    uint32_t index = TIFFIsTiled(tiff) ? TIFFComputeTile(tiff, column, row, 0, plane) : TIFFComputeStrip(tiff, row, plane);
    return TIFFGetStrileOffset(tiff, index) == 0 && TIFFGetStrileByteCount(tiff, index) == 0;
}

bool halcyon_tiff_reader_read_row(HalcyonTIFFReader *reader, uint32_t row, uint8_t *out) {
    return TIFFReadScanline(reader->tiff, out, row, 0) >= 0;
}

bool halcyon_tiff_reader_read_segment(
    HalcyonTIFFReader *reader,
    uint32_t column,
    uint32_t row,
    uint16_t plane,
    uint8_t *out,
    size_t size
) {
    if (TIFFIsTiled(reader->tiff)) {
        uint32_t tile = TIFFComputeTile(reader->tiff, column, row, 0, plane);
        return TIFFReadEncodedTile(reader->tiff, tile, out, (tmsize_t)size) >= 0;
    }
    uint32_t strip = TIFFComputeStrip(reader->tiff, row, plane);
    // Zeros are read where the file is padded.
    uint64_t end = TIFFGetStrileOffset(reader->tiff, strip) + TIFFGetStrileByteCount(reader->tiff, strip);
    return TIFFReadEncodedStrip(reader->tiff, strip, out, (tmsize_t)size) >= 0
        && (reader->stream.padding == 0 || end <= reader->stream.count);
}

bool halcyon_tiff_reader_start_rgba(HalcyonTIFFReader *reader) {
    // The size that libtiff asks for.
    char message[1024] = "";
    reader->has_image = TIFFRGBAImageBegin(&reader->image, reader->tiff, 1, message) != 0;
    if (!reader->has_image) {
        snprintf(reader->stream.message, sizeof reader->stream.message, "%.200s", message);
        return false;
    }
    // Rows and columns as stored: the caller turns the whole image.
    reader->image.req_orientation = reader->image.orientation;
    return true;
}

bool halcyon_tiff_reader_read_rgba(HalcyonTIFFReader *reader, uint32_t row, uint32_t count, uint32_t *out) {
    if (row > INT32_MAX || count > reader->image.height || row > reader->image.height - count) {
        return false;
    }
    reader->image.row_offset = (int)row;
    reader->image.col_offset = 0;
    return TIFFRGBAImageGet(&reader->image, out, reader->image.width, count) != 0;
}
