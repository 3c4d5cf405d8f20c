// libjxl, which is loaded on first use.
#ifndef HALCYON_JPEGXL_LIBRARY_H
#define HALCYON_JPEGXL_LIBRARY_H

#include <jxl/decode.h>
#include <jxl/encode.h>
#include <jxl/version.h>

/// The functions in use, by the names that they have in the library.
#define HALCYON_JPEGXL_FUNCTIONS(FUNCTION)       \
    FUNCTION(JxlColorEncodingSetToSRGB)          \
    FUNCTION(JxlDecoderCloseInput)               \
    FUNCTION(JxlDecoderCreate)                   \
    FUNCTION(JxlDecoderDestroy)                  \
    FUNCTION(JxlDecoderExtraChannelBufferSize)   \
    FUNCTION(JxlDecoderFlushImage)               \
    FUNCTION(JxlDecoderGetBasicInfo)             \
    FUNCTION(JxlDecoderGetColorAsEncodedProfile) \
    FUNCTION(JxlDecoderGetColorAsICCProfile)     \
    FUNCTION(JxlDecoderGetExtraChannelInfo)      \
    FUNCTION(JxlDecoderGetFrameHeader)           \
    FUNCTION(JxlDecoderGetICCProfileSize)        \
    FUNCTION(JxlDecoderImageOutBufferSize)       \
    FUNCTION(JxlDecoderProcessInput)             \
    FUNCTION(JxlDecoderReleaseInput)             \
    FUNCTION(JxlDecoderReleaseJPEGBuffer)        \
    FUNCTION(JxlDecoderRewind)                   \
    FUNCTION(JxlDecoderSetCoalescing)            \
    FUNCTION(JxlDecoderSetExtraChannelBuffer)    \
    FUNCTION(JxlDecoderSetImageOutBuffer)        \
    FUNCTION(JxlDecoderSetInput)                 \
    FUNCTION(JxlDecoderSetJPEGBuffer)            \
    FUNCTION(JxlDecoderSetKeepOrientation)       \
    FUNCTION(JxlDecoderSetParallelRunner)        \
    FUNCTION(JxlDecoderSetPreferredColorProfile) \
    FUNCTION(JxlDecoderSkipFrames)               \
    FUNCTION(JxlDecoderSubscribeEvents)          \
    FUNCTION(JxlDecoderVersion)                  \
    FUNCTION(JxlEncoderAddBox)                   \
    FUNCTION(JxlEncoderAddImageFrame)            \
    FUNCTION(JxlEncoderAddJPEGFrame)             \
    FUNCTION(JxlEncoderCloseBoxes)               \
    FUNCTION(JxlEncoderCloseInput)               \
    FUNCTION(JxlEncoderCreate)                   \
    FUNCTION(JxlEncoderDestroy)                  \
    FUNCTION(JxlEncoderFrameSettingsCreate)      \
    FUNCTION(JxlEncoderFrameSettingsSetOption)   \
    FUNCTION(JxlEncoderGetError)                 \
    FUNCTION(JxlEncoderInitBasicInfo)            \
    FUNCTION(JxlEncoderInitFrameHeader)          \
    FUNCTION(JxlEncoderProcessOutput)            \
    FUNCTION(JxlEncoderSetBasicInfo)             \
    FUNCTION(JxlEncoderSetColorEncoding)         \
    FUNCTION(JxlEncoderSetFrameDistance)         \
    FUNCTION(JxlEncoderSetFrameHeader)           \
    FUNCTION(JxlEncoderSetFrameLossless)         \
    FUNCTION(JxlEncoderSetICCProfile)            \
    FUNCTION(JxlEncoderStoreJPEGMetadata)        \
    FUNCTION(JxlEncoderUseBoxes)                 \
    FUNCTION(JxlEncoderUseContainer)

typedef struct {
#define HALCYON_DECLARE(name) __typeof__(name) *_Nonnull name;
    HALCYON_JPEGXL_FUNCTIONS(HALCYON_DECLARE)
#undef HALCYON_DECLARE
} HalcyonJPEGXLLibrary;

/// The functions; `NULL` where the library is not installed. Loads it on first use, and never unloads it.
const HalcyonJPEGXLLibrary *_Nullable halcyon_jpegxl_library(void);

#endif
