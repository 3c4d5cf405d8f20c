internal import Halcyon

extension SlotController {
    /// A Boolean value that indicates whether a transition is under way.
    var transitionIsRunning: Bool { paintable?.transition != nil }

    /// The transition for a response, by the rule that an image from memory has none unless that is forced.
    func transition(for response: ImageResponse, of task: DisplayTask) -> ImageTransition {
        let options = task.options
        let isNew =
            options[RestrictsTransitionKey.self] ? response.source == .network : response.source != .memory
        return isNew || options[ForcesTransitionKey.self] ? options[TransitionKey.self] : .none
    }

    /// Lets the paintable draw something else, through a transition if it can be seen.
    ///
    /// - Parameter number: That of the content, which code of the program may change meanwhile.
    func show(_ next: Paintable?, through transition: ImageTransition, _ number: Int) {
        guard let paintable else { return }
        // The widget may have grown since the image was asked for.
        if requestedSize != nil { visibility.requestLayout() }
        guard transition.isVisible, visibility.showsMotion, let widget = installation?.displayWidget else {
            return paintable.show(next)
        }
        let place: @MainActor () -> PaintingPlace = { PaintingPlace(widget) }
        paintable.show(next, through: TransitionPass(transition, from: paintable.current, in: place))
        guard number == contentCount else { return }
        transitionStart = nil
        // A window of which nothing is seen, such as on another workspace, may have no frames at all.
        transitionDeadline = Task { [weak self] in
            guard (try? await Task.sleep(for: transition.duration + .seconds(1))) != nil else { return }
            self?.endTransition()
        }
        startTicking()
    }

    /// Ends the transition under way at once, and completes its load.
    ///
    /// - Parameter isLater: Whether the completion handler is called in a later turn of the main actor, because the widget
    ///   is being hidden or destroyed. Default: `false`.
    func endTransition(isLater: Bool = false) {
        let (task, wasRunning) = (transitionTask, transitionIsRunning)
        dropTransition()
        // The widget may have grown meanwhile, and the image is loaded at a larger size only when it is shown for good.
        if wasRunning, requestedSize != nil { visibility.requestLayout() }
        guard let task, let response = task.response else { return }
        guard isLater else { return task.finish(.success(response)) }
        transitionTask = task
        Task { [weak self] in
            // An equal call may have taken the place of the one whose image was shown; any other has superseded it.
            guard let self, !transitionIsRunning, let last = transitionTask, let shown = last.response else {
                return task.finish(.success(response))
            }
            transitionTask = nil
            last.finish(.success(shown))
        }
    }

    /// Ends the transition under way at once: its image is there, and no code of the program is called.
    func dropTransition() {
        transitionDeadline?.cancel()
        transitionDeadline = nil
        paintable?.advance(to: 1)
        transitionStart = nil
        transitionTask = nil
    }

    /// The widget has been shown, hidden or minimised, or animations were switched on or off.
    func motionMayHaveChanged() {
        playingMayHaveChanged()
        if visibility.isSeen {
            ticker?.resume()
            if isMoving { startTicking() }
        } else {
            ticker?.pause()
        }
    }

    /// A Boolean value that indicates whether anything has to be drawn anew before each frame.
    private var isMoving: Bool {
        guard let paintable else { return false }
        return paintable.transition != nil || paintable.indicator?.isMoving == true && visibility.showsMotion
    }

    func startTicking() {
        guard let widget = installation?.displayWidget else { return }
        if let ticker {
            ticker.start()
        } else {
            ticker = FrameTicker(widget, isPaused: !visibility.isSeen) { [unowned self] time in frame(at: time) }
        }
    }

    /// Moves everything on.
    ///
    /// - Returns: Whether anything still moves.
    private func frame(at time: Duration) -> Bool {
        guard let paintable else { return false }
        if paintable.indicator?.isMoving == true, visibility.showsMotion {
            let start = indicatorStart ?? time
            indicatorStart = start
            moveIndicator(to: time - start)
        }
        if let pass = paintable.transition {
            let start = transitionStart ?? time
            transitionStart = start
            // The clock of another window may be behind.
            let part = max(0, (time - start) / pass.transition.duration)
            // Fast at first, then ever slower.
            let rest = 1 - min(1, part)
            if part >= 1 { endTransition() } else { paintable.advance(to: 1 - rest * rest * rest) }
        }
        return isMoving
    }
}
