internal import CGTK
internal import Halcyon

extension SlotController {
    /// Draws the indicator of a load, if it is under way.
    func startIndicator(of task: DisplayTask) {
        guard task === self.task, task.state == .loading else { return }
        startIndicator(task.options[DisplayOptionValue<IndicatorKey>.self] ?? indicator)
    }

    /// Draws an indicator above what is shown, unless one is drawn.
    func startIndicator(_ indicator: LoadIndicator) {
        guard let paintable, paintable.indicator == nil, var pass = IndicatorPass(indicator) else { return }
        if let color = textColor { pass.color = color }
        indicatorCount += 1
        let number = indicatorCount
        paintable.indicator = pass
        // A property that was set may be followed by code of the program, which has ended the load then.
        guard number == indicatorCount else { return }
        indicatorStart = nil
        if case .image(let image) = indicator.kind, image.image.animation != nil {
            let player = SlotPlayer(image.image, AnimationPlayback()) { [weak self] frame in
                self?.paintable?.indicator?.showFrame(Texture.make(frame.bitmap))
            }
            indicatorPlayer = player
            player.update(isSeen: visibility.isSeen, allowsMotion: visibility.allowsMotion)
        }
        if pass.isMoving, visibility.showsMotion { startTicking() }
    }

    func stopIndicator() {
        endIndicatorPlayer()
        guard let paintable, paintable.indicator != nil else { return }
        paintable.indicator = nil
    }

    /// Takes the indicator away. What follows is told of together with it.
    func takeIndicator() {
        endIndicatorPlayer()
        paintable?.takeIndicator()
    }

    private func endIndicatorPlayer() {
        indicatorCount += 1
        indicatorPlayer?.end()
        indicatorPlayer = nil
    }

    func progressDidChange(_ progress: ImageProgress, of task: DisplayTask) {
        guard task === self.task, let paintable, var pass = paintable.indicator else { return }
        pass.progress = progress
        if let color = textColor { pass.color = color }
        guard pass.showsProgress else { return }
        paintable.indicator = pass
        if pass.isMoving, visibility.showsMotion { startTicking() }
    }

    func moveIndicator(to time: Duration) {
        guard let paintable, var pass = paintable.indicator else { return }
        pass.time = time
        if let color = textColor { pass.color = color }
        paintable.indicator = pass
    }

    /// The colour of the widget's text, which changes with its style.
    private var textColor: SIMD4<Float>? {
        installation?.displayWidget.map { widget in
            let color = cgtk_text_color(widget)
            return SIMD4(color.red, color.green, color.blue, color.alpha)
        }
    }
}
