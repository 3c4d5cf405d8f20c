/// The state of playing an animation, as a value: the time goes in, and the frame that is due comes out.
///
/// Where the time leaps ahead, frames are left out rather than shown late; loops that are left out count. Where it goes
/// back, the frame stays and the time is counted from there. Nothing is added up from frame to frame, so that no error
/// grows; each operation takes the same time, however far the time leaps.
struct AnimationPlayhead: Sendable, Hashable {
    enum Phase: Sendable, Hashable {
        /// Stands before the beginning.
        case stopped
        case playing
        case paused
        /// Has played all loops; the frame that was due last stays.
        case finished(frame: Int)
    }

    /// What has changed since the time before.
    struct Change: Sendable, Hashable {
        /// The frame that is due, if it is another one than before.
        var frame: Int?
        /// The number of frames that were due in between.
        var droppedFrameCount = 0
        /// The number of loops played so far, if it is another one than before.
        var loopCount: Int?
        /// A Boolean value that indicates whether the last loop has just ended.
        var isAtEnd = false

        /// No change.
        static let none = Change()
    }

    let timeline: AnimationTimeline
    private(set) var phase = Phase.stopped
    private(set) var mode: AnimationPlaybackMode
    /// The factor of the speed; 0 stands still.
    private(set) var rate: Double
    /// The number of loops to play; `nil` for without end.
    private(set) var loopLimit: Int?
    /// The time played, of all loops, at speed 1.
    private var position: Int64 = 0
    /// The time up to which ``position`` is known.
    private(set) var time: Int64 = 0
    /// A time while playing, and the position at it, from which later positions are counted.
    private var anchor: (time: Int64, position: Int64) {
        get { (anchorTime, anchorPosition) }
        set { (anchorTime, anchorPosition) = newValue }
    }
    private var anchorTime: Int64 = 0
    private var anchorPosition: Int64 = 0

    /// A playhead before the beginning.
    ///
    /// - Parameters:
    ///   - mode: Default: ``AnimationPlaybackMode/forward``.
    ///   - rate: The factor of the speed; negative numbers, and what is no number, count as 0. Default: 1.
    ///   - loopLimit: Default: `nil`, without end.
    init(
        _ timeline: AnimationTimeline,
        mode: AnimationPlaybackMode = .forward,
        rate: Double = 1,
        loopLimit: Int? = nil
    ) {
        self.timeline = timeline
        self.mode = mode
        self.rate = Self.allowed(rate)
        self.loopLimit = loopLimit
    }

    /// The frame that is due.
    var frame: Int {
        if case .finished(let frame) = phase { return frame }
        return step.frame
    }

    /// The number of loops played so far.
    var loopCount: Int { Int(position / loopDuration) }

    /// The step that is due; at the end, that which would follow.
    var step: AnimationTimeline.Step { timeline.step(at: position % loopDuration, mode) }

    private var loopDuration: Int64 { timeline.loopDuration(mode) }

    /// The position at which playing ends; `nil` for never.
    private var end: Int64? {
        guard let loopLimit else { return nil }
        let (end, overflows) = loopDuration.multipliedReportingOverflow(by: Int64(loopLimit))
        return overflows ? nil : end
    }

    /// The time at which the next change is due, in nanoseconds; `nil` if none is. Always later than the time of the
    /// last operation.
    var nextChange: Int64? {
        guard phase == .playing, rate > 0 else { return nil }
        let start = position - position % loopDuration
        let (target, overflows) = start.addingReportingOverflow(step.range.upperBound)
        guard !overflows else { return nil }
        let rest = target - anchor.position
        let interval = rate == 1 ? rest : Int64(clamping: (Double(rest) / rate).rounded(.up))
        let (due, isNever) = anchor.time.addingReportingOverflow(interval)
        guard !isNever else { return nil }
        // Rounding must not make a time of one that has passed.
        return max(due, time < .max ? time + 1 : time)
    }

    /// Lets the time pass up to now.
    mutating func advance(to now: Int64) -> Change {
        guard phase == .playing else { return .none }
        guard now >= time else {
            time = now
            anchor = (now, position)
            return .none
        }
        time = now
        let (old, oldFrame, oldLoopCount) = (absoluteStep, frame, loopCount)
        let (sum, overflows) = anchor.position.addingReportingOverflow(scaled(now, since: anchor.time))
        // Rounded numbers do not go back either.
        position = max(position, overflows ? .max : sum)
        var change = Change()
        if let end, position >= end {
            position = end
            phase = .finished(frame: timeline.frame(ofStep: lastStep, mode))
            change.isAtEnd = true
        }
        if frame != oldFrame { change.frame = frame }
        if loopCount != oldLoopCount { change.loopCount = loopCount }
        let passed = absoluteStep.subtractingReportingOverflow(old).partialValue
        // The end is no frame of its own, except to and back, where the loop ends with the frame that it began with.
        let shown = change.isAtEnd && lastStep > 0 ? 2 : 1
        change.droppedFrameCount = max(0, passed - shown)
        if phase == .playing, position > Int64.max - loopDuration {
            // Loops beyond all numbers are counted anew, so that the time goes on.
            position %= loopDuration
            anchor = (now, position)
        }
        return change
    }

    /// Plays on from the frame at which it was paused, or from the beginning. Of no effect while it plays.
    mutating func play(at now: Int64) -> Change {
        switch phase {
        case .playing: return advance(to: now)
        case .finished, .stopped:
            let oldFrame = frame
            position = 0
            begin(at: now)
            return Change(frame: frame == oldFrame ? nil : frame)
        case .paused:
            begin(at: now)
            return .none
        }
    }

    /// Stands still at the frame that is due now.
    mutating func pause(at now: Int64) -> Change {
        let change = advance(to: now)
        if phase == .playing { phase = .paused }
        return change
    }

    /// Goes back to the beginning.
    mutating func stop() -> Change {
        let oldFrame = frame
        (phase, position) = (.stopped, 0)
        return Change(frame: frame == oldFrame ? nil : frame)
    }

    /// Goes to the start of a frame, in the loop that is being played. What was stopped or has finished is paused there.
    mutating func seek(toFrame target: Int, at now: Int64) -> Change {
        let oldFrame = frame
        var change = advance(to: now)
        let target = min(max(target, 0), timeline.frameCount - 1)
        move(to: target, loops: loopLimit.map { min(loopCount, $0 - 1) } ?? loopCount, mode)
        if phase == .playing { begin(at: now) } else { phase = .paused }
        change.frame = frame == oldFrame ? nil : frame
        change.droppedFrameCount = 0
        return change
    }

    /// Changes the speed from now on.
    mutating func setRate(_ rate: Double, at now: Int64) -> Change {
        let change = advance(to: now)
        self.rate = Self.allowed(rate)
        anchor = (time, position)
        return change
    }

    /// Changes the order from now on. The frame that is due begins anew.
    mutating func setMode(_ mode: AnimationPlaybackMode, at now: Int64) -> Change {
        let change = advance(to: now)
        guard mode != self.mode else { return change }
        switch phase {
        case .playing, .paused:
            move(to: frame, loops: loopCount, mode)
            anchor = (time, position)
        case .stopped:
            let oldFrame = frame
            self.mode = mode
            return Change(frame: frame == oldFrame ? nil : frame)
        case .finished:
            // The loops played stay the same number.
            position = Self.start(ofLoop: loopCount, timeline.loopDuration(mode))
            self.mode = mode
        }
        return change
    }

    /// Changes the number of loops to play, counted from the loop that is being played.
    mutating func setLoopLimit(_ limit: Int?, at now: Int64) -> Change {
        let change = advance(to: now)
        loopLimit = limit
        guard phase == .playing || phase == .paused else { return change }
        position %= loopDuration
        anchor = (time, position)
        return change
    }

    private mutating func begin(at now: Int64) {
        phase = .playing
        time = now
        anchor = (now, position)
    }

    private mutating func move(to frame: Int, loops: Int, _ mode: AnimationPlaybackMode) {
        self.mode = mode
        let start = Self.start(ofLoop: loops, loopDuration)
        let (sum, overflows) = start.addingReportingOverflow(timeline.position(ofFrame: frame, mode))
        position = overflows ? timeline.position(ofFrame: frame, mode) : sum
    }

    /// Returns the position of a loop; that of the first one where it is beyond all numbers.
    private static func start(ofLoop loop: Int, _ duration: Int64) -> Int64 {
        let (start, overflows) = duration.multipliedReportingOverflow(by: Int64(loop))
        return overflows ? 0 : start
    }

    /// The number of the step that is due, counted through all loops.
    private var absoluteStep: Int {
        let (start, overflows) = loopCount.multipliedReportingOverflow(by: timeline.stepCount(mode))
        return overflows ? .max : start.addingReportingOverflow(step.number).partialValue
    }

    /// The step that is shown at the end: the last one of a loop, or the first where a loop ends with that.
    private var lastStep: Int {
        switch mode {
        case .forward, .reverse: timeline.stepCount(mode) - 1
        case .bounce, .reverseBounce: 0
        }
    }

    /// Returns the time played between two times.
    private func scaled(_ now: Int64, since start: Int64) -> Int64 {
        let (elapsed, overflows) = now.subtractingReportingOverflow(start)
        if rate == 0 { return 0 }
        if overflows { return .max }
        return rate == 1 ? elapsed : Int64(clamping: (Double(elapsed) * rate).rounded(.down))
    }

    private static func allowed(_ rate: Double) -> Double { rate > 0 && rate.isFinite ? rate : 0 }
}

extension Int64 {
    /// The nearest number to a whole number.
    fileprivate init(clamping value: Double) {
        self = value >= 9.2e18 ? .max : value <= -9.2e18 ? .min : Int64(value)
    }
}

extension AnimationPlayhead {
    /// Returns the frames that follow the one that is due, in the order of playing; fewer than asked for where playing
    /// ends before.
    func upcomingFrames(_ count: Int) -> [Int] {
        if case .finished = phase { return [] }
        let stepCount = timeline.stepCount(mode)
        let current = step.number
        let rest = loopLimit.map { limit -> Int in
            let (loops, overflows) = max(0, limit - loopCount - 1).multipliedReportingOverflow(by: stepCount)
            return overflows ? .max : loops.addingReportingOverflow(stepCount - 1 - current).partialValue
        }
        return (0..<max(0, min(count, rest ?? .max))).map { offset in
            timeline.frame(ofStep: (current + 1 + offset) % stepCount, mode)
        }
    }
}
