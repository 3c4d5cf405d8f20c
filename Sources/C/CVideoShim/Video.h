#ifndef HALCYON_VIDEO_H
#define HALCYON_VIDEO_H

#include "CVideoShim.h"
#include "VideoLibrary.h"

struct HalcyonVideo {
    const VideoLibrary *library;
    HalcyonVideoInput input;
    HalcyonVideoBounds bounds;
    /// What is left of the bounds.
    HalcyonVideoBounds left;
    /// Why reading failed, where it did.
    HalcyonVideoStatus failure;
    int64_t offset;
    bool reached_end;
    AVIOContext *io;
    AVFormatContext *container;
    /// `NULL` without a stream of moving images.
    AVStream *stream;
    const AVPacket *cover;
    AVCodecContext *decoder;
    AVPacket *packet;
    /// Decodes the alpha that stands beside the colours; `NULL` where there is none.
    AVCodecContext *alpha_decoder;
    AVPacket *alpha_packet;
    /// The alpha of the packet that was given to the decoders last, as luma; without data where it has none.
    AVFrame *alpha;
    /// The current frame; without data before the first one is decoded.
    AVFrame *frame;
    /// A frame of which is not yet known whether it becomes the current one.
    AVFrame *next;
    /// Whether nothing was read since the container was opened.
    bool is_at_start;
    /// Whether the decoder was told that no more packets come.
    bool is_draining;
};

/// Returns what an error of FFmpeg means.
HalcyonVideoStatus halcyon_video_status(const HalcyonVideo *video, int error);

#endif
