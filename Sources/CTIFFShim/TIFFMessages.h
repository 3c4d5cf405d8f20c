#ifndef HALCYON_TIFF_MESSAGES_H
#define HALCYON_TIFF_MESSAGES_H

#include <tiffio.h>

/// libtiff 4.5 and newer tell each handle's errors to its own handler; older ones have one handler for all.
#define HALCYON_TIFF_HAS_OPEN_OPTIONS (TIFFLIB_VERSION >= 20221213)

enum { HALCYON_TIFF_MESSAGE_CAPACITY = 256 };

/// Opens a stream of the caller's, with errors written to `message` and warnings dropped.
TIFF *halcyon_tiff_open(
    const char *mode,
    thandle_t stream,
    TIFFReadWriteProc read,
    TIFFReadWriteProc write,
    TIFFSeekProc seek,
    TIFFSizeProc size,
    TIFFMapFileProc map,
    size_t greatest_allocation,
    char *message
);

#endif
