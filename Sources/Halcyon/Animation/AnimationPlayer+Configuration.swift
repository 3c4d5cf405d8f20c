public import HalcyonRaster

extension AnimationPlayer {
    /// The settings of a player.
    public struct Configuration: Sendable {
        /// The order of the frames. Default: ``AnimationPlaybackMode/forward``.
        public var mode: AnimationPlaybackMode = .forward
        /// The number of loops. Default: ``AnimationRepetition/asInFile``.
        public var repetition: AnimationRepetition = .asInFile
        /// The factor of the speed; 0 stands still. Default: 1.
        public var rate = 1.0
        /// The size in pixels of the place that shows the frames: larger ones are scaled down to fit in it when they are
        /// decoded, and players with the same size share them. Default: `nil`, their own size.
        public var displaySize: PixelSize?
        /// Processes each frame when it is decoded; players with equal chains share the results. Default:
        /// ``ImageProcessorChain/identity``.
        public var processing: ImageProcessorChain = .identity
        /// The number of frames that are decoded before they are due, where there is room. Default: 10.
        public var framesAhead = 10
        /// The place where the events are delivered. Default: ``CallbackExecutor/mainActor``.
        public var callbackExecutor: CallbackExecutor = .mainActor
        /// The pool of frames. Default: ``AnimationFramePool/shared``.
        public var pool: AnimationFramePool = .shared

        /// The defaults.
        public init() {}
    }
}

/// The number of times that a player plays an animation.
public enum AnimationRepetition: Sendable, Hashable {
    /// Once.
    case once
    /// This many times, at least once.
    case times(Int)
    /// As often as the file says, which may be without end.
    case asInFile
    /// Without end.
    case forever

    /// Returns the number of loops; `nil` for without end.
    ///
    /// - Parameter fileCount: The number that the file says, 0 for without end.
    func loopCount(ofFile fileCount: Int) -> Int? {
        switch self {
        case .once: 1
        case .times(let count): max(1, count)
        case .asInFile: fileCount > 0 ? fileCount : nil
        case .forever: nil
        }
    }
}
