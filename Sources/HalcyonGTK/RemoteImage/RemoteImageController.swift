internal import CGTK
internal import Halcyon

/// What belongs to the widget of a remote image: its load, its children and the closures of the program. It ends with
/// the widget.
///
/// The widget is a `GtkOverlay` of three children, from the back to the front: the placeholder, the picture, and the
/// failure child. Its size is that of those that are shown.
@MainActor
final class RemoteImageController {
    /// The overlay; `nil` once it has ended. Not retained, as it keeps this object.
    private(set) var overlay: UnsafeMutableRawPointer?
    let picture: ObjectReference
    /// The slot of the picture.
    private(set) var slot: SlotController
    private var isFollowingSlot = false
    var source: Source?
    /// The options of ``source``, and of those that follow.
    var options: ImageRequest.Options
    var pipeline: ImagePipeline
    var configuration: RemoteImage.Configuration
    var state = RemoteImage.State.empty {
        didSet {
            slot.followsSight = restarts
            guard state.isLoading != oldValue.isLoading else { return }
            // Later, as it calls code of the program, and the state changes in the middle of other work.
            onNextTurn { [weak self] in self?.notify("loading") }
        }
    }
    /// The text of the source, where that was set as one.
    var text: String?
    /// The number of loads begun. An event of an earlier one counts for nothing.
    var loadNumber = 0
    var placeholder: ObjectReference?
    var failure: ObjectReference?
    /// The part of the placeholder in the transition under way; `nil` while there is none.
    var fade: PlaceholderFade?
    /// A Boolean value that indicates whether the keyboard focus was in the failure child when it was removed.
    var returnsFocus = false

    var request: ImageRequest? { source.map { ImageRequest($0, options) } }

    private static let key = g_quark_from_static_string("halcyon-remote-image")

    /// The source as a text; `nil` for none, and for one that has no URL.
    var uri: String? {
        get { text ?? source?.url?.absoluteString }
        set {
            guard newValue != uri else { return }
            change(to: newValue.map { .gioFile(uri: $0) }, options, text: newValue)
        }
    }

    /// Tells of a change of a property of the widget. Calls code of the program.
    func notify(_ property: String) {
        if let overlay { g_object_notify(overlay.object, property) }
    }

    private init(
        _ overlay: UnsafeMutableRawPointer,
        _ picture: ObjectReference,
        _ request: ImageRequest?,
        _ configuration: RemoteImage.Configuration,
        _ pipeline: ImagePipeline
    ) {
        self.overlay = overlay
        self.picture = picture
        slot = nonnull(WidgetState.of(picture.pointer).controller(for: .image))
        source = request?.source
        options = request?.givenOptions ?? .changes([])
        self.configuration = configuration
        self.pipeline = pipeline
    }

    /// Returns a new widget whose load has not begun.
    static func makeWidget(
        _ request: ImageRequest?,
        _ configuration: RemoteImage.Configuration,
        _ pipeline: ImagePipeline
    ) -> ObjectReference {
        let overlay = UnsafeMutableRawPointer(nonnull(g_object_new_with_properties(RemoteImageType.type, 0, nil, nil)))
        let reference = ObjectReference.child(overlay, isCentered: false)
        attach(to: overlay, request, configuration, pipeline)
        return reference
    }

    /// The controller of a widget, made for one of the type that has none yet; `nil` for any other widget.
    static func of(_ widget: UnsafeMutableRawPointer) -> RemoteImageController? {
        if let controller = existing(widget) { return controller }
        guard widget.isInstance(of: RemoteImageType.type), gtk_widget_in_destruction(widget.widget) == 0 else {
            return nil
        }
        let controller = attach(to: widget, nil, RemoteImage.Configuration(), .shared)
        controller.begin()
        return controller
    }

    @discardableResult
    private static func attach(
        to overlay: UnsafeMutableRawPointer,
        _ request: ImageRequest?,
        _ configuration: RemoteImage.Configuration,
        _ pipeline: ImagePipeline
    ) -> RemoteImageController {
        let picture = ObjectReference.child(UnsafeMutableRawPointer(nonnull(gtk_picture_new())), isCentered: false)
        gtk_overlay_add_overlay(overlay.opaque, picture.pointer.widget)
        gtk_widget_set_overflow(overlay.widget, GTK_OVERFLOW_HIDDEN)
        let controller = RemoteImageController(overlay, picture, request, configuration, pipeline)
        g_object_set_qdata_full(overlay.object, key, Unmanaged.passRetained(controller).toOpaque()) { pointer in
            let controller = Unmanaged<RemoteImageController>.fromOpaque(nonnull(pointer))
            MainActor.assumeIsolated { controller.takeUnretainedValue().end() }
            controller.release()
        }
        controller.listen(to: overlay)
        return controller
    }

    /// The controller of a widget; `nil` for any other widget.
    static func existing(_ widget: UnsafeMutableRawPointer) -> RemoteImageController? {
        g_object_get_qdata(widget.object, key).map {
            Unmanaged<RemoteImageController>.fromOpaque($0).takeUnretainedValue()
        }
    }

    private func listen(to overlay: UnsafeMutableRawPointer) {
        followSlot()
        followLayout(of: overlay)
        onSignal(overlay, "map", after: true) { [weak self] _ in
            guard let self else { return }
            // Newer releases of GTK take a widget that is mapped as not hidden.
            if configuration.accessibility == .decorative { applyDecoration() }
            widgetDidAppear()
        }
    }

    /// Follows the slot of the picture, which is another one once the program has given it up.
    func followSlot() {
        let present: SlotController = nonnull(WidgetState.of(picture.pointer).controller(for: .image))
        if present === slot, isFollowingSlot { return }
        isFollowingSlot = true
        slot = present
        slot.onContentChange = { [weak self] in self?.contentDidChange() }
        slot.onVisibilityChange = { [weak self] in self?.visibilityDidChange($0) }
        // It tells so before each frame of a transition.
        guard let paintable = gtk_picture_get_paintable(picture.opaque) else { return }
        onSignal(paintable.raw, "invalidate-contents", after: true) { [weak self] _ in self?.advanceFade() }
    }

    /// Makes the children, and begins the load.
    func begin() {
        applyLooks()
        applyAccessibility()
        let number = loadNumber
        runPictureActions(configuration.pictureActions)
        makePlaceholder()
        // Both call code of the program, which may have begun another load.
        guard number == loadNumber else { return }
        load()
    }

    /// Takes another configuration, without a change of the load.
    func change(to configuration: RemoteImage.Configuration) {
        let earlier = self.configuration
        self.configuration = configuration
        applyLooks(after: earlier)
        // The program may have set a label of its own at the picture.
        if earlier.accessibility != configuration.accessibility { applyAccessibility() }
        if earlier.aspectRatio != configuration.aspectRatio || earlier.placeholder != configuration.placeholder,
            slot.content.kind == .nothing || slot.content.kind == .placeholder
        {
            showEmptyContent()
        }
        slot.followsSight = restarts
        if earlier.placeholder != configuration.placeholder { makePlaceholder() }
        if earlier.failure != configuration.failure, case .failed(let error) = state { makeFailureChild(for: error) }
        updateChildren()
        let actions = configuration.pictureActions.filter { action in
            !earlier.pictureActions.contains { $0 === action }
        }
        runPictureActions(actions)
    }

    private func runPictureActions(_ actions: [RemoteImage.WidgetAction]) {
        for action in actions { action.body(picture.pointer) }
    }

    /// The widget is being finalised: nothing of it may be used any more.
    private func end() {
        overlay = nil
        loadNumber += 1
        slot.onContentChange = {}
        slot.onVisibilityChange = { _ in }
        fade = nil
        placeholder = nil
        failure = nil
    }
}
