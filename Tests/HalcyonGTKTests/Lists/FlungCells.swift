import CGTK
import Halcyon
import XCTest

@testable import HalcyonGTK

/// A cell that shows an item.
struct FlungCell {
    let widget: UnsafeMutableRawPointer
    /// The number of the image that it has to show.
    let number: Int
    /// The number of the image that it shows; `nil` for the placeholder, or nothing.
    let shown: Int?
    /// A Boolean value that indicates whether it has come to rest with an image.
    let isSettled: Bool
}

/// The cells of a grid that is flung.
@MainActor
protocol FlungCells: AnyObject {
    /// The `GtkListItemFactory *`.
    var factory: UnsafeMutableRawPointer { get }
    /// The cells that are bound.
    var bound: [FlungCell] { get }
}

extension FlungCells {
    /// The cells in sight: GTK also maps some beside the viewport.
    var visible: [FlungCell] {
        bound.filter { gtk_widget_get_mapped($0.widget.widget) != 0 && Sight().includes($0.widget) }
    }

    var isSettled: Bool { visible.allSatisfy(\.isSettled) }
}

/// Those of an `ImageListFactory`.
@MainActor
final class HalcyonCells: FlungCells {
    private let listFactory: ImageListFactory

    init(_ images: NumberedImages, _ transition: ImageTransition?) {
        var configuration = ImageListFactory.Configuration()
        configuration.makeCell = { .picture(width: 64, height: 64) }
        configuration.pipeline = images.pipeline
        configuration.placeholder = NumberedImages.gray
        listFactory = ImageListFactory(of: Int.self, configuration) { number, _ in
            images.request(number).applying(transition.map { [.transition($0)] } ?? [])
        }
    }

    var factory: UnsafeMutableRawPointer { listFactory.pointer }

    var bound: [FlungCell] {
        listFactory.boundCells.map { number, cell in
            let display = cell.content.display
            return FlungCell(
                widget: cell.content.widget,
                number: number,
                shown: display.image.flatMap { NumberedImages.number(of: $0) },
                isSettled: display.content == .image && display.task?.state == .finished
            )
        }
    }
}

/// Those of a factory that loads when it binds, and shows what arrives; or shows at once where there is no origin.
@MainActor
final class PlainCells: FlungCells {
    private let images: NumberedImages?
    private let reference: ObjectReference
    private var numbers: [UnsafeMutableRawPointer: Int] = [:]
    private var shown: [UnsafeMutableRawPointer: Int] = [:]

    init(_ images: NumberedImages?) {
        self.images = images
        reference = ObjectReference(adopting: UnsafeMutableRawPointer(nonnull(gtk_signal_list_item_factory_new())))
        let setup: @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, item, _ in
            let picture = nonnull(gtk_picture_new())
            gtk_widget_set_size_request(picture, 64, 64)
            gtk_picture_set_content_fit(OpaquePointer(picture), GTK_CONTENT_FIT_COVER)
            gtk_list_item_set_child(OpaquePointer(item), picture)
        }
        let bind: @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, item, data in
            PlainCells.with(data, item) { $0.bind($1, Int(gtk_list_item_get_position(OpaquePointer(item)))) }
        }
        let unbind: @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, item, data in
            PlainCells.with(data, item) { $0.numbers[$1] = nil }
        }
        // The fling keeps this object until its window has gone.
        let data = Unmanaged.passUnretained(self).toOpaque()
        connect(reference.pointer, "setup", setup, nil)
        connect(reference.pointer, "bind", bind, data)
        connect(reference.pointer, "unbind", unbind, data)
    }

    private nonisolated static func with(
        _ data: gpointer?,
        _ item: gpointer?,
        _ body: @MainActor (PlainCells, UnsafeMutableRawPointer) -> Void
    ) {
        let cells = Unmanaged<PlainCells>.fromOpaque(nonnull(data)).takeUnretainedValue()
        guard let child = gtk_list_item_get_child(OpaquePointer(item)) else { return }
        nonisolated(unsafe) let picture = UnsafeMutableRawPointer(child)
        MainActor.assumeIsolated { body(cells, picture) }
    }

    var factory: UnsafeMutableRawPointer { reference.pointer }

    var bound: [FlungCell] {
        numbers.map { picture, number in
            FlungCell(widget: picture, number: number, shown: shown[picture], isSettled: shown[picture] != nil)
        }
    }

    private func bind(_ picture: UnsafeMutableRawPointer, _ number: Int) {
        numbers[picture] = number
        guard let images else { return show(NumberedImages.image(number), in: picture) }
        let kept = ObjectReference(retaining: picture)
        Task {
            if let image = try? await images.pipeline.image(from: images.request(number)) {
                show(image, in: kept.pointer)
            }
        }
    }

    private func show(_ image: DecodedImage, in picture: UnsafeMutableRawPointer) {
        shown[picture] = NumberedImages.number(of: image)
        let paintable = Paintable(image)
        gtk_picture_set_paintable(picture.opaque, paintable.reference.opaque)
    }
}

extension NumberedImages {
    /// A placeholder whose colour is that of no number.
    static var gray: DecodedImage {
        var bitmap = bitmap(0)
        bitmap.fill(PixelRect(size: bitmap.size), with: Color(white: 0.9))
        return DecodedImage(bitmap: bitmap, info: ImageInfo(format: .png, size: bitmap.size))
    }
}
