#if GTK
public import Halcyon

/// The way in which a widget plays an animated image. It plays only while the widget is mapped.
public struct AnimationPlayback: Sendable, Hashable {
    /// A Boolean value that indicates whether it plays by itself. Default: `true`; but `false` counts where the user
    /// has switched animations off.
    public var startsAutomatically = true
    /// The number of loops. Default: as the file says.
    public var repetition: AnimationRepetition = .asInFile
    /// The order of the frames. Default: forward.
    public var mode: AnimationPlaybackMode = .forward
    /// The factor of the speed. Default: 1.
    public var rate = 1.0
    /// The number of frames that are decoded before they are due. Default: 10.
    public var framesAhead = 10
    /// A Boolean value that indicates whether decoded frames are dropped while the widget is not mapped. Default:
    /// `false`.
    public var purgesFramesWhileUnmapped = false

    /// The defaults.
    public init() {}
}
#endif
