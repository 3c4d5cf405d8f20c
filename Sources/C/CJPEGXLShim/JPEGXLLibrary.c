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

static HalcyonJPEGXLLibrary library;
static HalcyonLibraryState state;

static bool load(void) {
    void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    bool is_complete = handle != NULL;
#define LOAD(name) \
    library.name = is_complete ? (__typeof__(library.name))dlsym(handle, #name) : NULL; \
    is_complete = is_complete && library.name != NULL;
    HALCYON_JPEGXL_FUNCTIONS(LOAD)
#undef LOAD
    return is_complete;
}

const HalcyonJPEGXLLibrary *halcyon_jpegxl_library(void) {
    return halcyon_load_library(&state, load) ? &library : NULL;
}
