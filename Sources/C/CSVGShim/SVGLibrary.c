#include "CSVGShim.h"

#include "CLibraryLoading.h"

static HalcyonSVGLibrary library;
static HalcyonLibraryState state;

static bool load(void) {
    void *rsvg = dlopen("librsvg-2.so.2", RTLD_NOW | RTLD_LOCAL);
    void *cairo = dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL);
    void *objects = dlopen("libgobject-2.0.so.0", RTLD_NOW | RTLD_LOCAL);
    void *glib = dlopen("libglib-2.0.so.0", RTLD_NOW | RTLD_LOCAL);
    if (rsvg == NULL || cairo == NULL || objects == NULL || glib == NULL) {
        return false;
    }
    bool is_complete = true;
#define LOAD(handle, name) \
    library.name = (__typeof__(library.name))dlsym(handle, #name); \
    is_complete = is_complete && library.name != NULL;
    LOAD(rsvg, rsvg_handle_new_from_data)
    LOAD(rsvg, rsvg_handle_set_dpi)
    LOAD(rsvg, rsvg_handle_get_geometry_for_layer)
    LOAD(rsvg, rsvg_handle_render_document)
    LOAD(objects, g_object_unref)
    LOAD(glib, g_error_free)
    LOAD(cairo, cairo_image_surface_create_for_data)
    LOAD(cairo, cairo_surface_flush)
    LOAD(cairo, cairo_surface_finish)
    LOAD(cairo, cairo_surface_destroy)
    LOAD(cairo, cairo_create)
    LOAD(cairo, cairo_destroy)
    LOAD(cairo, cairo_status)
    LOAD(cairo, cairo_scale)
#undef LOAD
    const unsigned *major = dlsym(rsvg, "rsvg_major_version");
    const unsigned *minor = dlsym(rsvg, "rsvg_minor_version");
    if (!is_complete || major == NULL || minor == NULL) {
        return false;
    }
    library.major_version = *major;
    library.minor_version = *minor;
    return true;
}

const HalcyonSVGLibrary *halcyon_svg_library(void) {
    return halcyon_load_library(&state, load) ? &library : NULL;
}
