#ifndef HALCYON_TIFF_STREAM_H
#define HALCYON_TIFF_STREAM_H

#include <stddef.h>
#include <stdint.h>
#include <tiffio.h>

/// libtiff 4.5 and newer tell each handle's errors to its own handler; older ones have one handler for all.
#define HALCYON_TIFF_HAS_OPEN_OPTIONS (TIFFLIB_VERSION >= 20221213)

enum { HALCYON_TIFF_MESSAGE_CAPACITY = 256 };

/// A file in memory, with the place that the next call of libtiff reads or writes, and the first error.
typedef struct {
    uint8_t *bytes;
    size_t count;
    uint64_t position;
    char message[HALCYON_TIFF_MESSAGE_CAPACITY];
} HalcyonTIFFStream;

/// Opens a stream, which is the first member of what the caller's `write` and `map` take. Warnings are dropped.
TIFF *halcyon_tiff_open(
    const char *mode,
    HalcyonTIFFStream *stream,
    TIFFReadWriteProc write,
    TIFFMapFileProc map,
    size_t greatest_allocation
);

#endif
