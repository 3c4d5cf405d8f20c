#include "codecs.h"

#include <stdlib.h>
#include <string.h>

#include <avif/avif.h>
#include <webp/demux.h>

#ifdef HALCYON_REFERENCE_GIF
#include <gif_lib.h>
#endif

int halcyon_reference_decode_avif(const uint8_t *bytes, size_t count, int threads, int all_frames) {
    avifDecoder *decoder = avifDecoderCreate();
    int status = -1;
    if (!decoder) {
        return -1;
    }
    decoder->maxThreads = threads;
    if (avifDecoderSetIOMemory(decoder, bytes, count) == AVIF_RESULT_OK && avifDecoderParse(decoder) == AVIF_RESULT_OK) {
        avifRGBImage rgb;
        memset(&rgb, 0, sizeof rgb);
        status = 0;
        while (status == 0 && avifDecoderNextImage(decoder) == AVIF_RESULT_OK) {
            if (!rgb.pixels) {
                avifRGBImageSetDefaults(&rgb, decoder->image);
                rgb.depth = 8;
                // Its result, new in libavif 1.0, says no more than the pixels that are there or not.
                (void)avifRGBImageAllocatePixels(&rgb);
                if (!rgb.pixels) {
                    break;
                }
            }
            status = avifImageYUVToRGB(decoder->image, &rgb) == AVIF_RESULT_OK ? 0 : -1;
            if (!all_frames) {
                break;
            }
        }
        status = rgb.pixels ? status : -1;
        avifRGBImageFreePixels(&rgb);
    }
    avifDecoderDestroy(decoder);
    return status;
}

int halcyon_reference_decode_webp_frames(const uint8_t *bytes, size_t count) {
    WebPData data = {bytes, count};
    WebPAnimDecoder *decoder = WebPAnimDecoderNew(&data, NULL);
    int status = 0;
    if (!decoder) {
        return -1;
    }
    while (status == 0 && WebPAnimDecoderHasMoreFrames(decoder)) {
        uint8_t *pixels;
        int timestamp;
        status = WebPAnimDecoderGetNext(decoder, &pixels, &timestamp) ? 0 : -1;
    }
    WebPAnimDecoderDelete(decoder);
    return status;
}

#ifdef HALCYON_REFERENCE_GIF

int halcyon_reference_has_gif(void) {
    return 1;
}

struct source {
    const uint8_t *bytes;
    size_t count;
};

static int read_source(GifFileType *file, GifByteType *target, int count) {
    struct source *source = file->UserData;
    size_t available = (size_t)count < source->count ? (size_t)count : source->count;
    memcpy(target, source->bytes, available);
    source->bytes += available;
    source->count -= available;
    return (int)available;
}

static void draw(const GifFileType *file, SavedImage *image, uint8_t *canvas) {
    const ColorMapObject *map = image->ImageDesc.ColorMap ? image->ImageDesc.ColorMap : file->SColorMap;
    GraphicsControlBlock control;
    int transparent = -1;
    for (int i = 0; i < image->ExtensionBlockCount; i++) {
        const ExtensionBlock *block = &image->ExtensionBlocks[i];
        if (block->Function == GRAPHICS_EXT_FUNC_CODE &&
            DGifExtensionToGCB((size_t)block->ByteCount, block->Bytes, &control) == GIF_OK) {
            transparent = control.TransparentColor;
        }
    }
    for (int y = 0; map && y < image->ImageDesc.Height && image->ImageDesc.Top + y < file->SHeight; y++) {
        const GifByteType *row = image->RasterBits + (size_t)y * (size_t)image->ImageDesc.Width;
        uint8_t *target = canvas + ((size_t)(image->ImageDesc.Top + y) * (size_t)file->SWidth + (size_t)image->ImageDesc.Left) * 4;
        for (int x = 0; x < image->ImageDesc.Width && image->ImageDesc.Left + x < file->SWidth; x++) {
            if (row[x] != transparent && row[x] < map->ColorCount) {
                const GifColorType color = map->Colors[row[x]];
                target[x * 4] = color.Red;
                target[x * 4 + 1] = color.Green;
                target[x * 4 + 2] = color.Blue;
                target[x * 4 + 3] = 255;
            }
        }
    }
}

int halcyon_reference_decode_gif_frames(const uint8_t *bytes, size_t count) {
    struct source source = {bytes, count};
    int error = 0;
    GifFileType *file = DGifOpen(&source, read_source, &error);
    int status = -1;
    if (!file) {
        return -1;
    }
    if (DGifSlurp(file) == GIF_OK) {
        uint8_t *canvas = calloc((size_t)file->SWidth * (size_t)file->SHeight, 4);
        for (int i = 0; canvas && i < file->ImageCount; i++) {
            draw(file, &file->SavedImages[i], canvas);
        }
        status = canvas ? 0 : -1;
        free(canvas);
    }
    DGifCloseFile(file, &error);
    return status;
}

#else

int halcyon_reference_has_gif(void) {
    return 0;
}

int halcyon_reference_decode_gif_frames(const uint8_t *bytes, size_t count) {
    (void)bytes, (void)count;
    return -1;
}

#endif
