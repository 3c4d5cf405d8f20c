#if GTK
internal import Halcyon

extension SlotController {
    /// A Boolean value that indicates whether a transition is under way.
    var transitionIsRunning: Bool { paintable?.transition != nil }

    /// The transition for a response, by the rule that an image from memory has none unless that is forced.
    func transition(for response: ImageResponse, of task: DisplayTask) -> ImageTransition {
        let isShown = response.source != .memory || task.options[ForcesTransitionKey.self]
        return isShown ? task.options[TransitionKey.self] : .none
    }

    /// Lets the paintable draw something else, through a transition if it can be seen.
    func show(_ next: Paintable?, through transition: ImageTransition) {
        guard let paintable else { return }
        guard transition.isVisible, visibility.showsMotion else { return paintable.show(next) }
        paintable.show(next, through: TransitionPass(transition, from: paintable.current))
        transitionStart = nil
        startTicking()
    }

    /// Ends the transition under way at once: its image is there, and nobody is told.
    func dropTransition() {
        paintable?.advance(to: 1)
        transitionStart = nil
        transitionTask = nil
    }

    /// Ends the transition under way at once, and completes its load.
    func endTransition() {
        let task = transitionTask
        dropTransition()
        guard let task else { return }
        if let response = task.response { task.finish(.success(response)) }
    }

    func startIndicator(_ indicator: LoadIndicator) {
        guard let paintable, paintable.indicator == nil else { return }
        paintable.indicator = IndicatorPass(indicator)
        indicatorStart = nil
        if paintable.indicator != nil { startTicking() }
    }

    func stopIndicator() {
        guard let paintable, paintable.indicator != nil else { return }
        paintable.indicator = nil
    }

    func progressDidChange(_ progress: ImageProgress, of task: DisplayTask) {
        guard task === self.task else { return }
        paintable?.indicator?.progress = progress
    }

    private func startTicking() {
        guard let widget = installation?.displayWidget else { return }
        if let ticker {
            ticker.start()
        } else {
            ticker = FrameTicker(widget) { [unowned self] time in frame(at: time) }
        }
    }

    /// Moves everything on.
    ///
    /// - Returns: Whether anything still moves.
    private func frame(at time: Duration) -> Bool {
        guard let paintable else { return false }
        if let pass = paintable.transition {
            let start = transitionStart ?? time
            transitionStart = start
            let part = (time - start) / pass.transition.duration
            // Fast at first, then ever slower.
            let rest = 1 - min(1, part)
            if part >= 1 { endTransition() } else { paintable.advance(to: 1 - rest * rest * rest) }
        }
        if paintable.indicator != nil {
            let start = indicatorStart ?? time
            indicatorStart = start
            if visibility.showsMotion { paintable.indicator?.time = time - start }
        }
        return paintable.transition != nil || paintable.indicator != nil
    }
}
#endif
