internal import CGTK
internal import Glibc

/// Follows whether a widget is in sight, its size, and whether things may move in it.
///
/// Layouts are followed only while something depends on them (``isNeeded``): those of a window with thousands of images
/// that are shown for good cost nothing.
@MainActor
final class WidgetVisibility {
    enum Change {
        /// The widget has come into sight, or no longer is.
        case sight
        /// The widget was laid out at another size or for the first time, layout was asked for, or the scale of its
        /// screen changed.
        case layout
        /// The widget left its window; other code may keep it.
        case removal
        /// The window was minimised or is back, its state has changed otherwise, as with the focus, or the user has switched
        /// animations on or off.
        case motion
    }

    /// The widget; `nil` for an object that is none, and after its end.
    private(set) var widget: UnsafeMutableRawPointer?
    private let isWidget: Bool
    /// Called after each change.
    var onChange: (Change) -> Void = { _ in }
    /// Returns whether something depends on sight or layout. What begins to calls ``followLayouts()``.
    var isNeeded: () -> Bool = { false }
    /// The handlers that are connected while the widget is mapped, at objects that outlive it.
    private var handlers: [(object: ObjectReference, number: gulong)] = []
    /// The layouts of the window; `nil` while they are not followed.
    private var layouts: LayoutObserver?
    /// The number of the last call for the widget; 0 before the first. Loads begin in the order of their calls.
    private var call = 0
    private static var lastCall = 0
    /// Whether the next layout is told of, whatever has changed.
    private var wantsLayout = false
    /// Whether a part of the widget was in sight at the last look.
    private var wasInSight = false
    /// What decided about that; `nil` if it has to be looked at anew in any case.
    private var lastSurroundings: Sight.Surroundings?
    /// The sides of the widget at the last look, in points.
    private var lastSize = (width: Int32(0), height: Int32(0))
    /// The frame clock, while the widget is mapped.
    private(set) var clock: ObjectReference?
    /// The surface of the window, while the widget is mapped.
    private var toplevel: ObjectReference?
    /// A Boolean value that indicates whether the widget has been laid out since it was mapped.
    private var hasLayout = false
    private var isDestroyed = false

    init(_ object: UnsafeMutableRawPointer) {
        isWidget = object.isInstance(of: gtk_widget_get_type())
        guard isWidget else { return }
        widget = object
        // Valid for as long as the handlers are: the state of the widget, which owns this, ends with the widget, after
        // GObject has removed its handlers; or in `end()`.
        let data = Unmanaged.passUnretained(self).toOpaque()
        let map: @convention(c) (gpointer?, gpointer?) -> Void = { _, data in
            WidgetVisibility.with(data) { $0.mappingDidChange() }
        }
        connect(object, "map", map, data, after: true)
        connect(object, "unmap", map, data, after: true)
        let scale: @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, _, data in
            WidgetVisibility.with(data) { $0.onChange(.layout) }
        }
        connect(object, "notify::scale-factor", scale, data)
        let root: @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, _, data in
            WidgetVisibility.with(data) { $0.rootDidChange() }
        }
        connect(object, "notify::root", root, data)
        let destroy: @convention(c) (gpointer?, gpointer?) -> Void = { _, data in
            WidgetVisibility.with(data) { visibility in
                visibility.isDestroyed = true
                visibility.onChange(.removal)
            }
        }
        connect(object, "destroy", destroy, data)
        rootDidChange()
        guard isMapped else { return }
        hasLayout = hasSize
        follow()
    }

    private nonisolated static func with(_ data: gpointer?, _ body: @MainActor (WidgetVisibility) -> Void) {
        let visibility = Unmanaged<WidgetVisibility>.fromOpaque(nonnull(data)).takeUnretainedValue()
        MainActor.assumeIsolated { body(visibility) }
    }

    /// A Boolean value that indicates whether the widget is mapped. An object that is no widget counts as mapped.
    var isMapped: Bool {
        guard let widget else { return !isWidget }
        return gtk_widget_get_mapped(widget.widget) != 0
    }

    /// A Boolean value that indicates whether the widget is mapped, and a part of it is in sight: not scrolled away, nor
    /// on another page. Known from the first layout on. An object that is no widget counts as in sight.
    var isInSight: Bool {
        guard let widget else { return !isWidget }
        guard isMapped, hasLayout else { return false }
        // One that is scrolled away is not looked at after each layout.
        if let layouts, layouts.tellsNext(self) { return wasInSight }
        return Sight().includes(widget)
    }

    /// A Boolean value that indicates whether the widget is in a window that was not destroyed. An object that is no
    /// widget counts as in one.
    var hasRoot: Bool {
        guard let widget else { return !isWidget }
        guard !isDestroyed, let root = gtk_widget_get_root(widget.widget) else { return false }
        return !Self.isDestroyedWindow(UnsafeMutableRawPointer(root))
    }

    /// Returns whether a window is none of the program's any more: one to which there are still references keeps its children
    /// after it was destroyed.
    private static func isDestroyedWindow(_ root: UnsafeMutableRawPointer) -> Bool {
        guard root.isInstance(of: gtk_window_get_type()), gtk_widget_get_visible(root.widget) == 0 else { return false }
        let windows = nonnull(gtk_window_get_toplevels())
        return !(0..<g_list_model_get_n_items(windows)).contains { index in
            guard let window = g_list_model_get_item(windows, index) else { return false }
            defer { g_object_unref(window) }
            return window == root
        }
    }

    /// A Boolean value that indicates whether the widget is in sight, as far as that is known, and its window not minimised.
    var isSeen: Bool {
        guard isMapped, !hasLayout || isInSight else { return false }
        guard let toplevel else { return true }
        return gdk_toplevel_get_state(toplevel.opaque).rawValue & Self.unseenStates == 0
    }

    /// The states of a window that is not seen: minimised, and, from GTK 4.12, suspended.
    private static let unseenStates = GDK_TOPLEVEL_STATE_MINIMIZED.rawValue | 1 << 16

    /// A Boolean value that indicates whether the user lets things move. Nothing does where there are no frames.
    var allowsMotion: Bool {
        guard let widget else { return false }
        return cgtk_allows_motion(gtk_widget_get_settings(widget.widget), Self.reducedMotionProperty) != 0
    }

    /// The setting by which the user has motion reduced, which GTK has from 4.22; a test names another.
    static var reducedMotionProperty = "gtk-interface-reduced-motion"

    /// A Boolean value that indicates whether things may move in the widget, and are seen.
    var showsMotion: Bool { isWidget && isSeen && allowsMotion }

    /// The number of pixels of a point, which need not be whole.
    var scale: Double {
        guard let widget else { return 1 }
        guard let surfaceScale = Self.surfaceScale, let native = gtk_widget_get_native(widget.widget),
            let surface = gtk_native_get_surface(native)
        else { return Double(gtk_widget_get_scale_factor(widget.widget)) }
        return surfaceScale(surface)
    }

    /// `gdk_surface_get_scale`, which GTK has from 4.12, later than the headers that this is built with; `nil` where there
    /// is none. A test puts another in its place.
    static var surfaceScale = dlsym(nil, "gdk_surface_get_scale").map {
        unsafeBitCast($0, to: (@convention(c) (OpaquePointer?) -> Double).self)
    }

    /// The number of frames that the window of a mapped widget has begun; `nil` for any other object.
    var frameCount: Int? { clock.map { gdk_frame_clock_get_frame_counter($0.opaque) } }

    /// A Boolean value that indicates whether the sizes of the widget are those that it is shown at; of a widget that is
    /// not shown, those that it was shown at last, which GTK forgets when the widget is hidden itself. An object that is
    /// no widget has none, and never will.
    var isLaidOut: Bool {
        guard widget != nil else { return !isWidget }
        return isMapped ? hasLayout && nativeHasSize : hasSize
    }

    /// A Boolean value that indicates whether the window or the popover has a size, as it has once it is laid out.
    private var nativeHasSize: Bool {
        guard let widget, let native = gtk_widget_get_native(widget.widget) else { return false }
        let pointer = UnsafeMutableRawPointer(native)
        return gtk_widget_get_width(pointer.widget) > 0 && gtk_widget_get_height(pointer.widget) > 0
    }

    private var hasSize: Bool {
        guard let widget else { return false }
        return gtk_widget_get_width(widget.widget) > 0 && gtk_widget_get_height(widget.widget) > 0
    }

    /// Has the frame clock lay out once more, after which sizes are looked at again. A widget that is mapped need not
    /// be laid out for it.
    func requestLayout() {
        guard let clock else { return }
        wantsLayout = true
        followLayouts()
        gdk_frame_clock_request_phase(clock.opaque, GDK_FRAME_CLOCK_PHASE_LAYOUT)
    }

    /// Notes a call for a slot of the widget, and follows sight and size.
    ///
    /// - Returns: The number of the call.
    func noteCall() -> Int {
        Self.lastCall += 1
        call = Self.lastCall
        followLayouts()
        return call
    }

    /// Follows sight and size for as long as something depends on them.
    func followLayouts() {
        guard let clock else { return }
        if layouts == nil {
            wasInSight = isInSight
            lastSurroundings = nil
            layouts = LayoutObserver.of(clock.pointer)
        }
        layouts?.add(self, number: call) { [unowned self] sight in layoutDidEnd(sight) }
    }

    /// - Returns: The distance from sight, if no layout before that counts.
    private func layoutDidEnd(_ sight: Sight) -> Sight.Distance? {
        guard let widget else { return nil }
        let isFirst = !hasLayout
        hasLayout = true
        let size = (width: gtk_widget_get_width(widget.widget), height: gtk_widget_get_height(widget.widget))
        let surroundings = isMapped ? sight.surroundings(of: widget) : nil
        let isSame = surroundings != nil && surroundings == lastSurroundings
        let isInSight = isMapped && (isSame ? wasInSight : sight.includes(widget))
        lastSurroundings = surroundings
        let sightHasChanged = isFirst || isInSight != wasInSight
        let isTold = sightHasChanged || wantsLayout || size != lastSize
        (wantsLayout, wasInSight, lastSize) = (false, isInSight, size)
        if sightHasChanged { onChange(.sight) }
        // Code of the program may have ended the widget, or taken it out of its window.
        if isTold, hasLayout { onChange(.layout) }
        guard !wantsLayout else { return nil }
        guard isNeeded() else {
            unfollowLayouts()
            return nil
        }
        guard hasLayout, !wasInSight, isMapped, let widget = self.widget else { return nil }
        return sight.distance(of: widget)
    }

    private func unfollowLayouts() {
        layouts?.remove(self)
        layouts = nil
    }

    /// Ends with the widget.
    func end() {
        unfollow()
        widget = nil
        onChange = { _ in }
        isNeeded = { false }
    }

    private func mappingDidChange() {
        // What is in sight is known only once it is laid out.
        if isMapped { return follow() }
        unfollow()
        onChange(.sight)
        guard let widget, let root = gtk_widget_get_root(widget.widget), gtk_widget_get_visible(root.widget) == 0
        else { return }
        // A window is hidden before it is taken out of the list of windows.
        onNextTurn { [weak self] in
            guard let self, self.widget != nil, !isMapped, !hasRoot else { return }
            onChange(.removal)
        }
    }

    private func rootDidChange() {
        guard let widget else { return }
        if let root = gtk_widget_get_root(widget.widget) {
            FittingWindow.noteGivenSize(of: UnsafeMutableRawPointer(root))
        } else {
            onChange(.removal)
        }
    }

    /// Connects to what concerns only a widget that is mapped.
    private func follow() {
        guard clock == nil, let widget, let frames = gtk_widget_get_frame_clock(widget.widget) else { return }
        clock = ObjectReference(retaining: UnsafeMutableRawPointer(frames))
        let motion: @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, _, data in
            WidgetVisibility.with(data) { $0.onChange(.motion) }
        }
        let settings = UnsafeMutableRawPointer(nonnull(gtk_widget_get_settings(widget.widget)))
        for property in ["gtk-enable-animations", Self.reducedMotionProperty]
        where cgtk_has_property(settings, property) != 0 { follow(settings, "notify::\(property)", motion) }
        if let native = gtk_widget_get_native(widget.widget), let surface = gtk_native_get_surface(native),
            cgtk_has_property(UnsafeMutableRawPointer(surface), "scale") != 0
        {
            let scale: @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, _, data in
                WidgetVisibility.with(data) { $0.onChange(.layout) }
            }
            follow(UnsafeMutableRawPointer(surface), "notify::scale", scale)
        }
        if let surface = cgtk_toplevel(widget) {
            toplevel = follow(UnsafeMutableRawPointer(surface), "notify::state", motion)
        }
        requestLayout()
    }

    @discardableResult
    private func follow<Handler>(
        _ object: UnsafeMutableRawPointer,
        _ signal: String,
        _ handler: Handler
    ) -> ObjectReference {
        let reference = ObjectReference(retaining: object)
        let number = connect(object, signal, handler, Unmanaged.passUnretained(self).toOpaque(), after: true)
        handlers.append((reference, number))
        return reference
    }

    private func unfollow() {
        hasLayout = false
        for (object, number) in handlers { g_signal_handler_disconnect(object.pointer, number) }
        handlers = []
        unfollowLayouts()
        wantsLayout = false
        clock = nil
        toplevel = nil
    }
}
