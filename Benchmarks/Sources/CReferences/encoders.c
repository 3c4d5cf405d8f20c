#include "codecs.h"
#include "jpeg_errors.h"

#include <stdlib.h>
#include <string.h>

#include <webp/encode.h>

#ifdef HALCYON_REFERENCE_PNG
#include <png.h>
#endif

int halcyon_reference_encode_jpeg(const uint8_t *pixels, int width, int height, int quality, size_t *byte_count) {
    struct jpeg_compress_struct info;
    struct errors errors;
    unsigned char *bytes = NULL;
    unsigned long count = 0;
    info.err = jpeg_std_error(&errors.manager);
    errors.manager.error_exit = leave;
    if (setjmp(errors.target)) {
        jpeg_destroy_compress(&info);
        return -1;
    }
    jpeg_create_compress(&info);
    jpeg_mem_dest(&info, &bytes, &count);
    info.image_width = (JDIMENSION)width;
    info.image_height = (JDIMENSION)height;
    info.input_components = 4;
    info.in_color_space = JCS_EXT_RGBX;
    jpeg_set_defaults(&info);
    jpeg_set_quality(&info, quality, TRUE);
    jpeg_start_compress(&info, TRUE);
    while (info.next_scanline < info.image_height) {
        JSAMPROW row = (JSAMPROW)(uintptr_t)(pixels + (size_t)info.next_scanline * (size_t)width * 4);
        jpeg_write_scanlines(&info, &row, 1);
    }
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
    free(bytes);
    *byte_count = count;
    return 0;
}

int halcyon_reference_encode_progressive_jpeg(
    const uint8_t *pixels, int width, int height, size_t bytes_per_row, int quality, uint8_t **result,
    size_t *byte_count) {
    struct jpeg_compress_struct info;
    struct errors errors;
    unsigned char *bytes = NULL;
    unsigned long count = 0;
    info.err = jpeg_std_error(&errors.manager);
    errors.manager.error_exit = leave;
    if (setjmp(errors.target)) {
        jpeg_destroy_compress(&info);
        return -1;
    }
    jpeg_create_compress(&info);
    jpeg_mem_dest(&info, &bytes, &count);
    info.image_width = (JDIMENSION)width;
    info.image_height = (JDIMENSION)height;
    info.input_components = 4;
    info.in_color_space = JCS_EXT_RGBX;
    jpeg_set_defaults(&info);
    jpeg_set_quality(&info, quality, TRUE);
    jpeg_simple_progression(&info);
    jpeg_start_compress(&info, TRUE);
    while (info.next_scanline < info.image_height) {
        JSAMPROW row = (JSAMPROW)(uintptr_t)(pixels + (size_t)info.next_scanline * bytes_per_row);
        jpeg_write_scanlines(&info, &row, 1);
    }
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
    *result = bytes;
    *byte_count = count;
    return 0;
}

void halcyon_reference_free(void *bytes) {
    free(bytes);
}

int halcyon_reference_encode_webp(const uint8_t *pixels, int width, int height, int quality, size_t *byte_count) {
    WebPConfig config;
    WebPPicture picture;
    WebPMemoryWriter writer;
    if (!WebPConfigInit(&config) || !WebPPictureInit(&picture)) {
        return -1;
    }
    config.quality = (float)quality;
    picture.width = width;
    picture.height = height;
    WebPMemoryWriterInit(&writer);
    picture.writer = WebPMemoryWrite;
    picture.custom_ptr = &writer;
    int status = WebPPictureImportRGBX(&picture, pixels, width * 4) && WebPEncode(&config, &picture) ? 0 : -1;
    *byte_count = writer.size;
    WebPPictureFree(&picture);
    WebPMemoryWriterClear(&writer);
    return status;
}

#ifdef HALCYON_REFERENCE_PNG

static void count_bytes(png_structp writer, png_bytep bytes, size_t count) {
    (void)bytes;
    *(size_t *)png_get_io_ptr(writer) += count;
}

static void ignore_flush(png_structp writer) {
    (void)writer;
}

int halcyon_reference_encode_png(const uint8_t *pixels, int width, int height, size_t *byte_count) {
    png_structp writer = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = writer ? png_create_info_struct(writer) : NULL;
    if (!info || setjmp(png_jmpbuf(writer))) {
        png_destroy_write_struct(&writer, &info);
        return -1;
    }
    *byte_count = 0;
    png_set_write_fn(writer, byte_count, count_bytes, ignore_flush);
    png_set_compression_level(writer, 6);
    png_set_IHDR(
        writer, info, (png_uint_32)width, (png_uint_32)height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
        PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(writer, info);
    png_set_filler(writer, 0, PNG_FILLER_AFTER);
    for (int y = 0; y < height; y++) {
        png_write_row(writer, pixels + (size_t)y * (size_t)width * 4);
    }
    png_write_end(writer, info);
    png_destroy_write_struct(&writer, &info);
    return 0;
}

#else

int halcyon_reference_encode_png(const uint8_t *pixels, int width, int height, size_t *byte_count) {
    (void)pixels, (void)width, (void)height, (void)byte_count;
    return -1;
}

#endif
