public import HalcyonCodecs
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

extension AnimationPlayer {
    /// A frame that is shown.
    public struct Frame: Sendable {
        /// The pixels.
        public let image: DecodedImage
        /// The number of the frame, from 0.
        public let index: Int
    }

    /// What a player tells of.
    public enum Event: Sendable {
        /// A frame is to be shown in place of the one before. Of several that wait to be told of, only the last is.
        case frame(Frame)
        /// A loop has ended; the number of loops played so far. Of several that end at once, or wait to
        /// be told of, only the last is.
        case loop(Int)
        /// The last loop has ended. The last frame stays.
        case end
        /// The frame with this number cannot be decoded; the one before stays in its place.
        case failure(Int, any Error)
    }

    /// The state of a player.
    public enum State: Sendable, Hashable {
        /// Before the beginning.
        case stopped
        case playing
        case paused
        /// After the last loop.
        case finished
    }
}

extension AnimationPlayer.Values {
    /// Notes an event that is to be told, in place of an earlier one that it makes obsolete.
    ///
    /// So those that wait are few, and keep one frame in memory, however long the executor takes to call.
    mutating func tell(_ event: AnimationPlayer.Event) {
        if case .failure(let index, _) = event, isTelling(ofFailure: index) { return }
        if let obsolete = events.firstIndex(where: { event.isInPlace(of: $0) }) {
            if case .frame = event { droppedFrameCount += 1 }
            events.remove(at: obsolete)
        }
        events.append(event)
    }

    private func isTelling(ofFailure index: Int) -> Bool {
        events.contains { event in
            if case .failure(index, _) = event { true } else { false }
        }
    }
}

extension AnimationPlayer.Event {
    /// Returns whether an earlier event need not be told if this one is: there is a later frame, or a later number of
    /// loops.
    fileprivate func isInPlace(of earlier: AnimationPlayer.Event) -> Bool {
        switch (self, earlier) {
        case (.frame, .frame), (.loop, .loop), (.end, .end): true
        default: false
        }
    }
}
