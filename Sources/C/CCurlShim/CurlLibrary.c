#include "CurlLibrary.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define LIBRARY "libcurl.so.4"

static HalcyonCurlLibrary library;
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
    HALCYON_CURL_FUNCTIONS(LOAD)
#undef LOAD
}

const HalcyonCurlLibrary *halcyon_curl_library(void) {
    pthread_once(&once, load);
    return is_loaded ? &library : NULL;
}
