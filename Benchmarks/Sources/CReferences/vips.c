#include "vips.h"

#include "vips_library.h"

#include <string.h>

// What is used of the API (vips 8, all of it stable since 8.6). All but the last few take options in pairs, then NULL.
typedef struct VipsImage VipsImage;
enum { VIPS_FORMAT_UCHAR = 0, VIPS_ACCESS_SEQUENTIAL = 1, VIPS_SIZE_DOWN = 2 };

static struct {
    const char *(*version_string)(void);
    void (*error_clear)(void);
    int (*thumbnail_buffer)(void *, size_t, VipsImage **, int, ...);
    VipsImage *(*image_new_from_buffer)(const void *, size_t, const char *, ...);
    VipsImage *(*image_new_from_memory)(const void *, size_t, int, int, int, int);
    void *(*image_write_to_memory)(VipsImage *, size_t *);
    int (*resize)(VipsImage *, VipsImage **, double, ...);
    int (*gaussblur)(VipsImage *, VipsImage **, double, ...);
    int (*jpegsave_buffer)(VipsImage *, void **, size_t *, ...);
    int (*pngsave_buffer)(VipsImage *, void **, size_t *, ...);
    int (*webpsave_buffer)(VipsImage *, void **, size_t *, ...);
    void (*object_unref)(void *);
    void (*free)(void *);
} vips;

const char *halcyon_vips_load(const char *path, int concurrency) {
    const VipsSymbol symbols[] = {
        {"vips_version_string", &vips.version_string},
        {"vips_error_clear", &vips.error_clear},
        {"vips_thumbnail_buffer", &vips.thumbnail_buffer},
        {"vips_image_new_from_buffer", &vips.image_new_from_buffer},
        {"vips_image_new_from_memory", &vips.image_new_from_memory},
        {"vips_image_write_to_memory", &vips.image_write_to_memory},
        {"vips_resize", &vips.resize},
        {"vips_gaussblur", &vips.gaussblur},
        {"vips_jpegsave_buffer", &vips.jpegsave_buffer},
        {"vips_pngsave_buffer", &vips.pngsave_buffer},
        {"vips_webpsave_buffer", &vips.webpsave_buffer},
        {"g_object_unref", &vips.object_unref},
        {"g_free", &vips.free},
    };
    return vips_library_load(path, concurrency, symbols, sizeof symbols / sizeof *symbols);
}

const char *halcyon_vips_version(void) {
    return vips.version_string();
}

// All pixels of an image, which does the work, and its end.
static int finish(VipsImage *image) {
    size_t size = 0;
    void *pixels = vips.image_write_to_memory(image, &size);
    vips.object_unref(image);
    if (!pixels) {
        vips.error_clear();
        return -1;
    }
    vips.free(pixels);
    return 0;
}

int halcyon_vips_thumbnail(const void *bytes, size_t count, int width, int height) {
    VipsImage *image = NULL;
    // It does not write to the bytes, although its signature allows that.
    if (vips.thumbnail_buffer((void *)(uintptr_t)bytes, count, &image, width, "height", height, "size", VIPS_SIZE_DOWN, NULL)) {
        vips.error_clear();
        return -1;
    }
    return finish(image);
}

int halcyon_vips_decode(const void *bytes, size_t count, int all_frames) {
    VipsImage *image =
        vips.image_new_from_buffer(bytes, count, all_frames ? "[n=-1]" : "", "access", VIPS_ACCESS_SEQUENTIAL, NULL);
    if (!image) {
        vips.error_clear();
        return -1;
    }
    return finish(image);
}

int halcyon_vips_resize(const void *pixels, int width, int height, int result_width, int result_height) {
    VipsImage *source =
        vips.image_new_from_memory(pixels, (size_t)width * (size_t)height * 4, width, height, 4, VIPS_FORMAT_UCHAR);
    VipsImage *result = NULL;
    if (!source) {
        return -1;
    }
    int status = vips.resize(
        source, &result, (double)result_width / width, "vscale", (double)result_height / height, NULL);
    if (status == 0) {
        status = finish(result);
    }
    vips.object_unref(source);
    return status == 0 ? 0 : -1;
}

int halcyon_vips_blur(const void *pixels, int width, int height, double radius) {
    VipsImage *source =
        vips.image_new_from_memory(pixels, (size_t)width * (size_t)height * 4, width, height, 4, VIPS_FORMAT_UCHAR);
    VipsImage *result = NULL;
    if (!source) {
        return -1;
    }
    int status = vips.gaussblur(source, &result, radius, NULL);
    if (status == 0) {
        status = finish(result);
    } else {
        vips.error_clear();
    }
    vips.object_unref(source);
    return status == 0 ? 0 : -1;
}

int halcyon_vips_encode(
    const void *pixels, int width, int height, int bands, const char *format, int quality, size_t *byte_count
) {
    size_t size = (size_t)width * (size_t)height * (size_t)bands;
    VipsImage *source = vips.image_new_from_memory(pixels, size, width, height, bands, VIPS_FORMAT_UCHAR);
    void *bytes = NULL;
    int status = -1;
    if (!source) {
        return -1;
    }
    if (strcmp(format, "jpeg") == 0) {
        status = vips.jpegsave_buffer(source, &bytes, byte_count, "Q", quality, NULL);
    } else if (strcmp(format, "png") == 0) {
        status = vips.pngsave_buffer(source, &bytes, byte_count, NULL);
    } else if (strcmp(format, "webp") == 0) {
        status = vips.webpsave_buffer(source, &bytes, byte_count, "Q", quality, NULL);
    }
    if (status == 0) {
        vips.free(bytes);
    } else {
        vips.error_clear();
    }
    vips.object_unref(source);
    return status == 0 ? 0 : -1;
}
