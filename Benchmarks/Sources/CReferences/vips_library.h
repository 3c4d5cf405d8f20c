#ifndef HALCYON_REFERENCE_VIPS_LIBRARY_H
#define HALCYON_REFERENCE_VIPS_LIBRARY_H

#include <stddef.h>

// A function of libvips, or of a library that it needs, and the pointer to store it in.
typedef struct VipsSymbol {
    const char *name;
    void *target;
} VipsSymbol;

// Loads a library, stores functions of it, and starts it with a number of threads for one image, without its cache of
// operations. Returns NULL, or what went wrong.
const char *vips_library_load(const char *path, int concurrency, const VipsSymbol *symbols, size_t count);

// Stores more functions of the library that was loaded last. Returns NULL, or what went wrong.
const char *vips_library_find(const VipsSymbol *symbols, size_t count);

#endif
