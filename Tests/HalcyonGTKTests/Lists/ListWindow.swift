import CGTK
import Halcyon
import XCTest

@testable import HalcyonGTK

/// A window with a list that is scrolled, of cells of 64 by 64 points.
@MainActor
final class ListWindow {
    enum Kind {
        case list
        case grid(columns: Int)
        /// With one column a factory.
        case columns
    }

    let window: TestWindow
    /// The view itself.
    let view: UnsafeMutablePointer<GtkWidget>
    let scrolled: UnsafeMutablePointer<GtkWidget>
    private let kind: Kind

    /// - Parameter model: A `GListModel *`, whose reference is taken over.
    init(
        _ kind: Kind,
        model: UnsafeMutableRawPointer,
        factories: [UnsafeMutableRawPointer],
        width: Int = 480,
        height: Int = 400
    ) throws {
        guard gtk_init_check() != 0 else { throw XCTSkip("no display can be opened") }
        self.kind = kind
        let selection = try XCTUnwrap(gtk_no_selection_new(OpaquePointer(model)))
        switch kind {
        case .list:
            view = try XCTUnwrap(gtk_list_view_new(selection, OpaquePointer(g_object_ref(factories[0]))))
        case .grid(let columns):
            view = try XCTUnwrap(gtk_grid_view_new(selection, OpaquePointer(g_object_ref(factories[0]))))
            gtk_grid_view_set_max_columns(OpaquePointer(view), guint(columns))
            gtk_grid_view_set_min_columns(OpaquePointer(view), guint(columns))
        case .columns:
            view = try XCTUnwrap(gtk_column_view_new(selection))
            for factory in factories {
                let column = gtk_column_view_column_new("images", OpaquePointer(g_object_ref(factory)))
                gtk_column_view_append_column(OpaquePointer(view), column)
                g_object_unref(UnsafeMutableRawPointer(column))
            }
        }
        scrolled = try XCTUnwrap(gtk_scrolled_window_new())
        gtk_scrolled_window_set_child(OpaquePointer(scrolled), view)
        window = try TestWindow(width: width, height: height, child: scrolled)
    }

    /// Shows the window, and waits for its first frames.
    func present() async {
        await window.present()
        await settle()
        // The first scrolling of a list is lost in GTK 4.8 if it is a jump: the adjustment moves, and no cell comes into
        // sight.
        scroll(to: 1)
        await settle()
        scroll(to: 0)
        await settle()
    }

    var adjustment: UnsafeMutablePointer<GtkAdjustment> {
        gtk_scrolled_window_get_vadjustment(OpaquePointer(scrolled))
    }

    /// The greatest value of the adjustment.
    var end: Double { gtk_adjustment_get_upper(adjustment) - gtk_adjustment_get_page_size(adjustment) }

    var page: Double { gtk_adjustment_get_page_size(adjustment) }

    func scroll(to value: Double) { gtk_adjustment_set_value(adjustment, value) }

    func scroll(by value: Double) { scroll(to: gtk_adjustment_get_value(adjustment) + value) }

    /// Waits until the next frame is painted, and everything that follows from it is done.
    func settle(file: StaticString = #filePath, line: UInt = #line) async {
        guard let clock = gtk_widget_get_frame_clock(view) else { return }
        for _ in 0..<3 {
            let frame = gdk_frame_clock_get_frame_counter(clock)
            gtk_widget_queue_draw(view)
            await MainLoop.run(file: file, line: line) { gdk_frame_clock_get_frame_counter(clock) > frame }
            await MainLoop.turn()
        }
    }
}

extension ImageListFactory {
    /// The cells of the factory that show items, by position.
    var boundCells: [Int: ListCell] {
        var cells: [Int: ListCell] = [:]
        for cell in ListBinder.of(pointer)?.cells.values ?? [:].values where cell.binding != nil {
            if let position = cell.item?.position { cells[position] = cell }
        }
        return cells
    }

    /// The positions of the cells in sight, in order.
    var visiblePositions: [Int] { boundCells.filter { $0.value.isInSight }.keys.sorted() }

    /// The numbers of the images that are being prefetched, in order.
    var prefetchedNumbers: [Int] {
        (ListBinder.of(pointer)?.viewports.values.flatMap(\.prefetching) ?? [])
            .map { NumberedImages.number(of: $0) }.sorted()
    }

    /// The positions in sight whose cells show the image of another number than `number` says.
    func wrongPositions(_ number: (Int) -> Int = { $0 }) -> [Int] {
        visiblePositions.filter { position in
            let image = boundCells[position]?.content.display.image
            return image.flatMap { NumberedImages.number(of: $0) } != number(position)
        }
    }
}
