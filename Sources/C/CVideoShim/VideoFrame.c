#include "Video.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// Opens a decoder of the stream.
static HalcyonVideoStatus open_decoder(HalcyonVideo *video, int64_t pixel_count, AVCodecContext **out) {
    const VideoLibrary *library = video->library;
    const AVCodec *codec = library->avcodec_find_decoder(video->stream->codecpar->codec_id);
    if (codec == NULL) {
        return HalcyonVideoNoDecoder;
    }
    AVCodecContext *decoder = *out = library->avcodec_alloc_context3(codec);
    if (decoder == NULL) {
        return HalcyonVideoNoMemory;
    }
    int result = library->avcodec_parameters_to_context(decoder, video->stream->codecpar);
    if (result < 0) {
        return halcyon_video_status(video, result);
    }
    decoder->pkt_timebase = video->stream->time_base;
    // One thread: several images are decoded at a time.
    decoder->thread_count = 1;
    decoder->max_pixels = pixel_count;
    // Frames are cut where the file says, and not where rows are aligned.
    decoder->flags |= AV_CODEC_FLAG_UNALIGNED;
    AVDictionary *options = NULL;
    library->av_dict_set(&options, "codec_whitelist", video->container->codec_whitelist, 0);
    result = library->avcodec_open2(decoder, codec, &options);
    library->av_dict_free(&options);
    // The codec is not in the list.
    return result == AVERROR(EINVAL) ? HalcyonVideoNoDecoder : halcyon_video_status(video, result);
}

HalcyonVideoStatus halcyon_video_open_decoder(HalcyonVideo *video, int64_t pixel_count) {
    const VideoLibrary *library = video->library;
    if (video->stream == NULL) {
        return HalcyonVideoNoStream;
    }
    video->packet = library->av_packet_alloc();
    video->frame = library->av_frame_alloc();
    video->next = library->av_frame_alloc();
    video->alpha_packet = library->av_packet_alloc();
    video->alpha = library->av_frame_alloc();
    if (video->packet == NULL || video->frame == NULL || video->next == NULL || video->alpha_packet == NULL ||
        video->alpha == NULL) {
        return HalcyonVideoNoMemory;
    }
    HalcyonVideoStatus status = open_decoder(video, pixel_count, &video->decoder);
    if (status == HalcyonVideoDone && halcyon_video_has_separate_alpha(video)) {
        status = open_decoder(video, pixel_count, &video->alpha_decoder);
    }
    return status;
}

static void flush_decoders(HalcyonVideo *video) {
    video->library->avcodec_flush_buffers(video->decoder);
    if (video->alpha_decoder != NULL) {
        video->library->avcodec_flush_buffers(video->alpha_decoder);
    }
}

// Returns the alpha of the packet: what stands behind the number 1 of 8 bytes; NULL if there is none.
static uint8_t *alpha_of(const HalcyonVideo *video, int *byte_count) {
    static const uint8_t number[8] = {0, 0, 0, 0, 0, 0, 0, 1};
    size_t size = 0;
    uint8_t *data =
        video->library->av_packet_get_side_data(video->packet, AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL, &size);
    if (data == NULL || size <= sizeof number || size > INT_MAX || memcmp(data, number, sizeof number) != 0) {
        return NULL;
    }
    *byte_count = (int)(size - sizeof number);
    return data + sizeof number;
}

// Returns whether decoding may begin with the packet: encoders may set key frames in the colours alone.
static bool is_key(const HalcyonVideo *video) {
    if (!(video->packet->flags & AV_PKT_FLAG_KEY)) {
        return false;
    }
    int byte_count;
    const uint8_t *alpha = video->alpha_decoder == NULL ? NULL : alpha_of(video, &byte_count);
    if (alpha == NULL) {
        return true;
    }
    // VP8 (RFC 6386, 9.1): 0 for a key frame in the lowest bit. VP9 (6.2): frame_type, and no frame shown again.
    return (alpha[0] & (video->stream->codecpar->codec_id == AV_CODEC_ID_VP8 ? 0x01 : 0x0C)) == 0;
}

// Decodes the alpha of the packet, a stream of its own of the same codec.
static void decode_alpha(HalcyonVideo *video) {
    const VideoLibrary *library = video->library;
    library->av_frame_unref(video->alpha);
    uint8_t *data = alpha_of(video, &video->alpha_packet->size);
    if (data == NULL) {
        return;
    }
    // The decoder copies what is not counted.
    video->alpha_packet->data = data;
    if (library->avcodec_send_packet(video->alpha_decoder, video->alpha_packet) >= 0) {
        library->avcodec_receive_frame(video->alpha_decoder, video->alpha);
    }
    library->av_packet_unref(video->alpha_packet);
}

// Gives the decoders the packet. Each makes its frame of it at once.
static int send_packet(HalcyonVideo *video) {
    int result = video->library->avcodec_send_packet(video->decoder, video->packet);
    if (result >= 0 && video->alpha_decoder != NULL) {
        decode_alpha(video);
    }
    return result;
}

// Makes the alpha decoded last, where it has the form of the next frame, that frame's fourth plane.
static void add_alpha(HalcyonVideo *video) {
    AVFrame *frame = video->next;
    const AVFrame *alpha = video->alpha;
    const int last = AV_NUM_DATA_POINTERS - 1;
    if (frame->format != AV_PIX_FMT_YUV420P || alpha->format != AV_PIX_FMT_YUV420P || alpha->width != frame->width ||
        alpha->height != frame->height || alpha->buf[0] == NULL || frame->buf[last] != NULL) {
        return;
    }
    // Its planes lie in the first buffer, or one in each.
    frame->buf[last] = video->library->av_buffer_ref(alpha->buf[0]);
    if (frame->buf[last] != NULL) {
        frame->data[3] = alpha->data[0];
        frame->linesize[3] = alpha->linesize[0];
        frame->format = AV_PIX_FMT_YUVA420P;
    }
}

// The time of the first frame is 0.
static int64_t first_tick(const HalcyonVideo *video) {
    return video->stream->start_time == AV_NOPTS_VALUE ? 0 : video->stream->start_time;
}

static double seconds_of(const HalcyonVideo *video, int64_t tick) {
    if (tick == AV_NOPTS_VALUE) {
        return 0;
    }
    AVRational base = video->stream->time_base;
    return ((double)tick - (double)first_tick(video)) * base.num / base.den;
}

static int64_t tick_of(const HalcyonVideo *video, double seconds) {
    AVRational base = video->stream->time_base;
    // A millionth of a second more: the time of a frame, as it was returned, is not to be before that frame.
    double tick = (seconds + 1e-6) * base.den / base.num + (double)first_tick(video);
    if (!(tick < 0x1p62 && tick > -0x1p62)) {
        return tick < 0 ? -((int64_t)1 << 62) : (int64_t)1 << 62;
    }
    int64_t whole = (int64_t)tick;
    return (double)whole > tick ? whole - 1 : whole;
}

// Transport streams and Ogg have neither a beginning nor an index, and are searched with little precision.
static bool is_continuous(const HalcyonVideo *video) {
    return (video->container->iformat->flags & AVFMT_TS_DISCONT) != 0;
}

bool halcyon_video_find_next_key_frame(const HalcyonVideo *video, double *seconds) {
    const VideoLibrary *library = video->library;
    AVStream *stream = video->stream;
    const AVPacket *packet = video->packet;
    // What libavformat notes of the packets of these counts all of them as key frames.
    if (is_continuous(video)) {
        return false;
    }
    // Some indexes have the times of decoding, others those of showing: the entry of the packet at hand tells.
    int64_t times[] = {packet->pts, packet->dts};
    for (int kind = 0; kind < 2; kind++) {
        if (packet->pts == AV_NOPTS_VALUE || times[kind] == AV_NOPTS_VALUE) {
            continue;
        }
        int index = library->av_index_search_timestamp(stream, times[kind], AVSEEK_FLAG_BACKWARD);
        const AVIndexEntry *entry = index < 0 ? NULL : library->avformat_index_get_entry(stream, index);
        if (entry == NULL || entry->timestamp != times[kind]) {
            continue;
        }
        int count = library->avformat_index_get_entries_count(stream);
        for (index++; index < count; index++) {
            entry = library->avformat_index_get_entry(stream, index);
            if (entry != NULL && (entry->flags & AVINDEX_KEYFRAME)) {
                double delay = seconds_of(video, packet->pts) - seconds_of(video, times[kind]);
                *seconds = seconds_of(video, entry->timestamp) + delay;
                return true;
            }
        }
    }
    return false;
}

static HalcyonVideoStatus read_packet(HalcyonVideo *video);

// Goes on with the packets from the last key frame of the colours before a time, or from the first one.
static HalcyonVideoStatus seek_to(HalcyonVideo *video, double seconds) {
    const VideoLibrary *library = video->library;
    if (video->is_at_start && seconds <= 0) {
        return HalcyonVideoDone;
    }
    int index = video->stream->index;
    int result = -1;
    if (seconds > 0 || !is_continuous(video)) {
        result = library->av_seek_frame(video->container, index, tick_of(video, seconds), AVSEEK_FLAG_BACKWARD);
    }
    if (result < 0 && !video->is_at_start && video->failure == HalcyonVideoDone) {
        result = library->avformat_seek_file(video->container, -1, INT64_MIN, 0, 0, AVSEEK_FLAG_BYTE);
    }
    if (video->failure != HalcyonVideoDone) {
        return video->failure;
    }
    flush_decoders(video);
    library->av_packet_unref(video->packet);
    video->is_draining = false;
    // A container that cannot be searched is read from where it is, which is its beginning.
    return result < 0 && !video->is_at_start ? halcyon_video_status(video, result) : HalcyonVideoDone;
}

HalcyonVideoStatus halcyon_video_seek(HalcyonVideo *video, double seconds) {
    HalcyonVideoStatus status = seek_to(video, seconds);
    if (status != HalcyonVideoDone || video->alpha_decoder == NULL || seconds <= 0) {
        return status;
    }
    status = read_packet(video);
    if (status != HalcyonVideoDone) {
        return status == HalcyonVideoEnd || status == HalcyonVideoCorrupt ? seek_to(video, seconds) : status;
    }
    // Without a key frame of its own there, alpha begins with the first.
    return seek_to(video, is_key(video) ? seconds : 0);
}

// Reads the next packet of the stream.
static HalcyonVideoStatus read_packet(HalcyonVideo *video) {
    const VideoLibrary *library = video->library;
    for (;;) {
        library->av_packet_unref(video->packet);
        if (video->input.is_cancelled(video->input.context)) {
            return HalcyonVideoCancelled;
        }
        if (video->left.packet_count-- <= 0) {
            return HalcyonVideoTooMuchWork;
        }
        int result = library->av_read_frame(video->container, video->packet);
        video->is_at_start = false;
        if (result < 0) {
            return halcyon_video_status(video, result);
        }
        if (video->packet->stream_index == video->stream->index) {
            return HalcyonVideoDone;
        }
    }
}

HalcyonVideoStatus halcyon_video_read_key_frame(HalcyonVideo *video, double *seconds) {
    for (;;) {
        HalcyonVideoStatus status = read_packet(video);
        if (status != HalcyonVideoDone) {
            return status;
        }
        const AVPacket *packet = video->packet;
        if (is_key(video)) {
            *seconds = seconds_of(video, packet->pts != AV_NOPTS_VALUE ? packet->pts : packet->dts);
            return HalcyonVideoDone;
        }
    }
}

// Receives the next frame that the packets so far make: AVERROR(EAGAIN) where they make none.
static int receive_frame(HalcyonVideo *video, HalcyonVideoStatus *status) {
    int result = video->library->avcodec_receive_frame(video->decoder, video->next);
    *status = halcyon_video_status(video, result);
    if (result >= 0 && (video->next->width <= 0 || video->next->height <= 0)) {
        *status = HalcyonVideoCorrupt;
    }
    if (result >= 0 && video->left.frame_count-- <= 0) {
        *status = HalcyonVideoTooMuchWork;
    }
    if (result >= 0 && video->alpha_decoder != NULL) {
        add_alpha(video);
    }
    return result;
}

static void keep_next_frame(HalcyonVideo *video) {
    video->library->av_frame_unref(video->frame);
    video->library->av_frame_move_ref(video->frame, video->next);
}

HalcyonVideoStatus halcyon_video_decode_key_frame(HalcyonVideo *video) {
    const VideoLibrary *library = video->library;
    HalcyonVideoStatus status;
    flush_decoders(video);
    int result = send_packet(video);
    if (result >= 0) {
        result = library->avcodec_send_packet(video->decoder, NULL);
    }
    if (result < 0) {
        status = halcyon_video_status(video, result);
    } else if (receive_frame(video, &status) >= 0 && status == HalcyonVideoDone) {
        keep_next_frame(video);
    }
    flush_decoders(video);
    video->is_draining = false;
    // A packet without a frame.
    return status == HalcyonVideoEnd ? HalcyonVideoCorrupt : status;
}

// Gives the decoder the next packet. Damaged ones are left out, as players do.
static HalcyonVideoStatus feed(HalcyonVideo *video) {
    HalcyonVideoStatus status = read_packet(video);
    if (status == HalcyonVideoEnd || status == HalcyonVideoCorrupt) {
        video->is_draining = true;
        return halcyon_video_status(video, video->library->avcodec_send_packet(video->decoder, NULL));
    }
    if (status != HalcyonVideoDone) {
        return status;
    }
    int result = send_packet(video);
    return result == AVERROR(ENOMEM) ? HalcyonVideoNoMemory : HalcyonVideoDone;
}

HalcyonVideoStatus halcyon_video_decode_until(HalcyonVideo *video, double seconds) {
    int64_t tick = tick_of(video, seconds);
    bool has_frame = false;
    for (;;) {
        if (video->input.is_cancelled(video->input.context)) {
            return HalcyonVideoCancelled;
        }
        HalcyonVideoStatus status;
        int result = receive_frame(video, &status);
        if (result == AVERROR(EAGAIN) && !video->is_draining) {
            status = feed(video);
            if (status != HalcyonVideoDone) {
                return status;
            }
            continue;
        }
        if (result == AVERROR_EOF || result == AVERROR(EAGAIN)) {
            return has_frame ? HalcyonVideoDone : HalcyonVideoEnd;
        }
        if (status == HalcyonVideoCorrupt && result < 0 && !video->is_draining) {
            // Counted as a frame, so that damage without end has one.
            if (video->left.frame_count-- <= 0) {
                return HalcyonVideoTooMuchWork;
            }
            continue;
        }
        if (status != HalcyonVideoDone) {
            return has_frame && status == HalcyonVideoCorrupt ? HalcyonVideoDone : status;
        }
        int64_t time = video->next->best_effort_timestamp;
        if (has_frame && time != AV_NOPTS_VALUE && time > tick) {
            return HalcyonVideoDone;
        }
        keep_next_frame(video);
        has_frame = true;
        if (time != AV_NOPTS_VALUE && time >= tick) {
            return HalcyonVideoDone;
        }
    }
}

bool halcyon_video_frame_has_alpha(const HalcyonVideo *video) {
    if (video->frame == NULL || video->frame->width == 0) {
        return false;
    }
    const AVPixFmtDescriptor *pixels = video->library->av_pix_fmt_desc_get(video->frame->format);
    return pixels != NULL && (pixels->flags & (AV_PIX_FMT_FLAG_ALPHA | AV_PIX_FMT_FLAG_PAL)) != 0;
}

double halcyon_video_frame_time(const HalcyonVideo *video) {
    if (video->frame == NULL || video->frame->width == 0) {
        return NAN;
    }
    return seconds_of(video, video->frame->best_effort_timestamp);
}
