import CGTK
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// Code of the program that changes lists while a cell gets its item.
@MainActor
final class ListReentrancyTests: XCTestCase {
    private func configuration(_ images: NumberedImages) -> ImageListFactory.Configuration {
        var configuration = ImageListFactory.Configuration()
        configuration.makeCell = { .picture(width: 64, height: 64) }
        configuration.pipeline = images.pipeline
        configuration.prefetchDistance = .none
        return configuration
    }

    /// The closure makes another view of the same factory, whose cells get their items before the first has its own.
    func testRequestThatHasOtherCellsBoundIsNotLost() async throws {
        let images = NumberedImages()
        images.answerAll()
        let model = ImageListModel(0..<500)
        let views = Views()
        let factory = ImageListFactory(of: Int.self, configuration(images)) { number, _ in
            if number == 2, let pointer = views.factory {
                views.factory = nil
                views.other = try? ListWindow(.list, model: model.passRetained(), factories: [pointer])
            }
            return images.request(number)
        }
        views.factory = factory.pointer
        let list = try ListWindow(.list, model: model.passRetained(), factories: [factory.pointer])
        await list.present()
        XCTAssertNotNil(views.other)
        let cells = ListBinder.of(factory.pointer)?.cells.values.filter(\.isInSight) ?? []
        XCTAssertFalse(cells.isEmpty)
        await MainLoop.run(within: .seconds(5)) {
            cells.allSatisfy { cell in
                cell.content.display.image.flatMap { NumberedImages.number(of: $0) } == cell.item?.position
            }
        }
        list.window.destroy()
        views.other?.window.destroy()
    }

    /// The handler of an image in memory takes the item out of its cell, which is filled in before and not afterwards.
    func testCellThatLosesItsItemWhileItGetsItIsConfiguredBefore() async throws {
        let images = NumberedImages()
        images.answerAll()
        let request = { (number: Int) -> ImageRequest in
            images.request(number).applying([.visibility(.always), .sizing(.image)])
        }
        _ = try await images.pipeline.response(for: request(0))
        var events: [String] = []
        var configuration = configuration(images)
        var binder: ListBinder?
        configuration.completion = { cell, _ in
            events.append("completion")
            let bound = binder?.cells.values.first { $0.content.widget == cell.widget }
            if let bound, let binder { Self.unbind(bound.listItem, binder) }
        }
        configuration.configure = { _, _ in events.append("configure") }
        configuration.reset = { _ in events.append("reset") }
        let factory = ImageListFactory(of: Int.self, configuration) { number, _ in request(number) }
        binder = ListBinder.of(factory.pointer)
        Self.factory = factory.pointer
        let list = try ListWindow(.list, model: ImageListModel(0..<1).passRetained(), factories: [factory.pointer])
        await list.present()
        XCTAssertEqual(Array(events.prefix(3)), ["configure", "completion", "reset"])
        list.window.destroy()
        binder = nil
    }

    /// The factory of the first view, until it is used for the other.
    @MainActor
    private final class Views {
        var factory: UnsafeMutableRawPointer?
        var other: ListWindow?
    }

    private static var factory: UnsafeMutableRawPointer?

    /// Does as GTK does when an item goes.
    private static func unbind(_ listItem: UnsafeMutableRawPointer, _ binder: ListBinder) {
        guard let factory else { return }
        var values = [GValue(), GValue()]
        g_value_init(&values[0], gtk_signal_list_item_factory_get_type())
        g_value_set_object(&values[0], factory)
        g_value_init(&values[1], cgtk_object_type())
        g_value_set_object(&values[1], listItem)
        g_signal_emitv(&values, g_signal_lookup("unbind", gtk_signal_list_item_factory_get_type()), 0, nil)
        for index in values.indices { g_value_unset(&values[index]) }
    }
}
