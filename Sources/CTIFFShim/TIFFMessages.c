#include "TIFFMessages.h"

#include <stdarg.h>
#include <stdio.h>

static int close_nothing(thandle_t stream) {
    (void)stream;
    return 0;
}

static void unmap_nothing(thandle_t stream, void *bytes, toff_t count) {
    (void)stream;
    (void)bytes;
    (void)count;
}

#if HALCYON_TIFF_HAS_OPEN_OPTIONS

/// Keeps the first error: those after it are its consequences.
static int keep_message(TIFF *tiff, void *message, const char *module, const char *format, va_list arguments) {
    (void)tiff;
    (void)module;
    char *text = message;
    if (text[0] == 0) {
        vsnprintf(text, HALCYON_TIFF_MESSAGE_CAPACITY, format, arguments);
    }
    return 1;
}

static int drop_message(TIFF *tiff, void *nothing, const char *module, const char *format, va_list arguments) {
    (void)tiff;
    (void)nothing;
    (void)module;
    (void)format;
    (void)arguments;
    return 1;
}

#endif

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
) {
#if HALCYON_TIFF_HAS_OPEN_OPTIONS
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (!options) {
        return NULL;
    }
    if (greatest_allocation > 0 && greatest_allocation <= INT64_MAX) {
        TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)greatest_allocation);
    }
    TIFFOpenOptionsSetErrorHandlerExtR(options, keep_message, message);
    TIFFOpenOptionsSetWarningHandlerExtR(options, drop_message, NULL);
    TIFF *tiff = TIFFClientOpenExt(
        "memory", mode, stream, read, write, seek, close_nothing, size, map, unmap_nothing, options
    );
    TIFFOpenOptionsFree(options);
    return tiff;
#else
    (void)greatest_allocation;
    (void)message;
    // Without a handler libtiff writes nothing to the standard error stream.
    TIFFSetErrorHandler(NULL);
    TIFFSetWarningHandler(NULL);
    return TIFFClientOpen("memory", mode, stream, read, write, seek, close_nothing, size, map, unmap_nothing);
#endif
}
