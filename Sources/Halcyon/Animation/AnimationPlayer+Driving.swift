internal import HalcyonCodecs
internal import HalcyonSystem

extension AnimationPlayer {
    /// Shows the frame that is due now; for players that the program drives, see ``AnimationClock/driven(now:)``.
    public func update() {
        perform(startsTimer: false) { $0.playhead.advance(to: $1) }
    }

    /// The time by the player's clock at which the next frame is due; `nil` while none is.
    public var nextUpdate: Duration? {
        values.withLock { $0.playhead.nextChange }.map { .nanoseconds($0) }
    }

    /// Changes the playhead, and does what follows from that.
    ///
    /// - Parameter startsTimer: `false` if the time of the next change may only be that which is waited for, or later.
    func perform(
        startsTimer: Bool = true,
        _ change: (inout Values, _ now: Int64) -> AnimationPlayhead.Change
    ) {
        guard animation != nil else { return }
        while !changes(change) {}
        request()
        if startsTimer { restartTimer() }
        tellEvents()
    }

    /// Changes the playhead, unless another thread does so while the clock is read: its time may be later than the one
    /// read here, which would seem to go back, and the time between them would be played twice.
    private func changes(_ change: (inout Values, _ now: Int64) -> AnimationPlayhead.Change) -> Bool {
        let changeCount = values.withLock { $0.changeCount }
        // The clock may be the program's, so it is not read under the lock.
        let now = clock.now().nanoseconds
        return values.withLock { values in
            guard values.changeCount == changeCount else { return false }
            values.changeCount += 1
            let wasShown = values.shownIndex == values.playhead.frame
            let change = change(&values, now)
            values.droppedFrameCount += change.droppedFrameCount
            // The frame before was due and never shown.
            if change.frame != nil, !wasShown, values.playhead.phase != .stopped { values.droppedFrameCount += 1 }
            if change.frame != nil { values.failedIndex = nil }
            if let loopCount = change.loopCount { values.tell(.loop(loopCount)) }
            values.isEndPending = change.isAtEnd || values.isEndPending
            if case .finished = values.playhead.phase {} else { values.isEndPending = false }
            values.needsRequest = true
            return true
        }
    }

    /// Goes on with the frames of the same animation in another size. Of no effect for one of another number of frames.
    ///
    /// - Returns: Whether it goes on.
    package func replaceImage(with image: DecodedImage) -> Bool {
        let isReplaced = values.withLock { values in
            guard let animation = values.animation, let next = image.animation,
                animation.frameCount == next.frameCount
            else { return false }
            values.animation = next
            values.animationNumber += 1
            (values.demands, values.failedIndex, values.shownIndex) = ([:], nil, nil)
            // The image shows the first frame; any other is shown once it is decoded.
            if values.playhead.frame == 0 {
                values.shown = Frame(image: image, index: 0)
                if hasOwnForm { values.shownIndex = 0 }
            }
            return true
        }
        guard isReplaced else { return false }
        let earlier = place.withLock { place in
            defer { place = nil }
            return place
        }
        if let earlier { configuration.pool.leave(earlier) }
        values.withLock { $0.needsRequest = true }
        request()
        tellEvents()
        return true
    }

    /// Tells the pool what is needed, and shows the frame that is due if the pool has it. One thread does so at a time,
    /// so that the pool learns last what is needed last.
    private func request() {
        let pool = configuration.pool
        while let (demand, shown, isAtRest) = values.withLock({ nextDemand(&$0) }) {
            // Looked for each time: the animation may have been replaced meanwhile.
            let decoded = hasOwnForm ? animation?.preloadedFrames : nil
            let place = decoded == nil ? poolPlace() : nil
            var result: Result<DecodedImage?, any Error> = .success(nil)
            if let decoded {
                result = .success(decoded[demand.frame])
            } else if let place, isAtRest {
                pool.rest(place, shown: shown)
            } else if let place {
                result = Result { try pool.frame(for: demand, shown: shown, at: place) }
            }
            values.withLock { values in
                values.isRequesting = false
                switch result {
                case .success(let image?): show(image, demand.frame, &values)
                case .success(nil): endIfShown(&values)
                case .failure(let error): fail(error, demand.frame, &values)
                }
            }
        }
    }

    private func nextDemand(
        _ values: inout Values
    ) -> (demand: AnimationFrameDemand, shown: Int?, isAtRest: Bool)? {
        guard values.needsRequest, !values.isRequesting else { return nil }
        (values.needsRequest, values.isRequesting) = (false, true)
        let playhead = values.playhead
        if values.shownIndex == playhead.frame {
            values.demands = [:]
        } else {
            values.demandCount += 1
            values.demands[playhead.frame] = values.demandCount
        }
        let isPlaying = playhead.phase == .playing
        // No more than one loop has, so that the number may be as great as it likes.
        let aheadCount = min(max(0, configuration.framesAhead), playhead.timeline.stepCount(playhead.mode))
        let demand = AnimationFrameDemand(
            step: playhead.step.number,
            frame: playhead.frame,
            mode: playhead.mode,
            upcoming: isPlaying ? playhead.upcomingFrames(aheadCount) : []
        )
        return (demand, values.shownIndex, !isPlaying && values.shownIndex == playhead.frame)
    }

    /// Returns the place in the pool, which is taken now if there is none.
    private func poolPlace() -> AnimationFramePool.Place? {
        if let place = place.withLock({ $0 }) { return place }
        let (replaceable, animationNumber) = values.withLock { ($0.animation, $0.animationNumber) }
        guard let animation = replaceable else { return nil }
        let key = AnimationFrameKey(
            animation: animation,
            box: configuration.displaySize,
            processing: configuration.processing.inPixels(atScale: frame.image.scale)
        )
        let image = frame.image
        let size = configuration.displaySize.map { image.size.fitting(in: $0) } ?? image.size
        let frameByteCount = min(image.bitmap.byteCount, size.bitmapByteCount(depth: image.bitmap.depth))
        let own = configuration.pool.join(key, frameByteCount: frameByteCount) { [weak self] index, result in
            self?.deliver(index, result, of: animationNumber)
        }
        let taken = place.withLock { place in
            if place == nil { place = own }
            return place
        }
        // Another thread was first.
        if let taken, taken.number != own.number { configuration.pool.leave(own) }
        return taken
    }

    /// Shows a frame that was awaited.
    private func deliver(_ index: Int, _ result: Result<DecodedImage, any Error>, of animationNumber: Int) {
        values.withLock { values in
            guard values.animationNumber == animationNumber else { return }
            switch result {
            case .success(let image): show(image, index, &values)
            case .failure(let error): fail(error, index, &values)
            }
        }
        tellEvents()
    }

    /// Shows a frame, unless the one that is due is shown. One that is late is shown too while frames follow each other:
    /// where decoding takes longer than they last, none would be shown otherwise. But none is shown that was due before
    /// the one that is: several decoders may be at work, and the later frame may come first.
    private func show(_ image: DecodedImage, _ index: Int, _ values: inout Values) {
        let due = values.playhead.frame
        let mayBeLate = values.playhead.phase == .playing && values.shownIndex != due && values.demands[index] != nil
        if index != values.shownIndex, index == due || mayBeLate {
            // Decoders know none.
            var image = image
            image.scale = values.shown.image.scale
            values.shown = Frame(image: image, index: index)
            values.shownIndex = index
            if let number = values.demands[index] { values.demands = values.demands.filter { $0.value > number } }
            values.tell(.frame(values.shown))
        }
        endIfShown(&values)
    }

    private func fail(_ error: any Error, _ index: Int, _ values: inout Values) {
        let isDue = index == values.playhead.frame
        // Once for each time that it is due, however often that is looked at.
        if !isDue || values.failedIndex != index { values.tell(.failure(index, error)) }
        guard isDue else { return }
        values.failedIndex = index
        guard values.isEndPending else { return }
        values.isEndPending = false
        values.tell(.end)
    }

    private func endIfShown(_ values: inout Values) {
        guard values.isEndPending, values.shownIndex == values.playhead.frame else { return }
        values.isEndPending = false
        values.tell(.end)
    }

    /// Has the events delivered that there are.
    private func tellEvents() {
        let mustAsk = values.withLock { values -> Bool in
            guard !values.isTellingEvents, !values.events.isEmpty else { return false }
            values.isTellingEvents = true
            return true
        }
        guard mustAsk else { return }
        configuration.callbackExecutor.execute { [weak self] in
            // The player is not kept while it tells, so that one that is released meanwhile tells nothing more.
            while let (event, onEvent) = self?.nextEvent() { onEvent(event) }
        }
    }

    /// Takes the event that is told next; `nil` if there is none, which ends the turn.
    private func nextEvent() -> (event: Event, onEvent: @Sendable (Event) -> Void)? {
        values.withLock { values in
            guard !values.events.isEmpty else {
                values.isTellingEvents = false
                return nil
            }
            return (values.events.removeFirst(), onEvent)
        }
    }

    /// Waits for the next change from now on, if the clock can be waited on.
    private func restartTimer() {
        guard let sleep = clock.sleep else { return }
        let earlier = values.withLock { values -> Task<Void, Never>? in
            let earlier = values.timer
            values.timerNumber += 1
            let number = values.timerNumber
            values.timer =
                values.playhead.nextChange == nil
                ? nil
                : Task.detached { [weak self] in
                    // The player is not kept while it waits.
                    while let next = self?.deadline(ofTimer: number) {
                        guard (try? await sleep(.nanoseconds(next))) != nil else { return }
                        self?.values.withLock { $0.lastDeadline = next }
                        self?.update()
                    }
                }
            return earlier
        }
        earlier?.cancel()
    }

    /// The time that a timer waits for, in nanoseconds; `nil` if it has been replaced, or no change is due.
    private func deadline(ofTimer number: UInt64) -> Int64? {
        values.withLock { values in
            guard values.timerNumber == number, let next = values.playhead.nextChange else { return nil }
            // A clock may go back.
            guard let last = values.lastDeadline.map({ min($0, values.playhead.time) }) else { return next }
            let (earliest, overflows) = last.addingReportingOverflow(Self.shortestWait)
            return overflows ? next : max(next, earliest)
        }
    }

    /// The shortest time between two times that timers wait for, in nanoseconds: 4 ms, which is less than a frame lasts
    /// on a display of 240 Hz. With a great rate, or frames of nanoseconds, a timer would keep a processor busy.
    private static let shortestWait: Int64 = 4_000_000
}
