#include "vips_geometry.h"

#include "vips_library.h"

#include <pthread.h>
#include <stdint.h>

typedef struct VipsImage VipsImage;
typedef struct VipsInterpolate VipsInterpolate;
enum { VIPS_DIRECTION_HORIZONTAL = 0, VIPS_FORMAT_UCHAR = 0, VIPS_BLEND_MODE_OVER = 2, VIPS_BLEND_MODE_DEST_IN = 8 };
enum { VIPS_SIZE_DOWN = 2, VIPS_INTERPRETATION_SRGB = 22 };

static const char mask_drawing[] =
    "<svg xmlns='http://www.w3.org/2000/svg' width='300' height='300'><rect width='300' height='300' rx='20'/></svg>";
static const char border_drawing[] =
    "<svg xmlns='http://www.w3.org/2000/svg' width='300' height='300'><rect x='2' y='2' width='296' height='296' "
    "rx='18' fill='none' stroke='white' stroke-width='4'/></svg>";

static const char corners_drawing[] =
    "<svg xmlns='http://www.w3.org/2000/svg' width='1632' height='1224'><rect width='1632' height='1224' rx='40'/></svg>";

static struct {
    int (*thumbnail_buffer)(void *, size_t, VipsImage **, int, ...);
    VipsImage *(*image_new_from_buffer)(const void *, size_t, const char *, ...);
    VipsImage *(*image_new_from_memory)(const void *, size_t, int, int, int, int);
    VipsImage *(*image_copy_memory)(VipsImage *);
    void *(*image_write_to_memory)(VipsImage *, size_t *);
    int (*extract_area)(VipsImage *, VipsImage **, int, int, int, int, ...);
    int (*copy)(VipsImage *, VipsImage **, ...);
    int (*flip)(VipsImage *, VipsImage **, int, ...);
    int (*addalpha)(VipsImage *, VipsImage **, ...);
    int (*composite2)(VipsImage *, VipsImage *, VipsImage **, int, ...);
    int (*rotate)(VipsImage *, VipsImage **, double, ...);
    VipsInterpolate *(*interpolate_new)(const char *);
    void (*error_clear)(void);
    void (*object_unref)(void *);
    void (*free)(void *);
    VipsImage *mask, *border, *corners;
    int is_ready;
} vips;

static VipsImage *rendered(const char *drawing, size_t count) {
    VipsImage *image = vips.image_new_from_buffer(drawing, count, "", NULL);
    if (!image) {
        return NULL;
    }
    VipsImage *pixels = vips.image_copy_memory(image);
    vips.object_unref(image);
    return pixels;
}

static void prepare(void) {
    const VipsSymbol symbols[] = {
        {"vips_thumbnail_buffer", &vips.thumbnail_buffer},
        {"vips_image_new_from_buffer", &vips.image_new_from_buffer},
        {"vips_image_new_from_memory", &vips.image_new_from_memory},
        {"vips_image_copy_memory", &vips.image_copy_memory},
        {"vips_image_write_to_memory", &vips.image_write_to_memory},
        {"vips_extract_area", &vips.extract_area},
        {"vips_copy", &vips.copy},
        {"vips_flip", &vips.flip},
        {"vips_addalpha", &vips.addalpha},
        {"vips_composite2", &vips.composite2},
        {"vips_rotate", &vips.rotate},
        {"vips_interpolate_new", &vips.interpolate_new},
        {"vips_error_clear", &vips.error_clear},
        {"g_object_unref", &vips.object_unref},
        {"g_free", &vips.free},
    };
    if (vips_library_find(symbols, sizeof symbols / sizeof *symbols)) {
        return;
    }
    vips.mask = rendered(mask_drawing, sizeof mask_drawing - 1);
    vips.border = rendered(border_drawing, sizeof border_drawing - 1);
    vips.corners = rendered(corners_drawing, sizeof corners_drawing - 1);
    vips.is_ready = 1;
}

static int is_ready(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare);
    return vips.is_ready;
}

// All pixels of an image, which does the work.
static int write(VipsImage *image) {
    size_t size = 0;
    void *pixels = vips.image_write_to_memory(image, &size);
    if (!pixels) {
        vips.error_clear();
        return -1;
    }
    vips.free(pixels);
    return 0;
}

int halcyon_vips_avatar(const void *bytes, size_t count) {
    VipsImage *images[5] = {NULL};
    if (!is_ready() || !vips.mask || !vips.border) {
        return -1;
    }
    int status = -1;
    // It does not write to the bytes, although its signature allows that.
    void *source = (void *)(uintptr_t)bytes;
    if (vips.thumbnail_buffer(source, count, &images[0], 400, "height", 300, "size", VIPS_SIZE_DOWN, NULL) == 0
        && vips.extract_area(images[0], &images[1], 50, 0, 300, 300, NULL) == 0
        && vips.addalpha(images[1], &images[2], NULL) == 0
        && vips.composite2(images[2], vips.mask, &images[3], VIPS_BLEND_MODE_DEST_IN, NULL) == 0
        && vips.composite2(images[3], vips.border, &images[4], VIPS_BLEND_MODE_OVER, NULL) == 0) {
        status = write(images[4]);
    } else {
        vips.error_clear();
    }
    for (int i = 4; i >= 0; i--) {
        if (images[i]) {
            vips.object_unref(images[i]);
        }
    }
    return status;
}

int halcyon_vips_rotate(const void *pixels, int width, int height, double degrees) {
    if (!is_ready()) {
        return -1;
    }
    VipsImage *source =
        vips.image_new_from_memory(pixels, (size_t)width * (size_t)height * 4, width, height, 4, VIPS_FORMAT_UCHAR);
    VipsInterpolate *interpolation = vips.interpolate_new("bicubic");
    VipsImage *result = NULL;
    int status = -1;
    if (source && interpolation && vips.rotate(source, &result, degrees, "interpolate", interpolation, NULL) == 0) {
        status = write(result);
        vips.object_unref(result);
    } else {
        vips.error_clear();
    }
    if (interpolation) {
        vips.object_unref(interpolation);
    }
    if (source) {
        vips.object_unref(source);
    }
    return status;
}

// Four samples a pixel, of which an operation makes other ones.
static int write_result(const void *pixels, int width, int height, int (*operation)(VipsImage *, VipsImage **)) {
    if (!is_ready()) {
        return -1;
    }
    VipsImage *source =
        vips.image_new_from_memory(pixels, (size_t)width * (size_t)height * 4, width, height, 4, VIPS_FORMAT_UCHAR);
    VipsImage *result = NULL;
    int status = -1;
    if (source && operation(source, &result) == 0) {
        status = write(result);
        vips.object_unref(result);
    } else {
        vips.error_clear();
    }
    if (source) {
        vips.object_unref(source);
    }
    return status;
}

static int crop(VipsImage *source, VipsImage **result) {
    return vips.extract_area(source, result, 100, 100, 1200, 900, NULL);
}

static int flip(VipsImage *source, VipsImage **result) {
    return vips.flip(source, result, VIPS_DIRECTION_HORIZONTAL, NULL);
}

static int round_corners(VipsImage *source, VipsImage **result) {
    VipsImage *colors = NULL;
    // Pixels from memory have no colour space, which composing asks for.
    if (vips.copy(source, &colors, "interpretation", VIPS_INTERPRETATION_SRGB, NULL)) {
        return -1;
    }
    const int status =
        vips.composite2(colors, vips.corners, result, VIPS_BLEND_MODE_DEST_IN, "premultiplied", 1, NULL);
    vips.object_unref(colors);
    return status;
}

int halcyon_vips_crop(const void *pixels, int width, int height) {
    return write_result(pixels, width, height, crop);
}

int halcyon_vips_flip(const void *pixels, int width, int height) {
    return write_result(pixels, width, height, flip);
}

int halcyon_vips_round_corners(const void *pixels, int width, int height) {
    if (!is_ready() || !vips.corners) {
        return -1;
    }
    return write_result(pixels, width, height, round_corners);
}
