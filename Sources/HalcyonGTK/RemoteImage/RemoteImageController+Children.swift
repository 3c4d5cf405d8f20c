internal import CGTK
internal import Halcyon

extension RemoteImageController {
    /// What the picture shows without an image: the placeholder's, or nothing of the ratio that the widget is to have.
    var emptyContent: (any Placeholder)? {
        if case .image(let image) = configuration.placeholder.kind { return image.image }
        guard let ratio = configuration.aspectRatio else { return nil }
        let empty = UnsafeMutableRawPointer(nonnull(gdk_paintable_new_empty(1, 1)))
        // Where the container leaves the size open, the area is that of a square of 160 points.
        let height = 160 / ratio.squareRoot()
        var paintable = Paintable(ObjectReference(adopting: empty), width: height * ratio, height: height)
        paintable.holdsPlace = true
        return paintable
    }

    /// Shows what there is without an image.
    func showEmptyContent() {
        let content = emptyContent
        slot.setContent(content?.paintable, image: content as? DecodedImage)
    }

    /// Makes the placeholder in place of the one before.
    func makePlaceholder() {
        guard let overlay else { return }
        endFade()
        let earlier = placeholder
        placeholder = nil
        if let earlier { remove(earlier, from: overlay) }
        // A handler of the program at it may have changed the configuration, or ended the widget.
        guard self.overlay != nil, placeholder == nil else { return }
        let made = configuration.placeholder
        guard let child = made.makeWidget() else { return }
        // The closure that made it may have changed the configuration.
        guard self.overlay != nil, placeholder == nil, made == configuration.placeholder else { return }
        placeholder = child
        gtk_overlay_add_overlay(overlay.opaque, child.pointer.widget)
        gtk_widget_insert_before(child.pointer.widget, overlay.widget, picture.pointer.widget)
        updateChildren()
    }

    /// Makes the failure child in place of the one before.
    func makeFailureChild(for error: any Error) {
        guard overlay != nil else { return }
        removeFailureChild()
        let number = loadNumber
        let made = configuration.failure
        guard let child = made.makeWidget(for: error, retry: { [weak self] in self?.reload() }) else { return }
        // The closure that made it may have begun another load.
        guard let overlay, number == loadNumber, failure == nil, made == configuration.failure else { return }
        failure = child
        gtk_overlay_add_overlay(overlay.opaque, child.pointer.widget)
        // In a place of a size of its own it has to do with that.
        var (width, height): (Int32, Int32) = (0, 0)
        gtk_widget_get_size_request(overlay.widget, &width, &height)
        let isGiven = configuration.aspectRatio != nil || width > 0 && height > 0
        setMeasured(child.pointer, !isGiven, overlay)
        updateChildren()
        if returnsFocus, let root = gtk_widget_get_root(overlay.widget), gtk_root_get_focus(root) == nil {
            _ = gtk_widget_child_focus(child.pointer.widget, GTK_DIR_TAB_FORWARD)
        }
        returnsFocus = false
    }

    func removeFailureChild() {
        guard let failure, let overlay else { return }
        slot.noteFittingWindow()
        let focus = gtk_widget_get_root(overlay.widget).flatMap { gtk_root_get_focus($0) }
        if let focus, gtk_widget_is_ancestor(focus, failure.pointer.widget) != 0 { returnsFocus = true }
        self.failure = nil
        remove(failure, from: overlay)
    }

    /// Takes a child out, unless the program has.
    private func remove(_ child: ObjectReference, from overlay: UnsafeMutableRawPointer) {
        guard gtk_widget_get_parent(child.pointer.widget) == overlay.widget else { return }
        gtk_overlay_remove_overlay(overlay.opaque, child.pointer.widget)
    }

    /// Shows those children that belong to the present state. The size of the widget follows from them.
    func updateChildren() {
        guard let overlay else { return }
        let isEmpty = slot.content.kind == .nothing || slot.content.kind == .placeholder
        setMeasured(picture.pointer, slot.content.kind != .nothing, overlay)
        if let placeholder {
            let isIdle = configuration.placeholder.isShownOnlyWhileLoading && !state.isLoading
            let isShown = isEmpty && failure == nil && !isIdle
            gtk_widget_set_visible(placeholder.pointer.widget, (isShown || fade != nil).gboolean)
            setMeasured(placeholder.pointer, isShown, overlay)
        }
        updateSpinner()
        cgtk_set_accessible_busy(picture.pointer, state.isLoading.gboolean)
    }

    /// Lets the spinner spin while a load is under way and the widget is seen: it would have the window draw frames all the
    /// time.
    func updateSpinner() {
        guard let placeholder, configuration.placeholder == .spinner,
            placeholder.pointer.isInstance(of: gtk_spinner_get_type())
        else { return }
        let spins = state.isLoading && slot.visibility.isSeen
        gtk_spinner_set_spinning(placeholder.pointer.opaque, spins.gboolean)
    }

    private func setMeasured(
        _ child: UnsafeMutableRawPointer,
        _ isMeasured: Bool,
        _ overlay: UnsafeMutableRawPointer
    ) {
        guard gtk_widget_get_parent(child.widget) == overlay.widget,
            (gtk_overlay_get_measure_overlay(overlay.opaque, child.widget) != 0) != isMeasured
        else { return }
        gtk_overlay_set_measure_overlay(overlay.opaque, child.widget, isMeasured.gboolean)
    }

    /// Applies the parts of the configuration that have no state, but for the accessibility.
    ///
    /// - Parameter earlier: The configuration until now. Default: none.
    func applyLooks(after earlier: RemoteImage.Configuration? = nil) {
        // The program may have set a content fit of its own at the picture.
        if earlier?.contentFit != configuration.contentFit {
            gtk_picture_set_content_fit(picture.opaque, configuration.contentFit.gtk)
        }
        if let overlay { gtk_widget_queue_allocate(overlay.widget) }
    }

    /// Keeps the placeholder behind the image while that appears. Behind an image that is transparent it disappears.
    func beginFade(to image: DecodedImage) {
        guard placeholder != nil, case .fade? = slot.paintable?.transition?.transition.kind else { return }
        fade = image.bitmap.isOpaque ? .stays : .disappears
    }

    /// A frame of the transition, or of something else, is about to be drawn.
    func advanceFade() {
        guard fade != nil else { return }
        guard let progress = slot.paintable?.transition?.progress else {
            // The end of one whose load is not of the widget's own, but of the program's for the picture.
            return onNextTurn { [weak self] in self?.endFadeWithoutTransition() }
        }
        guard fade == .disappears, let placeholder else { return }
        gtk_widget_set_opacity(placeholder.pointer.widget, 1 - progress)
    }

    private func endFadeWithoutTransition() {
        guard fade != nil, slot.paintable?.transition == nil else { return }
        endFade()
        updateChildren()
    }

    func endFade() {
        guard fade != nil else { return }
        fade = nil
        if let placeholder { gtk_widget_set_opacity(placeholder.pointer.widget, 1) }
    }
}

/// The part of a placeholder while an image appears in front of it.
enum PlaceholderFade {
    /// It is covered more and more.
    case stays
    /// It becomes transparent as the image becomes visible.
    case disappears
}
