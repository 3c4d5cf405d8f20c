#include "JPEGXLLibrary.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

// Until version 1.0, each minor version may have another binary interface, and the file is named after it.
#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
#if JPEGXL_MAJOR_VERSION == 0
#define LIBRARY "libjxl.so.0." TEXT(JPEGXL_MINOR_VERSION)
#else
#define LIBRARY "libjxl.so." TEXT(JPEGXL_MAJOR_VERSION)
#endif

static HalcyonJPEGXLLibrary library;
static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        return;
    }
    is_loaded = true;
#define LOAD(name) \
    library.name = (__typeof__(library.name))dlsym(handle, #name); \
    is_loaded = is_loaded && library.name != NULL;
    HALCYON_JPEGXL_FUNCTIONS(LOAD)
#undef LOAD
}

const HalcyonJPEGXLLibrary *halcyon_jpegxl_library(void) {
    pthread_once(&once, load);
    return is_loaded ? &library : NULL;
}
