internal import HalcyonCodecs
internal import HalcyonSystem

extension AnimationFramePool {
    /// A piece of work: one frame of an animation, which is chosen when the work begins.
    struct Job: Sendable {
        let key: AnimationFrameKey
        /// That of the set.
        let number: UInt64
        let isUrgent: Bool
    }

    /// A frame to decode.
    private struct Work: Sendable {
        let frame: Int
        /// `nil` if a decoder has to be opened.
        let cursor: AnimationFrameSet.Cursor?
        let cancellation: CancellationFlag
        /// A Boolean value that indicates whether the frames on the way to this one are of use as well.
        let collects: Bool
        /// The frames that made room for a canvas.
        let dropped: [AnimationFrameSet.Frame]
    }

    /// Returns the work that there is for an animation, and notes it.
    func plan(_ key: AnimationFrameKey, _ state: inout State) -> [Job] {
        guard let set = state.sets[key], !set.isComplete else { return [] }
        if set.urgentJobs == 0 || set.urgentJobs < set.cursorLimit && set.inFlight.count >= set.urgentJobs,
            set.urgentFrame != nil
        {
            set.urgentJobs += 1
            return [Job(key: key, number: set.number, isUrgent: true)]
        }
        guard set.aheadJobs == 0, aheadFrame(of: set, state) != nil else { return [] }
        set.aheadJobs += 1
        return [Job(key: key, number: set.number, isUrgent: false)]
    }

    func schedule(_ jobs: [Job]) {
        for job in jobs {
            // Weak, so that work does not keep a pool alive that its program has given up.
            queue.schedule(priority: job.isUrgent ? .high : .low) { [weak self] in self?.run(job) }
        }
    }

    /// Returns a frame to decode ahead of time, if there is room for it.
    private func aheadFrame(of set: AnimationFrameSet, _ state: State) -> Int? {
        let isShort = clock.monotonic() < state.shortUntil
        guard let (frame, _) = set.aheadFrame(atMost: isShort ? 1 : .max) else { return nil }
        let use = set.nextUses()[frame]
        return hasRoom(for: set.frameByteCount, neededIn: use, state) ? frame : nil
    }

    private func run(_ job: Job) {
        guard let work = state.withLock({ begin(job, &$0) }) else {
            // Another one has done it, or its player has left.
            return schedule(state.withLock { end(job, &$0) })
        }
        var cursor = work.cursor
        var position = cursor?.position ?? 0
        let result: Result<DecodedImage, any Error>
        let isCancelled: @Sendable () -> Bool = { work.cancellation.isCancelled }
        do {
            let decoder = try cursor?.decoder ?? job.key.animation.decoder()
            cursor = AnimationFrameSet.Cursor(decoder: decoder, position: position)
            // Falling frames: the way to the one that is needed now leads past those that are needed next.
            if work.collects, position < work.frame {
                for frame in position..<work.frame where isOfUse(frame, to: job) {
                    deliver(frame, Result { try self.frame(frame, decoder, job.key, isCancelled) }, for: job)
                    position = frame + 1
                }
            }
            result = .success(try frame(work.frame, decoder, job.key, isCancelled))
            position = work.frame + 1
        } catch {
            result = .failure(error)
        }
        cursor?.position = position
        deliver(work.frame, result, for: job)
        let ended = cursor
        let jobs = state.withLock { state -> [Job] in
            if let set = state.sets[job.key], set.number == job.number {
                set.inFlight.remove(work.frame)
                if let ended {
                    set.idle.append(ended)
                } else {
                    state.byteCount -= job.key.animation.canvasByteCount
                }
            }
            return end(job, &state)
        }
        let closed = state.withLock { closeCursors(of: job.key, &$0) }
        withExtendedLifetime(closed) { schedule(jobs) }
    }

    /// Decodes a frame in the form of a set.
    private func frame(
        _ index: Int,
        _ decoder: ImageAnimationDecoder,
        _ key: AnimationFrameKey,
        _ isCancelled: @Sendable () -> Bool
    ) throws -> DecodedImage {
        let frame = try decoder.frame(at: index, in: key.box, isCancelled: isCancelled)
        return key.processing.isIdentity ? frame : try key.processing.process(frame, isCancelled: isCancelled)
    }

    /// Chooses what a job does; `nil` if there is nothing left to do.
    private func begin(_ job: Job, _ state: inout State) -> Work? {
        guard let set = state.sets[job.key], set.number == job.number else { return nil }
        guard let frame = job.isUrgent ? set.urgentFrame : aheadFrame(of: set, state) else { return nil }
        let canvas = job.key.animation.canvasByteCount
        var cursor: AnimationFrameSet.Cursor?
        var dropped: [AnimationFrameSet.Frame] = []
        if let place = set.nearestCursor(to: frame, mayOpen: state.byteCount + canvas <= byteLimit) {
            cursor = set.idle.remove(at: place)
        } else {
            dropped = makeRoom(for: canvas, neededIn: -1, &state)
            state.byteCount += canvas
        }
        set.inFlight.insert(frame)
        return Work(
            frame: frame,
            // A decoder that has gone past the frame begins again at the start.
            cursor: cursor.map { .init(decoder: $0.decoder, position: $0.position <= frame ? $0.position : 0) },
            cancellation: set.cancellation,
            collects: set.needs.demands.keys.contains { $0.isFalling },
            dropped: dropped
        )
    }

    /// Notes that a job has ended; returns the work that there is next.
    private func end(_ job: Job, _ state: inout State) -> [Job] {
        guard let set = state.sets[job.key], set.number == job.number else { return [] }
        if job.isUrgent { set.urgentJobs -= 1 } else { set.aheadJobs -= 1 }
        return plan(job.key, &state)
    }

    /// Returns whether a frame on the way to another one is to be kept.
    private func isOfUse(_ frame: Int, to job: Job) -> Bool {
        state.withLock { state in
            guard let set = state.sets[job.key], set.number == job.number else { return false }
            guard set.frames[frame] == nil, clock.monotonic() >= state.shortUntil else { return false }
            return hasRoom(for: set.frameByteCount, neededIn: set.nextUses()[frame], state)
        }
    }

    /// Stores a frame as far as there is room, and delivers it to the players that wait for it.
    private func deliver(_ frame: Int, _ result: Result<DecodedImage, any Error>, for job: Job) {
        typealias Outcome = (deliveries: [Delivery], dropped: [AnimationFrameSet.Frame])
        let outcome = state.withLock { state -> Outcome? in
            guard let set = state.sets[job.key], set.number == job.number else { return nil }
            var dropped: [AnimationFrameSet.Frame] = []
            switch result {
            case .success(let image):
                dropped = store(image, at: frame, of: job.key, &state)
            case .failure(let error):
                // Also a `CancellationError`: the work of a set that has players is not cancelled, so it is a processor's
                // own, which would throw it again and again.
                set.failures[frame] = error
            }
            var deliveries: [Delivery] = []
            for (number, client) in set.clients where client.awaited.contains(frame) {
                set.changeClient(number) { client in
                    client.awaited.remove(frame)
                    if case .success = result { client.shown = frame }
                }
                deliveries.append(client.deliver)
            }
            return (deliveries, dropped)
        }
        for delivery in outcome?.deliveries ?? [] { delivery(frame, result) }
    }
}
