#include "Video.h"

#include <stdlib.h>
#include <string.h>

enum { buffer_byte_count = 1 << 15 };

// Decoders of what cameras, browsers and recorders write. FFmpeg has some hundred more, for formats of old games, which
// are the less examined part of it. Those of sound are left out too: no sound is decoded.
static const char *const decoders =
    "h264,hevc,vvc,vp8,libvpx,vp9,libvpx-vp9,av1,libdav1d,libaom-av1,mpeg1video,mpeg2video,mpeg4,h263,mjpeg,theora,"
    "prores,dnxhd,vc1,wmv3,msmpeg4v2,msmpeg4,flv,ffv1,rawvideo,png";

HalcyonVideoStatus halcyon_video_status(const HalcyonVideo *video, int error) {
    if (error >= 0) {
        return HalcyonVideoDone;
    }
    if (video->failure != HalcyonVideoDone) {
        return video->failure;
    }
    switch (error) {
    case AVERROR_EOF: return HalcyonVideoEnd;
    case AVERROR_EXIT: return HalcyonVideoCancelled;
    case AVERROR(ENOMEM): return HalcyonVideoNoMemory;
    case AVERROR_DECODER_NOT_FOUND: return HalcyonVideoNoDecoder;
    default: return HalcyonVideoCorrupt;
    }
}

static int fail(HalcyonVideo *video, HalcyonVideoStatus failure) {
    video->failure = failure;
    return AVERROR_EXIT;
}

static int is_interrupted(void *context) {
    HalcyonVideo *video = context;
    if (video->failure == HalcyonVideoDone && video->input.is_cancelled(video->input.context)) {
        video->failure = HalcyonVideoCancelled;
    }
    return video->failure != HalcyonVideoDone;
}

static int read_bytes(void *context, uint8_t *bytes, int count) {
    HalcyonVideo *video = context;
    if (is_interrupted(video)) {
        return AVERROR_EXIT;
    }
    if (video->offset >= video->input.byte_count) {
        video->reached_end = true;
        return AVERROR_EOF;
    }
    if (video->left.read_byte_count < count) {
        return fail(video, HalcyonVideoTooMuchWork);
    }
    int read = video->input.read(video->input.context, video->offset, bytes, count);
    if (read < 0) {
        return fail(video, HalcyonVideoUnreadable);
    }
    if (read == 0) {
        video->reached_end = true;
        return AVERROR_EOF;
    }
    video->offset += read;
    video->left.read_byte_count -= read;
    return read;
}

static int64_t seek(void *context, int64_t offset, int whence) {
    HalcyonVideo *video = context;
    switch (whence & ~AVSEEK_FORCE) {
    case AVSEEK_SIZE: return video->input.byte_count;
    case SEEK_SET: break;
    case SEEK_CUR: offset += video->offset; break;
    case SEEK_END: offset += video->input.byte_count; break;
    default: return AVERROR(EINVAL);
    }
    if (offset < 0) {
        return AVERROR(EINVAL);
    }
    video->offset = offset;
    return offset;
}

// A container may name other files: none is opened.
static int open_nothing(
    AVFormatContext *container,
    AVIOContext **io,
    const char *url,
    int flags,
    AVDictionary **options
) {
    (void)container;
    (void)io;
    (void)url;
    (void)flags;
    (void)options;
    return AVERROR(EPERM);
}

static HalcyonVideoStatus open_container(HalcyonVideo *video, const char *name) {
    const VideoLibrary *library = video->library;
    const AVInputFormat *format = library->av_find_input_format(name);
    if (format == NULL) {
        return HalcyonVideoNoDecoder;
    }
    uint8_t *buffer = library->av_malloc(buffer_byte_count);
    if (buffer == NULL) {
        return HalcyonVideoNoMemory;
    }
    video->io = library->avio_alloc_context(buffer, buffer_byte_count, 0, video, read_bytes, NULL, seek);
    if (video->io == NULL) {
        library->av_free(buffer);
        return HalcyonVideoNoMemory;
    }
    video->container = library->avformat_alloc_context();
    if (video->container == NULL) {
        return HalcyonVideoNoMemory;
    }
    video->container->pb = video->io;
    video->container->interrupt_callback = (AVIOInterruptCB){is_interrupted, video};
    video->container->io_open = open_nothing;
    AVDictionary *options = NULL;
    library->av_dict_set(&options, "protocol_whitelist", "none", 0);
    library->av_dict_set(&options, "codec_whitelist", decoders, 0);
    library->av_dict_set(&options, "format_whitelist", format->name, 0);
    library->av_dict_set_int(&options, "max_streams", 64, 0);
    library->av_dict_set_int(&options, "probesize", 4 << 20, 0);
    library->av_dict_set_int(&options, "analyzeduration", 5 * AV_TIME_BASE, 0);
    if (video->input.ignores_edits) {
        library->av_dict_set_int(&options, "advanced_editlist", 0, 0);
    }
    int result = library->avformat_open_input(&video->container, NULL, format, &options);
    library->av_dict_free(&options);
    return halcyon_video_status(video, result);
}

// Returns the stream of moving images to show, by what the container says; `NULL` where it has none.
static AVStream *best_stream(const HalcyonVideo *video) {
    AVStream *best = NULL;
    for (unsigned index = 0; index < video->container->nb_streams; index++) {
        AVStream *stream = video->container->streams[index];
        if (stream->codecpar->codec_type == AVMEDIA_TYPE_VIDEO && !(stream->disposition & AV_DISPOSITION_ATTACHED_PIC) &&
            (best == NULL || (stream->disposition & ~best->disposition & AV_DISPOSITION_DEFAULT))) {
            best = stream;
        }
    }
    return best;
}

// Whether the decoder of a stream takes memory for frames: also where the container does not say what the stream is.
static bool may_have_frames(const AVStream *stream) {
    enum AVMediaType type = stream->codecpar->codec_type;
    return type != AVMEDIA_TYPE_AUDIO && type != AVMEDIA_TYPE_SUBTITLE;
}

// Finds out what the decoder has to say of the streams. All have open decoders at once, so that those of the streams that
// are not shown share a part of the memory. No stream is added meanwhile.
static HalcyonVideoStatus examine_streams(HalcyonVideo *video) {
    const VideoLibrary *library = video->library;
    unsigned count = video->container->nb_streams;
    if (count == 0) {
        return HalcyonVideoNoStream;
    }
    AVDictionary **options = library->av_mallocz(count * sizeof *options);
    if (options == NULL) {
        return HalcyonVideoNoMemory;
    }
    video->stream = best_stream(video);
    int64_t other_count = 0;
    for (unsigned index = 0; index < count; index++) {
        const AVStream *stream = video->container->streams[index];
        other_count += stream != video->stream && may_have_frames(stream);
    }
    int64_t whole = video->bounds.examined_pixel_count;
    int64_t share = other_count > 0 && whole / 4 > other_count ? whole / 4 / other_count : 1;
    for (unsigned index = 0; index < count; index++) {
        bool is_chosen = video->container->streams[index] == video->stream;
        library->av_dict_set_int(&options[index], "max_pixels", is_chosen ? whole : share, 0);
        library->av_dict_set_int(&options[index], "threads", 1, 0);
    }
    video->container->max_streams = (int)count;
    int result = library->avformat_find_stream_info(video->container, options);
    for (unsigned index = 0; index < count; index++) {
        library->av_dict_free(&options[index]);
    }
    library->av_free(options);
    return halcyon_video_status(video, result);
}

static void choose_streams(HalcyonVideo *video) {
    for (unsigned index = 0; index < video->container->nb_streams; index++) {
        AVStream *stream = video->container->streams[index];
        stream->discard = AVDISCARD_ALL;
        if (stream->codecpar->codec_type != AVMEDIA_TYPE_VIDEO) {
            continue;
        }
        if (stream->disposition & AV_DISPOSITION_ATTACHED_PIC) {
            if (video->cover == NULL && stream->attached_pic.size > 0) {
                video->cover = &stream->attached_pic;
            }
        }
    }
    // Some streams are known only now.
    if (video->stream == NULL) {
        video->stream = best_stream(video);
    }
    if (video->stream != NULL) {
        video->stream->discard = AVDISCARD_DEFAULT;
    }
}

HalcyonVideo *halcyon_video_open(
    const char *format,
    const HalcyonVideoInput *input,
    const HalcyonVideoBounds *bounds,
    HalcyonVideoStatus *status
) {
    const VideoLibrary *library = halcyon_video_library();
    if (library == NULL) {
        *status = HalcyonVideoNoLibrary;
        return NULL;
    }
    HalcyonVideo *video = calloc(1, sizeof *video);
    if (video == NULL) {
        *status = HalcyonVideoNoMemory;
        return NULL;
    }
    video->library = library;
    video->input = *input;
    video->bounds = *bounds;
    video->left = *bounds;
    *status = open_container(video, format);
    if (*status == HalcyonVideoDone) {
        *status = examine_streams(video);
    }
    if (*status == HalcyonVideoDone) {
        choose_streams(video);
        *status = video->stream == NULL && video->cover == NULL ? HalcyonVideoNoStream : HalcyonVideoDone;
    }
    // Errors of reading are none of every function that reads.
    if (video->failure != HalcyonVideoDone) {
        *status = video->failure;
    }
    // A damaged container is cut short as far as can be seen, if its end was reached.
    if (*status == HalcyonVideoCorrupt && video->reached_end) {
        *status = HalcyonVideoEnd;
    }
    if (*status != HalcyonVideoDone) {
        halcyon_video_close(video);
        return NULL;
    }
    // Streams were examined from the beginning, and their packets are kept.
    video->is_at_start = true;
    return video;
}

void halcyon_video_close(HalcyonVideo *video) {
    const VideoLibrary *library = video->library;
    library->av_frame_free(&video->frame);
    library->av_frame_free(&video->next);
    library->av_frame_free(&video->alpha);
    library->av_packet_free(&video->packet);
    library->av_packet_free(&video->alpha_packet);
    library->avcodec_free_context(&video->decoder);
    library->avcodec_free_context(&video->alpha_decoder);
    library->avformat_close_input(&video->container);
    if (video->io != NULL) {
        // It may have put another buffer in the place of the first.
        library->av_freep(&video->io->buffer);
        library->avio_context_free(&video->io);
    }
    free(video);
}

bool halcyon_video_has_separate_alpha(const HalcyonVideo *video) {
    enum AVCodecID codec = video->stream->codecpar->codec_id;
    const AVDictionaryEntry *mode = video->library->av_dict_get(video->stream->metadata, "alpha_mode", NULL, 0);
    return (codec == AV_CODEC_ID_VP8 || codec == AV_CODEC_ID_VP9) && mode != NULL && strcmp(mode->value, "1") == 0;
}

bool halcyon_video_reached_end(const HalcyonVideo *video) {
    return video->reached_end;
}

static const uint8_t *side_data(const HalcyonVideo *video, enum AVPacketSideDataType type, size_t byte_count) {
#if HALCYON_HAS_CODED_SIDE_DATA
    const AVCodecParameters *parameters = video->stream->codecpar;
    const AVPacketSideData *data =
        video->library->av_packet_side_data_get(parameters->coded_side_data, parameters->nb_coded_side_data, type);
    return data != NULL && data->size >= byte_count ? data->data : NULL;
#else
    size_t size = 0;
    const uint8_t *data = video->library->av_stream_get_side_data(video->stream, type, &size);
    return data != NULL && size >= byte_count ? data : NULL;
#endif
}

static double seconds_of(AVRational base, int64_t ticks) {
    return (double)ticks * base.num / base.den;
}

void halcyon_video_describe(const HalcyonVideo *video, HalcyonVideoDescription *out) {
    memset(out, 0, sizeof *out);
    out->aspect_width = 1;
    out->aspect_height = 1;
    out->bit_depth = 8;
    out->primaries = AVCOL_PRI_UNSPECIFIED;
    out->transfer = AVCOL_TRC_UNSPECIFIED;
    out->duration = -1;
    if (video->cover != NULL) {
        out->cover = video->cover->data;
        out->cover_count = (size_t)video->cover->size;
    }
    if (video->container->duration > 0) {
        out->duration = (double)video->container->duration / AV_TIME_BASE;
    }
    if (video->stream == NULL) {
        return;
    }
    const AVStream *stream = video->stream;
    const AVCodecParameters *parameters = stream->codecpar;
    out->has_frames = true;
    out->width = parameters->width;
    out->height = parameters->height;
    AVRational aspect =
        stream->sample_aspect_ratio.num > 0 ? stream->sample_aspect_ratio : parameters->sample_aspect_ratio;
    if (aspect.num > 0 && aspect.den > 0) {
        out->aspect_width = aspect.num;
        out->aspect_height = aspect.den;
    }
    const uint8_t *matrix = side_data(video, AV_PKT_DATA_DISPLAYMATRIX, sizeof out->matrix);
    if (matrix != NULL) {
        out->has_matrix = true;
        memcpy(out->matrix, matrix, sizeof out->matrix);
    }
    const AVPixFmtDescriptor *pixels = video->library->av_pix_fmt_desc_get(parameters->format);
    if (pixels != NULL) {
        for (int index = 0; index < pixels->nb_components; index++) {
            int depth = pixels->comp[index].depth;
            out->bit_depth = depth > out->bit_depth ? depth : out->bit_depth;
        }
        out->has_alpha = (pixels->flags & AV_PIX_FMT_FLAG_ALPHA) != 0;
        out->is_gray = pixels->nb_components == 1 && (pixels->flags & AV_PIX_FMT_FLAG_PAL) == 0;
    }
    out->has_alpha = out->has_alpha || halcyon_video_has_separate_alpha(video);
    out->primaries = parameters->color_primaries;
    out->transfer = parameters->color_trc;
    if (stream->duration > 0 && stream->duration != AV_NOPTS_VALUE) {
        out->duration = seconds_of(stream->time_base, stream->duration);
    }
    if (stream->avg_frame_rate.num > 0 && stream->avg_frame_rate.den > 0) {
        out->frame_rate = (double)stream->avg_frame_rate.num / stream->avg_frame_rate.den;
    }
    strncpy(out->codec, video->library->avcodec_get_name(parameters->codec_id), sizeof out->codec - 1);
}
