#include "AVIFLibrary.h"

#include "CLibraryLoading.h"

// The file is named after the binary interface, which is the same in all versions since 1.0.
#if AVIF_VERSION >= 1000000
#define LIBRARY "libavif.so.16"
#else
#define LIBRARY "libavif.so.15"
#endif

HALCYON_DEFINE_LIBRARY(HalcyonAVIFLibrary, halcyon_avif_library, HALCYON_AVIF_FUNCTIONS, LIBRARY)
