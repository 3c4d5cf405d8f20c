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
