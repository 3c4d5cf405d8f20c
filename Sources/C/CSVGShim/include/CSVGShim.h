// Drawings by librsvg and cairo, which are loaded on first use.
//
// They are not linked: with them come 40 further libraries, which take a third of the time in which a program starts that
// draws nothing. Their headers are not included either: those of GLib are found through pkg-config alone, and its flags
// would link them. What is declared here is part of the binary interface that the names of the libraries stand for
// (librsvg-2.so.2, libcairo.so.2, libgobject-2.0.so.0).
#ifndef HALCYON_SVG_SHIM_H
#define HALCYON_SVG_SHIM_H

#include <stdint.h>

/// `RsvgHandle`.
typedef struct HalcyonSVGHandle HalcyonSVGHandle;

/// `cairo_t`.
typedef struct HalcyonCairo HalcyonCairo;

/// `cairo_surface_t`.
typedef struct HalcyonCairoSurface HalcyonCairoSurface;

/// `RsvgRectangle`.
typedef struct {
    double x;
    double y;
    double width;
    double height;
} HalcyonSVGRectangle;

/// `GError`.
typedef struct {
    uint32_t domain;
    int code;
    char *_Nullable message;
} HalcyonSVGError;

/// `CAIRO_FORMAT_ARGB32`.
enum { HalcyonCairoFormatARGB32 = 0 };

/// `CAIRO_STATUS_SUCCESS`.
enum { HalcyonCairoStatusSuccess = 0 };

#pragma clang assume_nonnull begin

/// The functions in use, by the names that they have in their libraries.
typedef struct {
    HalcyonSVGHandle *_Nullable (*_Nonnull rsvg_handle_new_from_data)(
        const uint8_t *_Nullable bytes, uintptr_t count, HalcyonSVGError *_Nullable *_Nullable error);
    void (*rsvg_handle_set_dpi)(HalcyonSVGHandle *handle, double dpi);
    int (*rsvg_handle_get_geometry_for_layer)(
        HalcyonSVGHandle *handle, const char *_Nullable id, const HalcyonSVGRectangle *viewport,
        HalcyonSVGRectangle *_Nullable ink, HalcyonSVGRectangle *_Nullable logical,
        HalcyonSVGError *_Nullable *_Nullable error);
    int (*rsvg_handle_render_document)(
        HalcyonSVGHandle *handle, HalcyonCairo *cairo, const HalcyonSVGRectangle *viewport,
        HalcyonSVGError *_Nullable *_Nullable error);
    void (*g_object_unref)(void *object);
    void (*g_error_free)(HalcyonSVGError *error);
    // cairo returns objects in a state of failure rather than none.
    HalcyonCairoSurface *_Nonnull (*_Nonnull cairo_image_surface_create_for_data)(
        uint8_t *pixels, int format, int width, int height, int stride);
    void (*cairo_surface_flush)(HalcyonCairoSurface *surface);
    void (*cairo_surface_finish)(HalcyonCairoSurface *surface);
    void (*cairo_surface_destroy)(HalcyonCairoSurface *surface);
    HalcyonCairo *_Nonnull (*_Nonnull cairo_create)(HalcyonCairoSurface *surface);
    void (*cairo_destroy)(HalcyonCairo *cairo);
    int (*cairo_status)(HalcyonCairo *cairo);
    void (*cairo_scale)(HalcyonCairo *cairo, double x, double y);
    /// The version of librsvg.
    unsigned major_version;
    unsigned minor_version;
} HalcyonSVGLibrary;

/// The functions; `NULL` where the libraries are not installed. Loads them on first use, and never unloads them.
const HalcyonSVGLibrary *_Nullable halcyon_svg_library(void);

/// Loads the configuration of fontconfig and its list of fonts, and reports each file and folder that text is drawn with:
/// folders of fonts, of caches, files of the configuration, and fonts behind links. Reports nothing where fontconfig is not
/// installed. Starts no thread.
void halcyon_svg_load_fonts(void (*report)(const char *path, void *_Nullable context), void *_Nullable context);

#pragma clang assume_nonnull end

#endif
