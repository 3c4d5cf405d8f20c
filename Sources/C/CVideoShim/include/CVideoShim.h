// Frames of videos by FFmpeg's libraries (libavformat, libavcodec, libavutil, libswscale), which are loaded on first
// use.
//
// They are not linked: on Debian 12 they bring 130 further libraries, which take 40 ms to load at the start of every
// program that reads no video at all. Their structures differ between FFmpeg 5.1 and 7.1, so nothing of them is seen
// outside of this target: it is compiled against the headers of the version whose libraries it loads.
#ifndef HALCYON_VIDEO_SHIM_H
#define HALCYON_VIDEO_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    HalcyonVideoDone = 0,
    /// The bytes end, or there is no further frame.
    HalcyonVideoEnd,
    HalcyonVideoCancelled,
    /// The libraries are not installed, or lack a function.
    HalcyonVideoNoLibrary,
    HalcyonVideoNoMemory,
    /// The input could not be read.
    HalcyonVideoUnreadable,
    /// The bytes contradict the format, or a frame has more pixels than allowed.
    HalcyonVideoCorrupt,
    /// There is no stream of moving images.
    HalcyonVideoNoStream,
    /// The codec is not one of those that are decoded, or the libraries were built without it.
    HalcyonVideoNoDecoder,
    /// More bytes, packets or frames had to be read than allowed.
    HalcyonVideoTooMuchWork,
} HalcyonVideoStatus;

/// The bytes of a container.
typedef struct {
    void *context;
    int64_t byte_count;
    /// Reads up to `count` bytes at an offset: returns how many, 0 at the end, or -1.
    int (*read)(void *context, int64_t offset, uint8_t *bytes, int count);
    bool (*is_cancelled)(void *context);
    /// Whether of edit lists only the beginning counts, and not what they repeat and leave out.
    bool ignores_edits;
} HalcyonVideoInput;

/// What a container may ask for.
typedef struct {
    /// Pixels of a frame as coded.
    int64_t pixel_count;
    /// Pixels of a frame that the decoder of the chosen stream takes while the streams are examined; those of all others
    /// together take a quarter of it.
    int64_t examined_pixel_count;
    /// Frames that are decoded in all.
    int64_t frame_count;
    /// Packets that are read in all.
    int64_t packet_count;
    /// Bytes that are read in all, those that are read twice counted twice.
    int64_t read_byte_count;
} HalcyonVideoBounds;

typedef struct {
    /// Pixels of a frame as coded.
    int width;
    int height;
    /// The shape of a pixel, width over height; 1 over 1 where it is not known.
    int aspect_width;
    int aspect_height;
    /// How frames are turned: a matrix as in `tkhd` (ISO/IEC 14496-12, 8.3.2).
    bool has_matrix;
    int32_t matrix[9];
    int bit_depth;
    bool has_alpha;
    bool is_gray;
    /// ITU-T H.273.
    int primaries;
    int transfer;
    /// Seconds; below 0 where it is not known.
    double duration;
    /// Frames a second; 0 where it is not known.
    double frame_rate;
    /// FFmpeg's name of the codec, such as "h264".
    char codec[32];
    /// The encoded image that stands for the file; `NULL` without one. Belongs to the video.
    const uint8_t *cover;
    size_t cover_count;
    /// Whether there is a stream of moving images; without one, only the cover counts.
    bool has_frames;
} HalcyonVideoDescription;

/// An open container, its stream of moving images, its decoder, and a current frame.
typedef struct HalcyonVideo HalcyonVideo;

/// Loads the libraries; returns their version as FFmpeg writes that of libavformat (`AV_VERSION_INT`), or 0.
///
/// The first call sets FFmpeg's level of logging, which the process has only one of, to "quiet", unless something else
/// has changed it.
unsigned halcyon_video_library_version(void);

/// Opens a container.
///
/// - Parameters:
///   - format: FFmpeg's name of the demuxer, such as "mov"; no other is tried.
///   - input: Copied. Nothing else is read: no file, and no network.
///   - status: Set where the result is `NULL`.
HalcyonVideo *halcyon_video_open(
    const char *format,
    const HalcyonVideoInput *input,
    const HalcyonVideoBounds *bounds,
    HalcyonVideoStatus *status
);

void halcyon_video_close(HalcyonVideo *video);

void halcyon_video_describe(const HalcyonVideo *video, HalcyonVideoDescription *out);

/// Returns whether the end of the input was reached.
bool halcyon_video_reached_end(const HalcyonVideo *video);

/// Opens the decoder; to be called once, before frames are asked for.
HalcyonVideoStatus halcyon_video_open_decoder(HalcyonVideo *video, int64_t pixel_count);

/// Continues at the last key frame at or before a time, or at the beginning where the container cannot tell.
HalcyonVideoStatus halcyon_video_seek(HalcyonVideo *video, double seconds);

/// Reads up to the next key frame without decoding.
///
/// - Parameter seconds: Set to its time.
HalcyonVideoStatus halcyon_video_read_key_frame(HalcyonVideo *video, double *seconds);

/// Looks into the container's index for the key frame after the one that was read last.
///
/// - Parameter seconds: Set to its time.
/// - Returns: Whether the index has both.
bool halcyon_video_find_next_key_frame(const HalcyonVideo *video, double *seconds);

/// Decodes the key frame that was read last, which becomes the current frame.
HalcyonVideoStatus halcyon_video_decode_key_frame(HalcyonVideo *video);

/// Decodes on until the frame that is shown at a time, which becomes the current one; the last one where the time is
/// beyond the end, and the first one where it is before the beginning.
HalcyonVideoStatus halcyon_video_decode_until(HalcyonVideo *video, double seconds);

/// Returns the mean of the brightest components of what is seen of the current frame, 0 to 255; 0 for one that is clear, or -1.
int halcyon_video_brightness(const HalcyonVideo *video);

/// Returns whether the stream has alpha beside its colours: VP8 and VP9 of WebM (Matroska, AlphaMode and BlockAdditions).
bool halcyon_video_has_separate_alpha(const HalcyonVideo *video);

/// Returns whether the samples of the current frame have alpha, or a palette that may have.
bool halcyon_video_frame_has_alpha(const HalcyonVideo *video);

/// Returns the time of the current frame in seconds; not a number where there is none.
double halcyon_video_frame_time(const HalcyonVideo *video);

/// Converts the current frame to RGBA with straight alpha, scaled to a size.
///
/// - Parameters:
///   - out: Rows of `width` pixels, each of 4 bytes, or 8 (in the order of this processor) where `is_sixteen` is set.
HalcyonVideoStatus halcyon_video_convert(
    const HalcyonVideo *video,
    int width,
    int height,
    bool is_sixteen,
    uint8_t *out,
    size_t bytes_per_row
);

#endif
