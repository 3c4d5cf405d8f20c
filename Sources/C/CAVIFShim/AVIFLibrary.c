#include "AVIFLibrary.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

// The file is named after the binary interface, which is the same in all versions since 1.0.
#if AVIF_VERSION >= 1000000
#define LIBRARY "libavif.so.16"
#else
#define LIBRARY "libavif.so.15"
#endif

static HalcyonAVIFLibrary library;
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
    HALCYON_AVIF_FUNCTIONS(LOAD)
#undef LOAD
}

const HalcyonAVIFLibrary *halcyon_avif_library(void) {
    pthread_once(&once, load);
    return is_loaded ? &library : NULL;
}
