internal import HalcyonCodecs
internal import HalcyonRaster

extension AnimationFrameKey {
    /// Returns the bytes that a frame adds to those that its image has in memory already.
    fileprivate func byteCount(of frame: DecodedImage, at index: Int) -> Int {
        animation.preloadedFrames?[index].bitmap.buffer === frame.bitmap.buffer ? 0 : frame.bitmap.byteCount
    }
}

extension AnimationFrameSet {
    /// Returns the bytes of all frames and canvases.
    func byteCount(of key: AnimationFrameKey) -> Int {
        frames.values.reduce(cursorCount * key.animation.canvasByteCount) { $0 + $1.byteCount }
    }
}

extension AnimationFramePool {
    /// The bytes that may be taken at the moment.
    private func limit(_ state: State) -> Int {
        clock.monotonic() < state.shortUntil ? byteLimit / 8 : byteLimit
    }

    /// Returns whether there is room for a frame, or would be without frames that are needed later.
    func hasRoom(for byteCount: Int, neededIn use: Int64, _ state: State) -> Bool {
        var excess = state.byteCount + byteCount - limit(state)
        guard excess > 0 else { return true }
        guard byteCount <= limit(state) else { return false }
        for set in state.sets.values {
            let (uses, pinned) = (set.nextUses(), set.pinned)
            for (index, frame) in set.frames where !pinned.contains(index) && uses[index] > use {
                excess -= frame.byteCount
                if excess <= 0 { return true }
            }
        }
        return false
    }

    /// Stores a frame, and drops others that are needed later, as far as that makes room. A frame that is due is stored
    /// in any case.
    ///
    /// - Returns: The frames that were dropped, to be released after the lock.
    func store(
        _ frame: DecodedImage,
        at index: Int,
        of key: AnimationFrameKey,
        _ state: inout State
    ) -> [AnimationFrameSet.Frame] {
        guard let set = state.sets[key], set.frames[index] == nil else { return [] }
        let byteCount = key.byteCount(of: frame, at: index)
        // Also of one that is not stored: it would be decoded again at once if frames were thought to be smaller.
        set.note(frameByteCount: byteCount)
        let isPinned = set.pinned.contains(index)
        let use = isPinned ? -1 : set.nextUses()[index]
        guard isPinned || hasRoom(for: byteCount, neededIn: use, state) else { return [] }
        let dropped = makeRoom(for: byteCount, neededIn: use, &state)
        set.store(.init(image: frame, byteCount: byteCount), at: index)
        state.byteCount += byteCount
        return dropped
    }

    /// Drops the frames that are needed last, until there is room or all others are needed sooner.
    ///
    /// - Returns: The frames that were dropped, to be released after the lock.
    func makeRoom(for byteCount: Int, neededIn use: Int64, _ state: inout State) -> [AnimationFrameSet.Frame] {
        var excess = state.byteCount + byteCount - limit(state)
        guard excess > 0 else { return [] }
        var candidates: [(use: Int64, set: AnimationFrameSet, index: Int)] = []
        for set in state.sets.values {
            let (uses, pinned) = (set.nextUses(), set.pinned)
            for index in set.frames.keys where !pinned.contains(index) && uses[index] > use {
                candidates.append((uses[index], set, index))
            }
        }
        candidates.sort { $0.use > $1.use }
        var dropped: [AnimationFrameSet.Frame] = []
        for candidate in candidates where excess > 0 {
            guard let frame = candidate.set.removeFrame(at: candidate.index) else { continue }
            excess -= frame.byteCount
            state.byteCount -= frame.byteCount
            dropped.append(frame)
        }
        return dropped
    }

    /// Drops the frames of some animations that are neither due nor shown, and forgets which cannot be decoded.
    func purge(_ isChosen: (AnimationFrameKey) -> Bool) {
        typealias Dropped = (frames: [AnimationFrameSet.Frame], failures: [any Error])
        let dropped = state.withLock { state -> Dropped in
            var dropped: Dropped = ([], [])
            for (key, set) in state.sets where isChosen(key) {
                let pinned = set.pinned
                dropped.failures += set.failures.values
                set.failures = [:]
                for index in Array(set.frames.keys) where !pinned.contains(index) {
                    guard let frame = set.removeFrame(at: index) else { continue }
                    state.byteCount -= frame.byteCount
                    dropped.frames.append(frame)
                }
            }
            return dropped
        }
        // Errors are those of processors, whose release may run code of the program.
        withExtendedLifetime(dropped) {}
    }

    /// Closes the decoders of animations whose players all stand still and wait for no frame.
    ///
    /// - Returns: The decoders, to be released after the lock.
    func closeRestingCursors(_ state: inout State) -> [AnimationFrameSet.Cursor] {
        var closed: [AnimationFrameSet.Cursor] = []
        for (key, set) in state.sets where set.needs.demands.isEmpty {
            state.byteCount -= set.idle.count * key.animation.canvasByteCount
            closed += set.idle
            set.idle = []
        }
        return closed
    }

    /// Closes the decoders of an animation that has all frames, and those beyond the first where there is no room.
    ///
    /// - Returns: The decoders, to be released after the lock.
    func closeCursors(of key: AnimationFrameKey, _ state: inout State) -> [AnimationFrameSet.Cursor] {
        guard let set = state.sets[key] else { return [] }
        let kept = set.isComplete ? 0 : state.byteCount > limit(state) ? 1 : set.cursorLimit
        let excess = min(set.idle.count, max(0, set.cursorCount - kept))
        guard excess > 0 else { return [] }
        let closed = Array(set.idle.prefix(excess))
        set.idle.removeFirst(excess)
        state.byteCount -= excess * key.animation.canvasByteCount
        return closed
    }
}
