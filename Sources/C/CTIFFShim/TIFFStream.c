#include "TIFFStream.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static tmsize_t read_bytes(thandle_t handle, void *out, tmsize_t size) {
    HalcyonTIFFStream *stream = handle;
    size_t end = stream->count + stream->padding;
    if (size <= 0 || stream->position >= end) {
        return 0;
    }
    size_t position = (size_t)stream->position;
    size_t count = (size_t)size < end - position ? (size_t)size : end - position;
    size_t stored = position < stream->count ? stream->count - position : 0;
    stored = stored < count ? stored : count;
    if (stored > 0) {
        memcpy(out, stream->bytes + position, stored);
    }
    memset((uint8_t *)out + stored, 0, count - stored);
    stream->position += count;
    return (tmsize_t)count;
}

static toff_t seek(thandle_t handle, toff_t offset, int whence) {
    HalcyonTIFFStream *stream = handle;
    uint64_t base = whence == SEEK_CUR ? stream->position : whence == SEEK_END ? stream->count + stream->padding : 0;
    stream->position = base + offset;
    return stream->position;
}

static toff_t size_of(thandle_t handle) {
    HalcyonTIFFStream *stream = handle;
    return stream->count + stream->padding;
}

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

/// Keeps, of the warnings, that pixels are missing: libjpeg's, and that of a facsimile.
static int keep_missing_end(TIFF *tiff, void *message, const char *module, const char *format, va_list arguments) {
    char text[HALCYON_TIFF_MESSAGE_CAPACITY];
    va_list copy;
    va_copy(copy, arguments);
    vsnprintf(text, sizeof text, format, copy);
    va_end(copy);
    bool is_missing = strstr(text, "Premature end of JPEG") || strstr(text, "Premature EOF");
    return is_missing ? keep_message(tiff, message, module, format, arguments) : 1;
}

#else

/// Without a handler libtiff writes nothing to the standard error stream. Before 4.5, the handlers are the process's,
/// and may be set once only: other threads may be reading.
static void remove_handlers(void) {
    TIFFSetErrorHandler(NULL);
    TIFFSetWarningHandler(NULL);
}

static pthread_once_t handlers_removed = PTHREAD_ONCE_INIT;

#endif

TIFF *halcyon_tiff_open(
    const char *mode,
    HalcyonTIFFStream *stream,
    TIFFReadWriteProc write,
    TIFFMapFileProc map,
    size_t greatest_allocation
) {
#if HALCYON_TIFF_HAS_OPEN_OPTIONS
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (!options) {
        return NULL;
    }
    if (greatest_allocation > 0 && greatest_allocation <= INT64_MAX) {
        TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)greatest_allocation);
#if HALCYON_TIFF_HAS_CUMULATED_LIMIT
        TIFFOpenOptionsSetMaxCumulatedMemAlloc(options, (tmsize_t)greatest_allocation);
#endif
    }
    TIFFOpenOptionsSetErrorHandlerExtR(options, keep_message, stream->message);
    TIFFOpenOptionsSetWarningHandlerExtR(options, keep_missing_end, stream->message);
    TIFF *tiff = TIFFClientOpenExt(
        "memory", mode, stream, read_bytes, write, seek, close_nothing, size_of, map, unmap_nothing, options
    );
    TIFFOpenOptionsFree(options);
    return tiff;
#else
    (void)greatest_allocation;
    pthread_once(&handlers_removed, remove_handlers);
    return TIFFClientOpen("memory", mode, stream, read_bytes, write, seek, close_nothing, size_of, map, unmap_nothing);
#endif
}
