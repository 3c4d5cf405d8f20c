#include "AVIFLibrary.h"

#include "CLibraryLoading.h"

// The file is named after the binary interface, which is the same in all versions since 1.0.
#if AVIF_VERSION >= 1000000
#define LIBRARY "libavif.so.16"
#else
#define LIBRARY "libavif.so.15"
#endif

static HalcyonAVIFLibrary library;
static HalcyonLibraryState state;

static bool load(void) {
    void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    bool is_complete = handle != NULL;
#define LOAD(name) \
    library.name = is_complete ? (__typeof__(library.name))dlsym(handle, #name) : NULL; \
    is_complete = is_complete && library.name != NULL;
    HALCYON_AVIF_FUNCTIONS(LOAD)
#undef LOAD
    return is_complete;
}

const HalcyonAVIFLibrary *halcyon_avif_library(void) {
    return halcyon_load_library(&state, load) ? &library : NULL;
}
