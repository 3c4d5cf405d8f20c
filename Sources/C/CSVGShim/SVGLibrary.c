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
    HALCYON_LOAD_FUNCTION_FROM(rsvg, rsvg_handle_new_from_data)
    HALCYON_LOAD_FUNCTION_FROM(rsvg, rsvg_handle_set_dpi)
    HALCYON_LOAD_FUNCTION_FROM(rsvg, rsvg_handle_get_geometry_for_layer)
    HALCYON_LOAD_FUNCTION_FROM(rsvg, rsvg_handle_render_document)
    HALCYON_LOAD_FUNCTION_FROM(objects, g_object_unref)
    HALCYON_LOAD_FUNCTION_FROM(glib, g_error_free)
    HALCYON_LOAD_FUNCTION_FROM(cairo, cairo_image_surface_create_for_data)
    HALCYON_LOAD_FUNCTION_FROM(cairo, cairo_surface_flush)
    HALCYON_LOAD_FUNCTION_FROM(cairo, cairo_surface_finish)
    HALCYON_LOAD_FUNCTION_FROM(cairo, cairo_surface_destroy)
    HALCYON_LOAD_FUNCTION_FROM(cairo, cairo_create)
    HALCYON_LOAD_FUNCTION_FROM(cairo, cairo_destroy)
    HALCYON_LOAD_FUNCTION_FROM(cairo, cairo_status)
    HALCYON_LOAD_FUNCTION_FROM(cairo, cairo_scale)
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
