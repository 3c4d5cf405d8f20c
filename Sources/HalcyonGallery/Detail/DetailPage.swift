internal import CGTK
internal import Halcyon
internal import HalcyonGTK

/// Shows one image: its thumbnail at once where that is in memory, then the whole image.
@MainActor
final class DetailPage {
    let widget: Widget
    let zoom: ZoomArea
    /// The image; `nil` if the page shows none.
    private(set) var item: GalleryItem?
    /// The response for the image, once it is there.
    private(set) var response: ImageResponse?
    /// Returns the thumbnail of an image, if it is at hand.
    var thumbnail: (GalleryItem) -> DecodedImage? = { _ in nil }
    /// Called when an image is there or has failed.
    var onLoad: () -> Void = {}
    private let pipeline: ImagePipeline
    private let picture: Widget
    private let stack: Widget
    private let failure: FailureView
    private let percentage: Widget
    private let playButton: Widget
    private let zoomControls: Widget
    /// The scroll position at the beginning of a drag, and the zoom factor at that of a pinch.
    private var dragStart = (x: 0.0, y: 0.0)
    private var pinchScale = 1.0
    /// The place of the pointer; `nil` while it is elsewhere.
    private var pointer: (x: Double, y: Double)?

    init(pipeline: ImagePipeline) {
        self.pipeline = pipeline
        picture = nonnull(gtk_picture_new())
        gtk_picture_set_content_fit(picture.opaque, GTK_CONTENT_FIT_FILL)
        zoom = ZoomArea(picture)
        failure = FailureView()
        stack = nonnull(gtk_stack_new())
        gtk_stack_add_named(stack.opaque, zoom.widget, "image")
        gtk_stack_add_named(stack.opaque, failure.widget, "failure")
        percentage = makeLabel("100 %", classes: ["numeric", "zoom-factor"])
        playButton = makeIconButton(
            "media-playback-pause-symbolic",
            tooltip: "Pause (Space)",
            action: "win.play",
            classes: ["flat"]
        )
        zoomControls = Self.makeZoomControls(percentage, playButton)
        widget = nonnull(gtk_overlay_new())
        gtk_widget_add_css_class(widget, "detail")
        gtk_widget_set_focusable(widget, true.gboolean)
        gtk_overlay_set_child(widget.opaque, stack)
        addControls()
        addGestures()
        failure.onRetry = { [weak self] in self?.load() }
        zoom.onChange = { [weak self] in self?.zoomDidChange() }
    }

    /// A Boolean value that indicates whether the load has ended and nothing moves any more.
    var isSettled: Bool { ImageDisplay(picture).task?.state == .finished }

    /// A Boolean value that indicates whether the image is being loaded.
    var isLoading: Bool { ImageDisplay(picture).task?.state == .loading }

    /// A Boolean value that indicates whether the image could not be shown.
    var hasFailed: Bool { failure.isShown }

    /// Shows an image, or nothing.
    ///
    /// - Parameter thumbnail: Shown until the image is there. Default: none.
    func show(_ item: GalleryItem?, thumbnail: DecodedImage? = nil) {
        self.item = item
        response = nil
        guard item != nil else {
            ImageDisplay(picture).remove()
            return
        }
        load(thumbnail)
        gtk_widget_grab_focus(widget)
    }

    /// Loads the image again if it could not be shown.
    func retry() {
        if failure.isShown { load() }
    }

    private func load(_ thumbnail: DecodedImage? = nil) {
        guard let item else { return }
        response = nil
        failure.hide()
        setVisible(zoomControls, true)
        gtk_stack_set_visible_child_name(stack.opaque, "image")
        setVisible(playButton, false)
        cgtk_set_accessible_label(picture, item.name)
        zoom.show(thumbnail?.info.displaySize)
        // Without a size the picture has the whole place.
        gtk_picture_set_content_fit(picture.opaque, thumbnail == nil ? GTK_CONTENT_FIT_CONTAIN : GTK_CONTENT_FIT_FILL)
        let request = ImageRequest(
            item.source,
            options: [
                .processAllFrames, .cacheOriginalImage, .transition(.fade(.milliseconds(250))), .indicator(.spinner),
            ]
        )
        let completion: ImageDisplay.Completion = { [weak self] result in
            guard let self, item === self.item else { return }
            loadDidEnd(result)
        }
        let display = ImageDisplay(picture)
        // Another call for the same would be completed with the failure.
        if display.request == request, display.retry(completion: completion) != nil { return }
        display.setImage(
            with: request,
            placeholder: thumbnail,
            pipeline: pipeline,
            completion: completion
        )
    }

    private func loadDidEnd(_ result: Result<ImageResponse, any Error>) {
        switch result {
        case .success(let response):
            self.response = response
            zoom.setImageSize(response.image.info.displaySize)
            gtk_picture_set_content_fit(picture.opaque, GTK_CONTENT_FIT_FILL)
            setVisible(playButton, response.image.animation != nil)
            playingDidChange()
            onLoad()
        case .failure(let error):
            guard !error.isEndByProgram else { return }
            failure.show(error)
            setVisible(zoomControls, false)
            gtk_stack_set_visible_child_name(stack.opaque, "failure")
            onLoad()
        }
    }

    /// Plays an animated image or pauses it.
    func togglePlaying() {
        guard let player = ImageDisplay(picture).player else { return }
        if player.state == .playing { player.pause() } else { player.play() }
        playingDidChange()
    }

    /// A Boolean value that indicates whether an animated image is playing.
    var isPlaying: Bool { ImageDisplay(picture).player?.state == .playing }

    private func playingDidChange() {
        gtk_button_set_icon_name(
            playButton.cast(),
            isPlaying ? "media-playback-pause-symbolic" : "media-playback-start-symbolic"
        )
        describe(playButton, isPlaying ? "Pause (Space)" : "Play (Space)")
    }

    private func zoomDidChange() {
        gtk_label_set_text(percentage.opaque, zoom.scale.percentage)
    }

    private func addControls() {
        for (icon, tooltip, action, alignment) in [
            ("go-previous-symbolic", "Previous image", "win.previous", GTK_ALIGN_START),
            ("go-next-symbolic", "Next image", "win.next", GTK_ALIGN_END),
        ] {
            let button = makeIconButton(icon, tooltip: tooltip, action: action, classes: ["osd", "circular", "turn"])
            gtk_widget_set_halign(button, alignment)
            gtk_widget_set_valign(button, GTK_ALIGN_CENTER)
            gtk_overlay_add_overlay(widget.opaque, button)
        }
        gtk_widget_set_halign(zoomControls, GTK_ALIGN_CENTER)
        gtk_widget_set_valign(zoomControls, GTK_ALIGN_END)
        gtk_overlay_add_overlay(widget.opaque, zoomControls)
        setVisible(playButton, false)
    }

    private static func makeZoomControls(_ percentage: Widget, _ playButton: Widget) -> Widget {
        let flat = ["flat"]
        return makeBox(
            GTK_ORIENTATION_HORIZONTAL,
            spacing: 2,
            classes: ["osd", "toolbar", "zoom-controls"],
            [
                makeIconButton("zoom-out-symbolic", tooltip: "Zoom out (−)", action: "win.zoom-out", classes: flat),
                percentage,
                makeIconButton("zoom-in-symbolic", tooltip: "Zoom in (+)", action: "win.zoom-in", classes: flat),
                makeIconButton("zoom-fit-best-symbolic", tooltip: "Fit (0)", action: "win.zoom-fit", classes: flat),
                makeIconButton(
                    "zoom-original-symbolic",
                    tooltip: "Original size (1)",
                    action: "win.zoom-original",
                    classes: flat
                ),
                playButton,
            ]
        )
    }
}

// Pointer and touch.
extension DetailPage {
    private func addGestures() {
        let scroll = nonnull(gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_VERTICAL))
        gtk_event_controller_set_propagation_phase(scroll, GTK_PHASE_CAPTURE)
        let motion = nonnull(gtk_event_controller_motion_new())
        onSignal(scroll, "scroll") { [weak self] call in
            let state = gtk_event_controller_get_current_event_state(scroll)
            guard let self, state.rawValue & GDK_CONTROL_MASK.rawValue != 0 else { return call.answer(false) }
            zoom.zoom(by: ZoomScale.factor(ofScrolling: call.double(2)), at: pointer)
            call.answer(true)
        }
        onSignal(motion, "motion") { [weak self] call in self?.pointer = (call.double(1), call.double(2)) }
        onSignal(motion, "leave") { [weak self] _ in self?.pointer = nil }

        let drag = nonnull(gtk_gesture_drag_new())
        onSignal(drag, "drag-begin") { [weak self] _ in
            guard let self else { return }
            dragStart = zoom.scrollPosition
        }
        onSignal(drag, "drag-update") { [weak self] call in
            guard let self else { return }
            zoom.scroll(toX: dragStart.x - call.double(1), y: dragStart.y - call.double(2))
        }

        let pinch = nonnull(gtk_gesture_zoom_new())
        onSignal(pinch, "begin") { [weak self] _ in self?.pinchScale = 1 }
        onSignal(pinch, "scale-changed") { [weak self] call in
            guard let self else { return }
            var (x, y) = (0.0, 0.0)
            let hasCenter = gtk_gesture_get_bounding_box_center(pinch, &x, &y) != 0
            zoom.zoom(by: call.double(1) / pinchScale, at: hasCenter ? (x, y) : nil)
            pinchScale = call.double(1)
        }

        let click = nonnull(gtk_gesture_click_new())
        onSignal(click, "pressed") { [weak self] call in
            if call.int(1) == 2 { self?.zoom.toggle(at: (call.double(2), call.double(3))) }
        }
        for controller in [scroll, motion, drag, pinch, click] { gtk_widget_add_controller(zoom.widget, controller) }
    }
}
