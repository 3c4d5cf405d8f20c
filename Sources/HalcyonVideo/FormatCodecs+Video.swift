internal import CVideoShim
public import HalcyonCodecs

extension FormatCodecs {
    /// Reads frames of videos (FFmpeg's libraries, which are loaded when the first video is read).
    public static let video = FormatCodecs(decoders: ImageFormat.videos.map(VideoDecoder.init))
}

extension CodecLibrary {
    /// FFmpeg's libavformat, which this loads.
    package static var ffmpeg: CodecLibrary {
        let number = Int(halcyon_video_library_version())
        return CodecLibrary(
            name: "libavformat",
            version: number == 0 ? nil : Version(number >> 16, number >> 8 & 255)
        )
    }
}
