#include "CurlLibrary.h"

#include "CLibraryLoading.h"

// Debian has it with OpenSSL and with GnuTLS, both with the same binary interface.
#define LIBRARY "libcurl.so.4"
#define OTHER_LIBRARY "libcurl-gnutls.so.4"

static HalcyonCurlLibrary library;
static HalcyonLibraryState state;

static bool load(void) {
    void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        handle = dlopen(OTHER_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    }
    bool is_complete = handle != NULL;
#define LOAD(name) \
    library.name = is_complete ? (__typeof__(library.name))dlsym(handle, #name) : NULL; \
    is_complete = is_complete && library.name != NULL;
    HALCYON_CURL_FUNCTIONS(LOAD)
#undef LOAD
    return is_complete;
}

const HalcyonCurlLibrary *halcyon_curl_library(void) {
    return halcyon_load_library(&state, load) ? &library : NULL;
}
