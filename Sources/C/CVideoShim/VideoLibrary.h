// FFmpeg's functions, by the names that they have there, as far as they are used.
#ifndef HALCYON_VIDEO_LIBRARY_H
#define HALCYON_VIDEO_LIBRARY_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/dict.h>
#include <libavutil/frame.h>
#include <libavutil/log.h>
#include <libavutil/mem.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
#include <stdbool.h>

// From FFmpeg 6.1 on, side data of a stream belongs to its codec parameters.
#define HALCYON_HAS_CODED_SIDE_DATA (LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 102))

#define HALCYON_FORMAT_FUNCTIONS(F) \
    F(avformat_version) F(avformat_alloc_context) F(avformat_open_input) F(avformat_close_input) \
    F(avformat_find_stream_info) F(av_find_input_format) F(av_read_frame) F(av_seek_frame) F(avformat_seek_file) \
    F(avio_alloc_context) F(avio_context_free) F(avformat_index_get_entry) \
    F(avformat_index_get_entries_count) F(av_index_search_timestamp)
#define HALCYON_CODEC_FUNCTIONS(F) \
    F(avcodec_find_decoder) F(avcodec_alloc_context3) F(avcodec_free_context) F(avcodec_parameters_to_context) \
    F(avcodec_open2) F(avcodec_send_packet) F(avcodec_receive_frame) F(avcodec_flush_buffers) F(avcodec_get_name) \
    F(av_packet_alloc) F(av_packet_free) F(av_packet_unref) F(av_packet_get_side_data)
#define HALCYON_UTILITY_FUNCTIONS(F) \
    F(av_malloc) F(av_mallocz) F(av_free) F(av_freep) F(av_dict_get) F(av_dict_set) F(av_dict_set_int) F(av_dict_free) \
    F(av_frame_alloc) F(av_frame_free) F(av_frame_unref) F(av_frame_move_ref) F(av_frame_get_buffer) F(av_buffer_ref) \
    F(av_log_get_level) F(av_log_set_level) F(av_pix_fmt_desc_get)
#define HALCYON_SCALING_FUNCTIONS(F) \
    F(sws_isSupportedInput) F(sws_getContext) F(sws_freeContext) F(sws_scale) F(sws_setColorspaceDetails) \
    F(sws_getCoefficients)

#if HALCYON_HAS_CODED_SIDE_DATA
#define HALCYON_SIDE_DATA_FUNCTIONS(F) F(av_packet_side_data_get)
#else
#define HALCYON_SIDE_DATA_FUNCTIONS(F) F(av_stream_get_side_data)
#endif

typedef struct {
#define DECLARE(name) __typeof__(name) *name;
    HALCYON_FORMAT_FUNCTIONS(DECLARE)
    HALCYON_CODEC_FUNCTIONS(DECLARE)
    HALCYON_UTILITY_FUNCTIONS(DECLARE)
    HALCYON_SCALING_FUNCTIONS(DECLARE)
    HALCYON_SIDE_DATA_FUNCTIONS(DECLARE)
#undef DECLARE
} VideoLibrary;

/// The functions; `NULL` where the libraries are not there. Loads them on first use, and never unloads them.
const VideoLibrary *halcyon_video_library(void);

#endif
