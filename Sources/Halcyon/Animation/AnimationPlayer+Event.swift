public import HalcyonCodecs

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
