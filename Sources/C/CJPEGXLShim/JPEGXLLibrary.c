#include "JPEGXLLibrary.h"

#include "CLibraryLoading.h"

// Until version 1.0, each minor version may have another binary interface, and the file is named after it.
#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
#if JPEGXL_MAJOR_VERSION == 0
#define LIBRARY "libjxl.so.0." TEXT(JPEGXL_MINOR_VERSION)
#else
#define LIBRARY "libjxl.so." TEXT(JPEGXL_MAJOR_VERSION)
#endif

HALCYON_DEFINE_LIBRARY(HalcyonJPEGXLLibrary, halcyon_jpegxl_library, HALCYON_JPEGXL_FUNCTIONS, LIBRARY)
