/// The previews that are made of an image while its bytes arrive.
///
/// One preview is made at a time, on a worker, and none any more once all bytes are there, as the image itself follows.
/// The decoder takes memory beside ``ImagePipeline/Configuration/decodeBudget``, within ``DecodePolicy/limits``; blur
/// and processors take theirs from that budget, and a preview for which it has none at hand is left out. JPEG is shown
/// scan by scan, or by rows where it has one scan; PNG by passes, or by rows; WebP by rows; a lossy JPEG XL at an eighth
/// of its resolution; of a GIF, the first frame. Pixels that are missing are transparent. A preview of rows is made when
/// at least a sixteenth more is there, and 64 previews of an image at the most.
///
/// There are previews of transfers from servers, and of streams (``StreamingImageDataProvider``). Files and other sources
/// are there as soon as a preview could be.
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
    /// A Boolean value that indicates whether the blocks of early scans are blurred, before the processors run: those
    /// of JPEG, and the passes of interlaced PNG.
    ///
    /// The standard deviation of the Gaussian is 6 pixels of the whole image after the first scan, 2 after the second
    /// to the fourth, and 0 from the fifth on. Default: `false`, as libjpeg smooths the blocks of a first scan already,
    /// and a blur takes time for each preview.
    public var blursEarlyScans: Bool

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - mode: The states of the image that are shown. Default: ``Mode/none``.
    ///   - minimumInterval: The shortest time from one preview to the next. Default: 0.
    ///   - blursEarlyScans: Whether the blocks of early scans are blurred. Default: `false`.
    public init(_ mode: Mode = .none, minimumInterval: Duration = .zero, blursEarlyScans: Bool = false) {
        self.mode = mode
        self.minimumInterval = minimumInterval
        self.blursEarlyScans = blursEarlyScans
    }

    /// No preview.
    public static let none = ProgressivePolicy(.none)
    /// The smaller image that the file embeds, alone.
    public static let embeddedThumbnail = ProgressivePolicy(.embeddedThumbnail)
    /// The newest state, as often as previews can be made.
    public static let latest = ProgressivePolicy(.latest)
    /// Every scan and pass, in order.
    public static let each = ProgressivePolicy(.each)

    /// A Boolean value that indicates whether there are previews.
    package var isActive: Bool { mode != .none }
}
