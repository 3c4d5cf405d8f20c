import CGTK
import XCTest

/// The drawing of a widget's last frame, whose pixels may be asked for later.
@MainActor
final class PaintedNode {
    let width: Int
    let height: Int
    /// `nil` for a widget that paints nothing.
    private let node: OpaquePointer?

    /// `nil` before the first frame.
    init?(_ widget: UnsafeMutablePointer<GtkWidget>) {
        width = Int(gtk_widget_get_width(widget))
        height = Int(gtk_widget_get_height(widget))
        guard width > 0, height > 0, let paintable = gtk_widget_paintable_new(widget) else { return nil }
        defer { g_object_unref(UnsafeMutableRawPointer(paintable)) }
        guard let snapshot = gtk_snapshot_new() else { return nil }
        gdk_paintable_snapshot(paintable, snapshot, Double(width), Double(height))
        node = gtk_snapshot_free_to_node(snapshot)
    }

    isolated deinit {
        if let node { gsk_render_node_unref(node) }
    }

    /// Draws by Cairo.
    func draw(on surface: OpaquePointer) {
        guard let node else { return }
        let context = cairo_create(surface)
        gsk_render_node_draw(node, context)
        cairo_destroy(context)
    }
}

/// The pixels that a widget has painted.
struct PaintedPixels {
    let width: Int
    let height: Int
    /// Blue, green, red and alpha, premultiplied.
    private let bytes: [UInt8]
    private let bytesPerRow: Int

    /// Reads what the widget painted in its last frame; `nil` before the first.
    @MainActor
    init?(_ widget: UnsafeMutablePointer<GtkWidget>) {
        guard let node = PaintedNode(widget) else { return nil }
        self.init(node)
    }

    /// Draws what a widget has painted.
    @MainActor
    init?(_ node: PaintedNode) {
        (width, height) = (node.width, node.height)
        guard let surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, Int32(width), Int32(height)) else {
            return nil
        }
        defer { cairo_surface_destroy(surface) }
        node.draw(on: surface)
        cairo_surface_flush(surface)
        bytesPerRow = Int(cairo_image_surface_get_stride(surface))
        guard let data = cairo_image_surface_get_data(surface) else { return nil }
        bytes = Array(UnsafeBufferPointer(start: data, count: bytesPerRow * height))
    }

    /// The colour at a point; `nil` where nothing is painted.
    subscript(_ x: Int, _ y: Int) -> TestColor? {
        let offset = y * bytesPerRow + x * 4
        guard bytes[offset + 3] > 0 else { return nil }
        return TestColor(red: bytes[offset + 2], green: bytes[offset + 1], blue: bytes[offset])
    }

    /// The colour in the middle; `nil` where nothing is painted.
    var middle: TestColor? { self[width / 2, height / 2] }

    /// All colours.
    var colors: Set<TestColor> {
        var colors: Set<TestColor> = []
        for y in 0..<height { for x in 0..<width { if let color = self[x, y] { colors.insert(color) } } }
        return colors
    }
}

/// Notes the pixels of a widget after each frame that its window paints.
@MainActor
final class PaintedFrames {
    private let widget: UnsafeMutablePointer<GtkWidget>
    private var observer: FrameObserver?
    /// The frames since the beginning.
    private(set) var frames: [PaintedPixels] = []

    /// The widget must be shown.
    init(_ widget: UnsafeMutablePointer<GtkWidget>) throws {
        self.widget = widget
        observer = try FrameObserver(widget) { [unowned self] in
            if let pixels = PaintedPixels(widget) { frames.append(pixels) }
        }
    }

    /// The colours in the middle, each change once.
    var colors: [TestColor?] {
        var colors: [TestColor?] = []
        for color in frames.map(\.middle) where colors.isEmpty || colors[colors.count - 1] != color {
            colors.append(color)
        }
        return colors
    }

    /// Waits until another frame is painted, and returns it.
    func next(file: StaticString = #filePath, line: UInt = #line) async -> PaintedPixels? {
        let count = frames.count
        gtk_widget_queue_draw(widget)
        await MainLoop.run(file: file, line: line) { self.frames.count > count }
        return frames.last
    }

    func stop() {
        observer?.stop()
        observer = nil
    }
}
