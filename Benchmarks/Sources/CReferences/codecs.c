#include "codecs.h"

#include "jpeg_errors.h"

#include <string.h>

#include <webp/decode.h>

#ifdef HALCYON_REFERENCE_PNG
#include <png.h>
#endif

int halcyon_reference_decode_jpeg(
    const uint8_t *bytes, size_t count, unsigned scale_numerator, uint8_t *pixels, size_t pixels_size
) {
    struct jpeg_decompress_struct info;
    struct errors errors;
    info.err = jpeg_std_error(&errors.manager);
    errors.manager.error_exit = leave;
    if (setjmp(errors.target)) {
        jpeg_destroy_decompress(&info);
        return -1;
    }
    jpeg_create_decompress(&info);
    jpeg_mem_src(&info, bytes, count);
    jpeg_read_header(&info, TRUE);
    info.out_color_space = JCS_EXT_RGBA;
    info.scale_num = scale_numerator;
    info.scale_denom = 8;
    jpeg_start_decompress(&info);
    size_t row_size = (size_t)info.output_width * 4;
    if (row_size * info.output_height != pixels_size) {
        jpeg_destroy_decompress(&info);
        return -1;
    }
    while (info.output_scanline < info.output_height) {
        JSAMPROW row = pixels + row_size * info.output_scanline;
        jpeg_read_scanlines(&info, &row, 1);
    }
    jpeg_finish_decompress(&info);
    jpeg_destroy_decompress(&info);
    return 0;
}

int halcyon_reference_decode_webp(
    const uint8_t *bytes, size_t count, int width, int height, uint8_t *pixels, size_t pixels_size
) {
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config) || WebPGetFeatures(bytes, count, &config.input) != VP8_STATUS_OK ||
        (size_t)width * (size_t)height * 4 != pixels_size) {
        return -1;
    }
    if (config.input.width != width || config.input.height != height) {
        config.options.use_scaling = 1;
        config.options.scaled_width = width;
        config.options.scaled_height = height;
    }
    config.output.colorspace = MODE_rgbA;
    config.output.is_external_memory = 1;
    config.output.u.RGBA.rgba = pixels;
    config.output.u.RGBA.stride = width * 4;
    config.output.u.RGBA.size = pixels_size;
    return WebPDecode(bytes, count, &config) == VP8_STATUS_OK ? 0 : -1;
}

#ifdef HALCYON_REFERENCE_PNG

int halcyon_reference_has_png(void) {
    return 1;
}

int halcyon_reference_decode_png(const uint8_t *bytes, size_t count, uint8_t *pixels, size_t pixels_size) {
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_memory(&image, bytes, count)) {
        return -1;
    }
    image.format = PNG_FORMAT_RGBA;
    if (PNG_IMAGE_SIZE(image) != pixels_size) {
        png_image_free(&image);
        return -1;
    }
    return png_image_finish_read(&image, NULL, pixels, 0, NULL) ? 0 : -1;
}

#else

int halcyon_reference_has_png(void) {
    return 0;
}

int halcyon_reference_decode_png(const uint8_t *bytes, size_t count, uint8_t *pixels, size_t pixels_size) {
    (void)bytes, (void)count, (void)pixels, (void)pixels_size;
    return -1;
}

#endif
