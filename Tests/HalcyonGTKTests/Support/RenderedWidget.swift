import CGTK
import XCTest

/// The pixels of a widget as the renderer of its window draws them, with transforms in space, which Cairo has not.
@MainActor
struct RenderedWidget {
    let width: Int
    let height: Int
    /// Blue, green, red and alpha, premultiplied.
    private let pixels: [UInt8]

    /// Draws the widget as it is now. Its window must have painted a frame.
    ///
    /// - Parameter name: The name of a file in the folder `HALCYON_SCREENSHOTS`, where that is set.
    init(_ widget: UnsafeMutablePointer<GtkWidget>, name: String? = nil) throws {
        let (across, down) = (gtk_widget_get_width(widget), gtk_widget_get_height(widget))
        let renderer = try XCTUnwrap(gtk_native_get_renderer(XCTUnwrap(gtk_widget_get_native(widget))))
        let paintable = try XCTUnwrap(gtk_widget_paintable_new(widget))
        defer { g_object_unref(UnsafeMutableRawPointer(paintable)) }
        let snapshot = try XCTUnwrap(gtk_snapshot_new())
        gdk_paintable_snapshot(paintable, snapshot, Double(across), Double(down))
        guard let node = gtk_snapshot_free_to_node(snapshot) else {
            // It paints nothing.
            (width, height) = (Int(across), Int(down))
            pixels = [UInt8](repeating: 0, count: width * height * 4)
            return
        }
        defer { gsk_render_node_unref(node) }
        var bounds = graphene_rect_t()
        graphene_rect_init(&bounds, 0, 0, Float(across), Float(down))
        let texture = try XCTUnwrap(gsk_renderer_render_texture(renderer, node, &bounds))
        defer { g_object_unref(UnsafeMutableRawPointer(texture)) }
        if let name, let folder = ProcessInfo.processInfo.environment["HALCYON_SCREENSHOTS"] {
            gdk_texture_save_to_png(texture, "\(folder)/\(name).png")
        }
        width = Int(gdk_texture_get_width(texture))
        height = Int(gdk_texture_get_height(texture))
        var bytes = [UInt8](repeating: 0, count: width * height * 4)
        bytes.withUnsafeMutableBytes { buffer in
            gdk_texture_download(
                texture,
                buffer.baseAddress?.assumingMemoryBound(to: guchar.self),
                gsize(gdk_texture_get_width(texture)) * 4
            )
        }
        pixels = bytes
    }

    /// The colour at a point; `nil` where nothing is painted.
    subscript(_ x: Int, _ y: Int) -> TestColor? {
        let offset = (y * width + x) * 4
        guard pixels[offset + 3] > 0 else { return nil }
        return TestColor(red: pixels[offset + 2], green: pixels[offset + 1], blue: pixels[offset])
    }

    /// The number of pixels of a column that have a colour.
    func count(ofColumn x: Int, where isCounted: (TestColor) -> Bool) -> Int {
        (0..<height).count { self[x, $0].map(isCounted) ?? false }
    }

    /// The number of pixels of a row that have a colour.
    func count(ofRow y: Int, where isCounted: (TestColor) -> Bool) -> Int {
        (0..<width).count { self[$0, y].map(isCounted) ?? false }
    }

    /// The number of pixels that have a colour.
    func count(where isCounted: (TestColor) -> Bool) -> Int {
        (0..<height).reduce(0) { $0 + count(ofRow: $1, where: isCounted) }
    }
}

extension TestColor {
    var isReddish: Bool { red > 150 && blue < 100 && green < 100 }
    var isBluish: Bool { blue > 150 && red < 100 && green < 100 }
}
