#include "Video.h"

#include <string.h>

// Matrix and range as the frame states them. Where it does not, as players do it: BT.709 from 720 rows on, BT.601
// below, and limited range unless the pixel format is one of JPEG's.
static void set_colors(const VideoLibrary *library, struct SwsContext *scaler, const AVFrame *frame) {
    int matrix;
    switch (frame->colorspace) {
    case AVCOL_SPC_BT709: matrix = SWS_CS_ITU709; break;
    case AVCOL_SPC_FCC: matrix = SWS_CS_FCC; break;
    case AVCOL_SPC_BT470BG:
    case AVCOL_SPC_SMPTE170M: matrix = SWS_CS_ITU601; break;
    case AVCOL_SPC_SMPTE240M: matrix = SWS_CS_SMPTE240M; break;
    case AVCOL_SPC_BT2020_NCL:
    case AVCOL_SPC_BT2020_CL: matrix = SWS_CS_BT2020; break;
    default: matrix = frame->height >= 720 || frame->width >= 1280 ? SWS_CS_ITU709 : SWS_CS_ITU601; break;
    }
    bool is_full = frame->color_range == AVCOL_RANGE_JPEG;
    const AVPixFmtDescriptor *pixels = library->av_pix_fmt_desc_get(frame->format);
    if (pixels != NULL && strncmp(pixels->name, "yuvj", 4) == 0) {
        is_full = true;
    }
    const int *coefficients = library->sws_getCoefficients(matrix);
    library->sws_setColorspaceDetails(
        scaler, coefficients, is_full, library->sws_getCoefficients(SWS_CS_DEFAULT), 1, 0, 1 << 16, 1 << 16
    );
}

// Converts the current frame into one with memory of its own, which swscale may write beyond the end of rows.
static HalcyonVideoStatus scale(const HalcyonVideo *video, AVFrame *out) {
    const VideoLibrary *library = video->library;
    const AVFrame *frame = video->frame;
    // swscale ends the process (`assert`) at formats that it does not know.
    if (frame == NULL || frame->width <= 0 || frame->height <= 0 || !library->sws_isSupportedInput(frame->format)) {
        return HalcyonVideoNoDecoder;
    }
    int result = library->av_frame_get_buffer(out, 64);
    if (result < 0) {
        return HalcyonVideoNoMemory;
    }
    // It may have held another image; what swscale leaves out shows nothing.
    memset(out->data[0], 0, (size_t)out->linesize[0] * (size_t)out->height);
    // Averages areas where it makes the image much smaller, because bicubic samples leave pixels out.
    bool is_smaller = out->width * 2 <= frame->width && out->height * 2 <= frame->height;
    int flags = (is_smaller ? SWS_AREA : SWS_BICUBIC) | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP;
    struct SwsContext *scaler = library->sws_getContext(
        frame->width, frame->height, frame->format, out->width, out->height, out->format, flags, NULL, NULL, NULL
    );
    if (scaler == NULL) {
        return HalcyonVideoNoDecoder;
    }
    set_colors(library, scaler, frame);
    result = library->sws_scale(
        scaler, (const uint8_t *const *)frame->data, frame->linesize, 0, frame->height, out->data, out->linesize
    );
    library->sws_freeContext(scaler);
    return result == out->height ? HalcyonVideoDone : HalcyonVideoCorrupt;
}

static AVFrame *new_frame(const VideoLibrary *library, int width, int height, enum AVPixelFormat format) {
    AVFrame *frame = library->av_frame_alloc();
    if (frame != NULL) {
        frame->width = width;
        frame->height = height;
        frame->format = format;
    }
    return frame;
}

HalcyonVideoStatus halcyon_video_convert(
    const HalcyonVideo *video,
    int width,
    int height,
    bool is_sixteen,
    uint8_t *out,
    size_t bytes_per_row
) {
    const VideoLibrary *library = video->library;
    AVFrame *frame = new_frame(library, width, height, is_sixteen ? AV_PIX_FMT_RGBA64 : AV_PIX_FMT_RGBA);
    if (frame == NULL) {
        return HalcyonVideoNoMemory;
    }
    HalcyonVideoStatus status = scale(video, frame);
    if (status == HalcyonVideoDone) {
        size_t byte_count = (size_t)width * (is_sixteen ? 8 : 4);
        for (int y = 0; y < height; y++) {
            memcpy(out + (size_t)y * bytes_per_row, frame->data[0] + (ptrdiff_t)y * frame->linesize[0], byte_count);
        }
    }
    library->av_frame_free(&frame);
    return status;
}

int halcyon_video_brightness(const HalcyonVideo *video) {
    enum { side = 16 };
    const VideoLibrary *library = video->library;
    AVFrame *frame = new_frame(library, side, side, AV_PIX_FMT_RGBA);
    if (frame == NULL) {
        return -1;
    }
    int sum = 0;
    int alpha = 0;
    bool is_scaled = scale(video, frame) == HalcyonVideoDone;
    for (int y = 0; is_scaled && y < side; y++) {
        const uint8_t *pixel = frame->data[0] + (ptrdiff_t)y * frame->linesize[0];
        for (int x = 0; x < side; x++, pixel += 4) {
            uint8_t most = pixel[0] > pixel[1] ? pixel[0] : pixel[1];
            most = most > pixel[2] ? most : pixel[2];
            sum += most * pixel[3];
            alpha += pixel[3];
        }
    }
    library->av_frame_free(&frame);
    // What is clear shows nothing.
    return !is_scaled ? -1 : alpha < side * side ? 0 : sum / alpha;
}
