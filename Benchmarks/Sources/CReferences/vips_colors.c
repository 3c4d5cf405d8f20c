#include "colors.h"

#include "vips_library.h"

// What is used of the API (vips 8). All but the last few take options in pairs, then NULL.
typedef struct VipsImage VipsImage;
enum { VIPS_FORMAT_UCHAR = 0, VIPS_INTERPRETATION_sRGB = 22 };

static struct {
    void (*error_clear)(void);
    VipsImage *(*image_new_from_memory)(const void *, size_t, int, int, int, int);
    VipsImage *(*image_new_matrix_from_array)(int, int, const double *, int);
    void *(*image_write_to_memory)(VipsImage *, size_t *);
    int (*copy)(VipsImage *, VipsImage **, ...);
    int (*cast_uchar)(VipsImage *, VipsImage **, ...);
    int (*flatten)(VipsImage *, VipsImage **, ...);
    int (*recomb)(VipsImage *, VipsImage **, VipsImage *, ...);
    int (*composite2)(VipsImage *, VipsImage *, VipsImage **, int, ...);
    void (*object_unref)(void *);
    void (*free)(void *);
} vips;

const char *halcyon_vips_colors_load(const char *path) {
    const VipsSymbol symbols[] = {
        {"vips_error_clear", &vips.error_clear},
        {"vips_image_new_from_memory", &vips.image_new_from_memory},
        {"vips_image_new_matrix_from_array", &vips.image_new_matrix_from_array},
        {"vips_image_write_to_memory", &vips.image_write_to_memory},
        {"vips_copy", &vips.copy},
        {"vips_cast_uchar", &vips.cast_uchar},
        {"vips_flatten", &vips.flatten},
        {"vips_recomb", &vips.recomb},
        {"vips_composite2", &vips.composite2},
        {"g_object_unref", &vips.object_unref},
        {"g_free", &vips.free},
    };
    return vips_library_load(path, 1, symbols, sizeof symbols / sizeof *symbols);
}

// Pixels as an image of four bands in sRGB; NULL for what libvips refuses.
static VipsImage *image_of(const void *pixels, int width, int height) {
    const size_t size = (size_t)width * (size_t)height * 4;
    VipsImage *bare = vips.image_new_from_memory(pixels, size, width, height, 4, VIPS_FORMAT_UCHAR);
    VipsImage *image = NULL;
    if (bare) {
        if (vips.copy(bare, &image, "interpretation", VIPS_INTERPRETATION_sRGB, NULL) != 0) {
            image = NULL;
        }
        vips.object_unref(bare);
    }
    return image;
}

// Makes all pixels of a result as bytes, which does the work, and ends it.
static int finish(VipsImage *result) {
    VipsImage *bytes = NULL;
    void *pixels = NULL;
    size_t size = 0;
    if (vips.cast_uchar(result, &bytes, NULL) == 0) {
        pixels = vips.image_write_to_memory(bytes, &size);
        vips.object_unref(bytes);
    }
    vips.object_unref(result);
    if (!pixels) {
        vips.error_clear();
        return -1;
    }
    vips.free(pixels);
    return 0;
}

int halcyon_vips_flatten(const void *pixels, int width, int height) {
    VipsImage *image = image_of(pixels, width, height), *result = NULL;
    if (!image) {
        return -1;
    }
    const int status = vips.flatten(image, &result, NULL);
    vips.object_unref(image);
    return status == 0 ? finish(result) : -1;
}

int halcyon_vips_recomb(const void *pixels, int width, int height, const double *matrix) {
    VipsImage *image = image_of(pixels, width, height), *result = NULL;
    VipsImage *factors = vips.image_new_matrix_from_array(4, 4, matrix, 16);
    int status = -1;
    if (image && factors) {
        status = vips.recomb(image, &result, factors, NULL);
    }
    if (image) {
        vips.object_unref(image);
    }
    if (factors) {
        vips.object_unref(factors);
    }
    return status == 0 ? finish(result) : -1;
}

int halcyon_vips_composite(const void *source, const void *backdrop, int width, int height, int mode) {
    VipsImage *above = image_of(source, width, height), *below = image_of(backdrop, width, height), *result = NULL;
    int status = -1;
    if (above && below) {
        status = vips.composite2(below, above, &result, mode, "premultiplied", 1, NULL);
    }
    if (above) {
        vips.object_unref(above);
    }
    if (below) {
        vips.object_unref(below);
    }
    return status == 0 ? finish(result) : -1;
}
