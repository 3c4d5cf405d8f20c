public import HalcyonCodecs
internal import HalcyonSystem

/// Plays the animation of an image: tells which frame is to be shown, when it is.
///
/// Frames are decoded by a pool that all players share, ahead of time where there is room. Time is never lost: a frame
/// that is decoded late is shown late, and those that were due meanwhile are left out.
///
/// A player may be used from any thread. It plays until it is released, and then tells nothing more. The player of a
/// still image shows that, and tells nothing.
///
/// ```swift
/// let player = AnimationPlayer(image) { event in
///     if case .frame(let frame) = event { show(frame.image) }
/// }
/// player.play()
/// ```
public final class AnimationPlayer: Sendable {
    /// The part that a lock protects.
    struct Values {
        /// `nil` for a still image.
        var animation: ImageAnimation?
        /// The number of times that the animation was replaced: frames of an earlier one are not shown.
        var animationNumber = 0
        var playhead: AnimationPlayhead
        var repetition: AnimationRepetition
        var shown: Frame
        /// The number of the frame that is shown; `nil` for an image in another form.
        var shownIndex: Int?
        var droppedFrameCount = 0
        /// A Boolean value that indicates whether the end is told of once the last frame is shown.
        var isEndPending = false
        var events: [Event] = []
        /// The frame that is due, if it was told that it cannot be decoded.
        var failedIndex: Int?
        /// The number of changes of the playhead.
        var changeCount: UInt64 = 0
        /// A Boolean value that indicates whether a turn of the executor was asked for, or is under way.
        var isTellingEvents = false
        /// A Boolean value that indicates whether the pool does not know yet what is needed now.
        var needsRequest = false
        /// A Boolean value that indicates whether a thread asks the pool.
        var isRequesting = false
        /// The number of times that a frame was due and not shown when the pool was asked for it.
        var demandCount: UInt64 = 0
        /// The frames that were due after the one that is shown, and the number of the last time that each was asked
        /// for.
        var demands: [Int: UInt64] = [:]
        var timer: Task<Void, Never>?
        /// Distinguishes the timer from earlier ones.
        var timerNumber: UInt64 = 0
        /// The time that a timer waited for last, in nanoseconds; `nil` before the first.
        var lastDeadline: Int64?
    }

    /// The animation; `nil` for a still image.
    public var animation: ImageAnimation? { values.withLock { $0.animation } }
    let configuration: Configuration
    let clock: AnimationClock
    let values: Lock<Values>
    let onEvent: @Sendable (Event) -> Void
    /// A Boolean value that indicates whether the frames are those of the image, as they are.
    let hasOwnForm: Bool
    /// The place in the pool, taken with the first frame that is needed.
    let place = Lock<AnimationFramePool.Place?>(nil)

    /// A player that stands before the beginning of an animation.
    ///
    /// - Parameters:
    ///   - image: An image with its ``DecodedImage/animation``; it is shown until the first frame is decoded.
    ///   - configuration: Default: the defaults.
    ///   - clock: Default: the system's.
    ///   - onEvent: Called in the place that the configuration names, one event at a time, in their order. Default:
    ///     nothing.
    public init(
        _ image: DecodedImage,
        configuration: Configuration = Configuration(),
        clock: AnimationClock = .system,
        onEvent: @escaping @Sendable (Event) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.clock = clock
        self.onEvent = onEvent
        let timeline = image.animation.map { AnimationTimeline($0) } ?? AnimationTimeline([.seconds(1)])
        let playhead = AnimationPlayhead(
            timeline,
            mode: configuration.mode,
            rate: configuration.rate,
            loopLimit: configuration.repetition.loopCount(ofFile: image.animation?.loopCount ?? 1)
        )
        hasOwnForm = configuration.displaySize == nil && configuration.processing.isIdentity
        values = Lock(
            Values(
                animation: image.animation,
                playhead: playhead,
                repetition: configuration.repetition,
                shown: Frame(image: image, index: 0),
                shownIndex: hasOwnForm ? 0 : nil
            )
        )
    }

    deinit {
        values.withLock { $0.timer }?.cancel()
        if let place = place.withLock({ $0 }) { configuration.pool.leave(place) }
    }

    /// Plays on from where it was paused, or from the beginning.
    public func play() { perform { $0.playhead.play(at: $1) } }

    /// Stands still at the frame that is due.
    public func pause() { perform { $0.playhead.pause(at: $1) } }

    /// Stands still before the beginning, and shows the frame that it begins with.
    public func stop() { perform { values, _ in values.playhead.stop() } }

    /// Goes to a frame, and plays on from there if it plays.
    ///
    /// - Parameter index: Numbers beyond the first and the last frame count as these.
    public func seek(toFrame index: Int) { perform { $0.playhead.seek(toFrame: index, at: $1) } }

    /// The state.
    public var state: State {
        switch values.withLock({ $0.playhead.phase }) {
        case .stopped: .stopped
        case .playing: .playing
        case .paused: .paused
        case .finished: .finished
        }
    }

    /// The frame that is shown.
    public var frame: Frame { values.withLock { $0.shown } }

    /// The number of loops played so far.
    public var loopCount: Int { values.withLock { $0.playhead.loopCount } }

    /// The number of frames that were left out so far, because time had passed them when they could have been shown.
    public var droppedFrameCount: Int { values.withLock { $0.droppedFrameCount } }

    /// The factor of the speed; 0 stands still, as does what is no positive number. At a great one, frames are left
    /// out: a player that waits on its clock shows one every 4 ms at most.
    public var rate: Double {
        get { values.withLock { $0.playhead.rate } }
        set { perform { $0.playhead.setRate(newValue, at: $1) } }
    }

    /// The order of the frames. A new one begins with the frame that is due.
    public var mode: AnimationPlaybackMode {
        get { values.withLock { $0.playhead.mode } }
        set { perform { $0.playhead.setMode(newValue, at: $1) } }
    }

    /// The number of loops. A new one counts them anew, from the loop that is being played.
    public var repetition: AnimationRepetition {
        get { values.withLock { $0.repetition } }
        set {
            guard let animation else { return values.withLock { $0.repetition = newValue } }
            let limit = newValue.loopCount(ofFile: animation.loopCount)
            // At once, so that of two threads one sets both.
            perform { values, now in
                values.repetition = newValue
                return values.playhead.setLoopLimit(limit, at: now)
            }
        }
    }

    /// Drops the decoded frames of the animation but those being shown, also for other players; they are decoded again
    /// when they are due.
    public func purge() {
        if let place = place.withLock({ $0 }) { configuration.pool.purge(place) }
    }
}
