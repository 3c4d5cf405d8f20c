#ifndef HALCYON_TIFF_STREAM_H
#define HALCYON_TIFF_STREAM_H

#include <stddef.h>
#include <stdint.h>
#include <tiffio.h>

/// libtiff 4.5 and newer tell each handle's errors to its own handler; older ones have one handler for all.
#define HALCYON_TIFF_HAS_OPEN_OPTIONS (TIFFLIB_VERSION >= 20221213)

/// libtiff 4.7 and newer bound the sum of what a handle holds, too.
#define HALCYON_TIFF_HAS_CUMULATED_LIMIT (TIFFLIB_VERSION >= 20240911)

enum { HALCYON_TIFF_MESSAGE_CAPACITY = 256 };

/// A file in memory, with the place that the next call of libtiff reads or writes, and the first error.
typedef struct {
    uint8_t *bytes;
    size_t count;
    uint64_t position;
    /// Zeros that can be read beyond the end.
    size_t padding;
    char message[HALCYON_TIFF_MESSAGE_CAPACITY];
} HalcyonTIFFStream;

/// Opens a stream, which is the first member of what the caller's `write` and `map` take. Warnings are dropped, but for those
/// of pixels that are missing.
///
/// `greatest_allocation`: the bytes that libtiff may take at a time from 4.5 on, and in all from 4.7 on; 0 for no
/// bound.
TIFF *halcyon_tiff_open(
    const char *mode,
    HalcyonTIFFStream *stream,
    TIFFReadWriteProc write,
    TIFFMapFileProc map,
    size_t greatest_allocation
);

#endif
