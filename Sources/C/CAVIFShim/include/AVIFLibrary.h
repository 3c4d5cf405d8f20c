// libavif, which is loaded on first use.
#ifndef HALCYON_AVIF_LIBRARY_H
#define HALCYON_AVIF_LIBRARY_H

#include <avif/avif.h>

/// The functions in use, by the names that they have in the library.
#define HALCYON_AVIF_FUNCTIONS(FUNCTION)        \
    FUNCTION(avifDecoderCreate)                 \
    FUNCTION(avifDecoderDestroy)                \
    FUNCTION(avifDecoderNearestKeyframe)        \
    FUNCTION(avifDecoderNthImage)               \
    FUNCTION(avifDecoderParse)                  \
    FUNCTION(avifDecoderSetIOMemory)            \
    FUNCTION(avifEncoderAddImage)               \
    FUNCTION(avifEncoderCreate)                 \
    FUNCTION(avifEncoderDestroy)                \
    FUNCTION(avifEncoderFinish)                 \
    FUNCTION(avifEncoderSetCodecSpecificOption) \
    FUNCTION(avifGetPixelFormatInfo)            \
    FUNCTION(avifImageCreate)                   \
    FUNCTION(avifImageDestroy)                  \
    FUNCTION(avifImageRGBToYUV)                 \
    FUNCTION(avifImageSetMetadataExif)          \
    FUNCTION(avifImageSetMetadataXMP)           \
    FUNCTION(avifImageSetProfileICC)            \
    FUNCTION(avifImageYUVToRGB)                 \
    FUNCTION(avifRGBImageSetDefaults)           \
    FUNCTION(avifRWDataFree)                    \
    FUNCTION(avifResultToString)                \
    FUNCTION(avifVersion)

typedef struct {
#define HALCYON_DECLARE(name) __typeof__(name) *_Nonnull name;
    HALCYON_AVIF_FUNCTIONS(HALCYON_DECLARE)
#undef HALCYON_DECLARE
} HalcyonAVIFLibrary;

/// The functions; `NULL` where the library is not installed. Loads it on first use, and never unloads it.
const HalcyonAVIFLibrary *_Nullable halcyon_avif_library(void);

#endif
