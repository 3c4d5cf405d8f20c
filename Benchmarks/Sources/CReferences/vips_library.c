#define _GNU_SOURCE
#include "vips_library.h"

#include <dlfcn.h>
#include <string.h>

static void *library;

const char *vips_library_load(const char *path, int concurrency, const VipsSymbol *symbols, size_t count) {
    // A wheel's library has a GLib of its own, which must not be mixed with the system's.
    void *loaded = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (!loaded) {
        return dlerror();
    }
    library = loaded;
    int (*init)(const char *);
    void (*concurrency_set)(int);
    void (*cache_set_max)(int);
    const VipsSymbol own[] = {
        {"vips_init", &init},
        {"vips_concurrency_set", &concurrency_set},
        {"vips_cache_set_max", &cache_set_max},
    };
    const char *failure = vips_library_find(own, sizeof own / sizeof *own);
    if (!failure) {
        failure = vips_library_find(symbols, count);
    }
    if (failure) {
        return failure;
    }
    if (init("halcyon-bench") != 0) {
        return "vips_init failed";
    }
    concurrency_set(concurrency);
    cache_set_max(0);
    return NULL;
}

const char *vips_library_find(const VipsSymbol *symbols, size_t count) {
    if (!library) {
        return "libvips is not loaded";
    }
    for (size_t i = 0; i < count; i++) {
        void *symbol = dlsym(library, symbols[i].name);
        if (!symbol) {
            return dlerror();
        }
        memcpy(symbols[i].target, &symbol, sizeof symbol);
    }
    return NULL;
}
