#include "HEIFLibrary.h"

#include "CLibraryLoading.h"

HALCYON_DEFINE_LIBRARY(HalcyonHEIFLibrary, halcyon_heif_library, HALCYON_HEIF_FUNCTIONS, "libheif.so.1")
