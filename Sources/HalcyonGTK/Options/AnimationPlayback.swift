public import Halcyon

/// The way in which a widget plays an animated image. It plays only while the widget is in sight.
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
    /// A Boolean value that indicates whether decoded frames are dropped while the widget is not in sight. Default:
    /// `false`.
    public var purgesFramesWhileUnmapped = false
    /// Called with what the player tells of, one turn of the main loop later, while the image is shown. A frame that
    /// cannot be decoded, in whose place the one before stays, is told of once. A handler is equal to itself alone, and is
    /// let go of soon after the widget has left its window.
    /// Default: `nil`.
    public var onEvent: (@MainActor @Sendable (AnimationPlayer.Event) -> Void)? {
        get { handler?.handle }
        set { handler = newValue.map { AnimationHandler($0) } }
    }

    private var handler: AnimationHandler?

    /// The defaults.
    public init() {}

    /// The same without a handler.
    var withoutHandler: AnimationPlayback {
        var playback = self
        playback.handler = nil
        return playback
    }
}

/// A closure of the program's for events of a player, equal to itself alone.
private final class AnimationHandler: Sendable, Hashable {
    let handle: @MainActor @Sendable (AnimationPlayer.Event) -> Void

    init(_ handle: @escaping @MainActor @Sendable (AnimationPlayer.Event) -> Void) {
        self.handle = handle
    }

    static func == (left: AnimationHandler, right: AnimationHandler) -> Bool { left === right }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
