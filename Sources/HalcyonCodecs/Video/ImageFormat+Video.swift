extension ImageFormat {
    /// MP4 (ISO/IEC 14496-14) and its kin, such as M4V and 3GP: a video, of which a frame is the image.
    public static let mp4 = ImageFormat(rawValue: "mp4")
    /// QuickTime movie.
    public static let mov = ImageFormat(rawValue: "mov")
    /// WebM.
    public static let webm = ImageFormat(rawValue: "webm")
    /// Matroska (RFC 9559).
    public static let mkv = ImageFormat(rawValue: "mkv")
    /// Audio Video Interleave.
    public static let avi = ImageFormat(rawValue: "avi")
    /// MPEG transport stream (ISO/IEC 13818-1).
    public static let ts = ImageFormat(rawValue: "ts")
    /// Ogg (RFC 3533) with a video.
    public static let ogv = ImageFormat(rawValue: "ogv")

    /// A Boolean value that indicates whether this is a container of videos, of which a frame is the image.
    public var isVideo: Bool { Self.videos.contains(self) }

    package static let videos: [ImageFormat] = [.mp4, .mov, .webm, .mkv, .avi, .ts, .ogv]
}
