internal import CGTK

/// The `GdkPaintable` of a slot, which a widget gets once: it draws whatever the slot shows at the moment.
///
/// The Swift object belongs to the GObject, and ends with it.
@MainActor
final class SlotPaintable {
    /// The layer that is shown, or that a transition leads to.
    private(set) var current: Paintable? {
        didSet {
            currentCount += 1
            if current?.pointer != oldValue?.pointer { follow(current) }
        }
    }
    /// The number of times that the layer has changed, or what is shown in it by itself.
    private(set) var currentCount = 0
    /// The transition under way.
    private(set) var transition: TransitionPass?
    /// Draws the indicator above all else; `nil` if there is none.
    var indicator: IndicatorPass? {
        didSet {
            guard indicator != nil || oldValue != nil else { return }
            if isTakingIndicator { hasUntoldChange = true } else { invalidateContents() }
        }
    }
    private var isTakingIndicator = false
    /// A Boolean value that indicates whether a change is told of with the next one only.
    private var hasUntoldChange = false
    /// The widget whose colour and direction count. Not retained; the slot takes it away before the widget ends.
    var widget: UnsafeMutableRawPointer?
    /// A Boolean value that indicates whether it is a square, which what it shows covers. It is set before the first use.
    var isSquare = false
    /// Called after each change of what is drawn.
    var onChange: (() -> Void)?
    /// Called after it was drawn at another size than before.
    var onResize: (() -> Void)?
    private var drawnSize: (width: Double, height: Double)?
    /// The GObject, which owns this object; `nil` once it is being finalised.
    private(set) var pointer: UnsafeMutableRawPointer?
    /// The handlers at a paintable that is shown and changes by itself.
    private var followed: FollowedPaintable?
    /// Whether a change or a drawing is under way, which does not come back through paintables that show each other.
    private var isInvalidating = false
    private var isDrawing = false

    private init() {}

    /// A Boolean value that indicates whether there is nothing to be drawn.
    var isEmpty: Bool { current == nil && indicator == nil }

    /// The sides of what is shown, in points; 0 where it has none.
    var naturalSize: (width: Double, height: Double) {
        guard let current else { return (0, 0) }
        let side = min(current.width, current.height)
        return isSquare ? (side, side) : (current.width, current.height)
    }

    /// Returns a new paintable; the reference keeps it.
    static func make() -> (SlotPaintable, ObjectReference) {
        let paintable = SlotPaintable()
        let object = SwiftInstance.make(type, owning: Link(paintable))
        paintable.pointer = object
        return (paintable, ObjectReference(adopting: object))
    }

    /// Shows something else at once, or nothing.
    ///
    /// - Parameter pass: The transition from what is shown now, which ``advance(to:)`` moves on. Default: none.
    func show(_ paintable: Paintable?, through pass: TransitionPass? = nil) {
        // A slot whose placeholder is its own paintable goes on with what it shows.
        var paintable = paintable?.pointer == pointer ? current : paintable
        paintable?.coversPlace = isSquare
        let size = naturalSize
        current = paintable
        transition = pass
        if size != naturalSize { invalidateSize() }
        invalidateContents()
    }

    /// Shows the next frame of what is shown: neither its size, its rendering nor the transition changes.
    func showFrame(_ texture: ObjectReference) {
        guard let current else { return }
        self.current = current.replacing(texture)
        invalidateContents()
    }

    /// Moves the transition on; at 1 it is over.
    func advance(to progress: Double) {
        guard transition != nil else { return }
        if progress >= 1 { transition = nil } else { transition?.progress = progress }
        invalidateContents()
    }

    /// Takes the indicator away, and tells nobody before the next change: handlers of the program would run.
    func takeIndicator() {
        isTakingIndicator = true
        indicator = nil
        isTakingIndicator = false
    }

    /// Tells of what has changed without being told of.
    func tellChange() {
        if hasUntoldChange { invalidateContents() }
    }

    /// Has the widget drawn anew.
    func invalidateContents() {
        guard let pointer, !isInvalidating else { return }
        hasUntoldChange = false
        isInvalidating = true
        gdk_paintable_invalidate_contents(pointer.opaque)
        isInvalidating = false
        onChange?()
    }

    private func invalidateSize() {
        guard let pointer, !isInvalidating else { return }
        isInvalidating = true
        gdk_paintable_invalidate_size(pointer.opaque)
        isInvalidating = false
    }

    private func follow(_ paintable: Paintable?) {
        followed?.stop()
        followed = paintable.flatMap { paintable in
            FollowedPaintable(paintable.reference) { [weak self] hasNewSize in
                guard let self else { return }
                currentCount += 1
                if hasNewSize {
                    var changed = Paintable(paintable.pointer)
                    changed.rendering = paintable.rendering
                    changed.coversPlace = paintable.coversPlace
                    current = changed
                    invalidateSize()
                }
                invalidateContents()
            }
        }
    }

    /// The GObject is being finalised.
    private func end() {
        pointer = nil
        followed?.stop()
        followed = nil
    }

    /// Returns a paintable that goes on showing what this one shows now.
    private func makeImage() -> OpaquePointer? {
        guard current != nil else { return gdk_paintable_new_empty(0, 0) }
        let (width, height) = naturalSize
        var size = graphene_size_t(width: Float(width), height: Float(height))
        guard let snapshot = gtk_snapshot_new() else { return gdk_paintable_new_empty(0, 0) }
        // GTK makes no paintable of a snapshot into which nothing was drawn.
        var nothing = GdkRGBA(red: 0, green: 0, blue: 0, alpha: 0)
        var bounds = graphene_rect_t()
        graphene_rect_init(&bounds, 0, 0, size.width, size.height)
        gtk_snapshot_append_color(snapshot, &nothing, &bounds)
        draw(into: snapshot, width: width, height: height)
        return gtk_snapshot_free_to_paintable(snapshot, &size)
    }

    /// Draws into a rectangle of `width` by `height` points whose corner is the origin.
    private func draw(into snapshot: OpaquePointer, width: Double, height: Double) {
        guard !isDrawing else { return }
        isDrawing = true
        defer { isDrawing = false }
        if let transition {
            transition.draw(current, into: snapshot, width: width, height: height, for: widget)
        } else {
            current?.draw(into: snapshot, width: width, height: height, for: widget)
        }
        indicator?.draw(into: snapshot, width: width, height: height)
        let isResized = drawnSize.map { $0 != (width, height) } ?? false
        drawnSize = (width, height)
        if isResized { onResize?() }
    }
}

// The type of GObject that forwards to the Swift object.
extension SlotPaintable {
    /// Owned by the GObject, and tells the paintable of its end.
    private final class Link {
        let paintable: SlotPaintable

        init(_ paintable: SlotPaintable) {
            self.paintable = paintable
        }

        deinit {
            // GTK drops paintables on the main thread alone.
            MainActor.assumeIsolated { [paintable] in paintable.end() }
        }
    }

    /// Returns the Swift object of a paintable of this type; `nil` for any other object.
    static func existing(_ object: UnsafeMutableRawPointer) -> SlotPaintable? {
        guard object.isInstance(of: type) else { return nil }
        return SwiftInstance.owned(by: object, as: Link.self).paintable
    }

    private static let type: GType = {
        let type = SwiftInstance.register("HalcyonSlotPaintable")
        var interface = GInterfaceInfo()
        interface.interface_init = { table, _ in
            SlotPaintable.fill(nonnull(table).assumingMemoryBound(to: GdkPaintableInterface.self))
        }
        g_type_add_interface_static(type, gdk_paintable_get_type(), &interface)
        return type
    }()

    private nonisolated static func fill(_ table: UnsafeMutablePointer<GdkPaintableInterface>) {
        table.pointee.snapshot = { object, snapshot, width, height in
            // GTK draws on the main thread alone, and the snapshot does not leave this call.
            nonisolated(unsafe) let snapshot = nonnull(snapshot)
            SlotPaintable.with(object) { $0.draw(into: snapshot, width: width, height: height) }
        }
        table.pointee.get_intrinsic_width = { object in
            SlotPaintable.with(object) { SlotPaintable.naturalSide($0.naturalSize.width) }
        }
        table.pointee.get_intrinsic_height = { object in
            SlotPaintable.with(object) { SlotPaintable.naturalSide($0.naturalSize.height) }
        }
        table.pointee.get_intrinsic_aspect_ratio = { object in
            SlotPaintable.with(object) { paintable in
                let (width, height) = paintable.naturalSize
                return width > 0 && height > 0 ? width / height : 0
            }
        }
        table.pointee.get_flags = { _ in GdkPaintableFlags(rawValue: 0) }
        table.pointee.get_current_image = { object in
            nonisolated(unsafe) var image: OpaquePointer?
            SlotPaintable.with(object) { image = $0.makeImage() }
            return image
        }
    }

    /// Returns a side as GTK counts it. It adds such numbers, of 32 bits, without a look at their size.
    private nonisolated static func naturalSide(_ side: Double) -> gint {
        guard side > 0 else { return 0 }
        return gint(min(side.rounded(.up), Double(1 << 28)))
    }

    /// Calls a closure with the Swift object of an instance. GTK calls paintables on the main thread alone.
    private nonisolated static func with<Result: Sendable>(
        _ object: OpaquePointer?,
        _ body: @MainActor (SlotPaintable) -> Result
    ) -> Result {
        let paintable = SwiftInstance.owned(by: UnsafeMutableRawPointer(nonnull(object)), as: Link.self).paintable
        return MainActor.assumeIsolated { body(paintable) }
    }
}
