#include "CTIFFShim.h"
#include "TIFFStream.h"

#include <stdlib.h>
#include <string.h>

struct HalcyonTIFFWriter {
    HalcyonTIFFStream stream;
    size_t capacity;
    TIFF *tiff;
    uint32_t row;
    bool has_page;
};

static tmsize_t write_bytes(thandle_t stream, void *bytes, tmsize_t size) {
    HalcyonTIFFWriter *writer = stream;
    if (size <= 0) {
        return 0;
    }
    if (writer->stream.position > SIZE_MAX / 4 || (size_t)size > SIZE_MAX / 4) {
        return -1;
    }
    size_t end = (size_t)writer->stream.position + (size_t)size;
    if (end > writer->capacity) {
        size_t capacity = writer->capacity * 2 > end ? writer->capacity * 2 : end;
        uint8_t *grown = realloc(writer->stream.bytes, capacity);
        if (!grown) {
            return -1;
        }
        writer->stream.bytes = grown;
        writer->capacity = capacity;
    }
    if (writer->stream.position > writer->stream.count) {
        memset(writer->stream.bytes + writer->stream.count, 0, (size_t)writer->stream.position - writer->stream.count);
    }
    memcpy(writer->stream.bytes + writer->stream.position, bytes, (size_t)size);
    writer->stream.position = end;
    writer->stream.count = end > writer->stream.count ? end : writer->stream.count;
    return size;
}

static int map_nothing(thandle_t stream, void **bytes, toff_t *count) {
    (void)stream;
    (void)bytes;
    (void)count;
    return 0;
}

static bool set_fields(TIFF *tiff, const HalcyonTIFFPage *page) {
    bool is_set = TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, page->width)
        && TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, page->height)
        && TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, page->bits_per_sample)
        && TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, page->samples_per_pixel)
        && TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_RGB)
        && TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG)
        && TIFFSetField(tiff, TIFFTAG_ORIENTATION, page->orientation)
        && TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE)
        && TIFFSetField(tiff, TIFFTAG_ZIPQUALITY, (int)page->deflate_level)
        && TIFFSetField(tiff, TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL);
    if (is_set && page->count > 0) {
        is_set = TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, (uint32_t)FILETYPE_PAGE)
            && TIFFSetField(tiff, TIFFTAG_PAGENUMBER, page->number, page->count);
    }
    if (is_set && page->samples_per_pixel == 4) {
        uint16_t alpha = EXTRASAMPLE_UNASSALPHA;
        is_set = TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &alpha);
    }
    if (is_set && page->icc_profile_size > 0) {
        is_set = TIFFSetField(tiff, TIFFTAG_ICCPROFILE, (uint32_t)page->icc_profile_size, page->icc_profile);
    }
    if (is_set && page->xmp_size > 0) {
        is_set = TIFFSetField(tiff, TIFFTAG_XMLPACKET, (uint32_t)page->xmp_size, page->xmp);
    }
    // Strips of about 64 kB: a reader need not hold more than one.
    uint64_t row_size = (uint64_t)page->width * page->samples_per_pixel * page->bits_per_sample / 8;
    uint32_t rows = row_size >= 65536 ? 1 : (uint32_t)(65536 / (row_size > 0 ? row_size : 1));
    return is_set && TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, rows);
}

HalcyonTIFFWriter *halcyon_tiff_writer_open(void) {
    HalcyonTIFFWriter *writer = calloc(1, sizeof *writer);
    if (!writer) {
        return NULL;
    }
    // l: little endian, whatever the machine.
    writer->tiff = halcyon_tiff_open("wl", &writer->stream, write_bytes, map_nothing, 0);
    if (writer->tiff) {
        return writer;
    }
    halcyon_tiff_writer_close(writer);
    return NULL;
}

bool halcyon_tiff_writer_start_page(HalcyonTIFFWriter *writer, const HalcyonTIFFPage *page) {
    if (writer->has_page && !TIFFWriteDirectory(writer->tiff)) {
        return false;
    }
    writer->has_page = true;
    writer->row = 0;
    return set_fields(writer->tiff, page);
}

void halcyon_tiff_writer_close(HalcyonTIFFWriter *writer) {
    if (!writer) {
        return;
    }
    if (writer->tiff) {
        TIFFClose(writer->tiff);
    }
    free(writer->stream.bytes);
    free(writer);
}

const char *halcyon_tiff_writer_message(const HalcyonTIFFWriter *writer) {
    return writer->stream.message;
}

bool halcyon_tiff_writer_write_row(HalcyonTIFFWriter *writer, uint8_t *samples) {
    return TIFFWriteScanline(writer->tiff, samples, writer->row++, 0) >= 0;
}

bool halcyon_tiff_writer_finish(HalcyonTIFFWriter *writer, const uint8_t **bytes, size_t *count) {
    bool is_written = TIFFWriteDirectory(writer->tiff) && TIFFFlush(writer->tiff);
    *bytes = writer->stream.bytes;
    *count = writer->stream.count;
    return is_written;
}
