#include "HEIFLibrary.h"

#include "CLibraryLoading.h"

#define LIBRARY "libheif.so.1"

static HalcyonHEIFLibrary library;
static HalcyonLibraryState state;

static bool load(void) {
    void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    bool is_complete = handle != NULL;
#define LOAD(name) \
    library.name = is_complete ? (__typeof__(library.name))dlsym(handle, #name) : NULL; \
    is_complete = is_complete && library.name != NULL;
    HALCYON_HEIF_FUNCTIONS(LOAD)
#undef LOAD
    return is_complete;
}

const HalcyonHEIFLibrary *halcyon_heif_library(void) {
    return halcyon_load_library(&state, load) ? &library : NULL;
}
