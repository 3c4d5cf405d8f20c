internal import CGTK
internal import Halcyon

extension SlotController {
    /// Returns whether a load may run now.
    func mayLoad(_ task: DisplayTask) -> Bool {
        visibility.isInSight || task.options[LoadVisibilityKey.self] == .always
    }

    /// A Boolean value that indicates whether anything depends on where the widget is, or on its size.
    ///
    /// What the widget draws itself is drawn anew when its size changes, and looked at then: an image that is shown for
    /// good needs no more.
    var followsLayouts: Bool {
        guard let installation else { return false }
        let paintable = installation.paintable
        return followsSight || task?.isUnderWay == true || slotPlayer != nil
            || paintable.indicator != nil
            || paintable.transition != nil || hasGrownOutOfSight
            || requestedSize != nil && !installation.connection.isDrawn
    }

    /// The widget has come into sight, was hidden, laid out or taken out of its window. Code of the program is called last.
    func visibilityDidChange(_ change: WidgetVisibility.Change) {
        switch change {
        case .sight:
            motionMayHaveChanged()
            if visibility.isInSight { widgetDidAppear() } else { widgetDidDisappear() }
            onVisibilityChange(change)
        case .layout:
            if let task { beginWaiting(task) }
            followSize()
        case .removal:
            suspendLoad { $0 == .whileMapped || $0 == .lowPriorityWhileUnmapped }
            cancelEnlargement()
            endTransition(isLater: true)
            hasLeftWindow = true
            endCallIfGone()
        case .motion:
            motionMayHaveChanged()
            if !visibility.showsMotion { endTransition() }
            onVisibilityChange(change)
        }
    }

    /// Ends the call in the next turn if the widget has left its window and is in no other then: the call that was under
    /// way, and those that come later.
    func endCallIfGone() {
        guard hasLeftWindow, !visibility.hasRoot else { return }
        onNextTurn { [weak self] in self?.dropHandlersIfGone() }
    }

    /// Ends the call of a widget that has left its window and not come into another: its handlers, and closures in its
    /// options, may keep the widget, which would exist for ever. The rest of the request is kept, for a widget that comes
    /// back, unless the program alone can show the image.
    private func dropHandlersIfGone() {
        guard !visibility.hasRoot, let task, !task.keepsHandlers else { return }
        switch task.state {
        case .waiting where task.isSetByProgram:
            takeTask()?.supersede()
        case .waiting, .finished:
            task.dropClosures()
            slotPlayer?.dropHandler()
            task.dropHandlers()
        case .loading, .setting:
            // Its end is told.
            break
        }
    }

    private func widgetDidAppear() {
        guard let task else { return }
        task.imageTask?.priority = task.options.priority
        beginWaiting(task)
    }

    private func widgetDidDisappear() {
        if !visibility.isMapped { cancelEnlargement() }
        suspendLoad { $0 == .whileMapped }
        if let task, task.state == .loading, task.options[LoadVisibilityKey.self] == .lowPriorityWhileUnmapped,
            let imageTask = task.imageTask
        {
            imageTask.priority = min(imageTask.priority, .low)
        }
        endTransition(isLater: true)
    }

    /// Cancels the attempt under way, where its policy says so; the next one begins when the widget is shown again.
    private func suspendLoad(where suspends: (LoadVisibility) -> Bool) {
        guard let task, task.state == .loading, suspends(task.options[LoadVisibilityKey.self]) else { return }
        // Nothing of this attempt counts any more.
        _ = task.beginAttempt()
        let imageTask = task.imageTask
        task.imageTask = nil
        task.state = .waiting
        endPreviews()
        stopIndicator()
        imageTask?.cancel()
    }

    private func beginWaiting(_ task: DisplayTask) {
        guard task.state == .waiting else { return }
        guard !beginIfPossible(task) else { return }
        // Its size is known only now.
        switch content.kind {
        case .nothing, .placeholder: _ = showSmallerImage(of: task)
        case .preview, .image, .failure: break
        }
        startIndicator(of: task)
    }
}

/// How a load follows the visibility of its widget.
///
/// A widget is *shown* while GTK has it mapped and a part of it is in sight: a child of a viewport that is scrolled away
/// is not, nor are the pages of a carousel beside the present one. What covers it, and whether its window is minimised,
/// makes no difference to loads; nothing moves in a window that is minimised. One that another layout moves into sight within
/// scrolled content, whose size stays the same, may count as shown up to 100 ms later.
///
/// An image in memory is shown at once in any case, if it is known at which size it is asked for. A widget without a size,
/// before it is shown for the first time and while it is itself hidden, gets it before its next frame is painted, unless
/// the request has a target size or ``DisplaySizing/image``.
public enum LoadVisibility: Sendable, Hashable, CaseIterable {
    /// Loads while the widget is shown: begins when it is, is cancelled when it no longer is, and begins again when it
    /// is shown once more. A load that has failed does not begin again.
    case whileMapped
    /// Begins when the widget is shown, and goes on at low priority while it is not; it is cancelled when the widget is
    /// taken out of its window.
    case lowPriorityWhileUnmapped
    /// Begins when the widget is shown, and goes on whatever becomes of it.
    case onceMapped
    /// Begins at once.
    case always
}
