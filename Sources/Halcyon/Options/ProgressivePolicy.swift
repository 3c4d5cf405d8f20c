/// The previews that are made of an image while its bytes arrive.
///
/// One preview is made at a time, on a worker, and none any more once all bytes are there, as the image itself follows.
/// The decoder takes memory beside ``ImagePipeline/Configuration/decodeBudget``, within ``DecodePolicy/limits``.
/// JPEG is shown scan by scan, or by rows where it has one scan; PNG by passes, or by rows; WebP by rows; of a GIF, the
/// first frame. Pixels that are missing are transparent. A preview of rows is made when at least a sixteenth more is
/// there, and 64 previews of an image at the most.
public struct ProgressivePolicy: Sendable, Hashable {
    /// The states of the image that are shown.
    public enum Mode: Sendable, Hashable {
        /// None.
        case none
        /// The smaller image that the file embeds, alone: that of the EXIF block of a JPEG.
        case embeddedThumbnail
        /// The newest state at the time at which a preview can be made; states between are left out.
        case latest
        /// Every scan and pass, in order, however late.
        case each
    }

    /// The states of the image that are shown. Default: ``Mode/none``.
    public var mode: Mode
    /// The shortest time from one preview to the next. Default: 0.
    public var minimumInterval: Duration

    /// Creates a policy.
    public init(_ mode: Mode = .none, minimumInterval: Duration = .zero) {
        self.mode = mode
        self.minimumInterval = minimumInterval
    }

    /// No preview.
    public static let none = ProgressivePolicy(.none)
    /// The smaller image that the file embeds, alone.
    public static let embeddedThumbnail = ProgressivePolicy(.embeddedThumbnail)
    /// The newest state, as often as previews can be made.
    public static let latest = ProgressivePolicy(.latest)
    /// Every scan and pass, in order.
    public static let each = ProgressivePolicy(.each)

    /// The newest state, at most once in an interval.
    public static func latest(minimumInterval: Duration) -> ProgressivePolicy {
        ProgressivePolicy(.latest, minimumInterval: minimumInterval)
    }

    /// Every scan and pass, in order, at most one in an interval.
    public static func each(minimumInterval: Duration) -> ProgressivePolicy {
        ProgressivePolicy(.each, minimumInterval: minimumInterval)
    }

    /// A Boolean value that indicates whether there are previews.
    package var isActive: Bool { mode != .none }
}
