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
