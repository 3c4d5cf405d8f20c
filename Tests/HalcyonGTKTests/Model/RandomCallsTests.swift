import CGTK
import Foundation
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// Plays random calls on views of changing sizes, some of them scrolled away, for files and for images of an origin that answers late, fails, does not
/// answer or goes away, and compares what the views show with what their last calls asked for.
@MainActor
final class RandomCallsTests: XCTestCase {
    /// Programs of 150 steps each. `HALCYON_VIEW_SEED` plays that of one seed again.
    func testViewsShowWhatTheirLastCallsAskedFor() async throws {
        try TestWindow.requireDisplay()
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["HALCYON_VIEW_SEED"].flatMap(UInt64.init) { return try await play(seed) }
        let first = UInt64.random(in: 0..<1_000_000)
        for seed in first..<(first + 12) where !hasFailed {
            try await play(seed)
        }
    }

    private var hasFailed: Bool { (testRun?.totalFailureCount ?? 0) > 0 }

    private func play(_ seed: UInt64) async throws {
        let game = try await ViewGame(seed: seed)
        for _ in 0..<150 {
            try await game.step()
            if let fault = game.fault() {
                return XCTFail("\(fault), seed \(seed):\n\(game.log.joined(separator: "\n"))")
            }
        }
        if let fault = try await game.end() { XCTFail("\(fault), seed \(seed):\n\(game.log.joined(separator: "\n"))") }
    }
}

/// Views in a window, and the model of what each may show.
@MainActor
private final class ViewGame {
    /// A source, and what becomes of its loads.
    struct Item {
        let url: URL
        /// `nil` for one whose loads fail.
        let color: TestColor?
    }

    /// One view, and its last call.
    @MainActor
    final class View {
        var widget: UnsafeMutablePointer<GtkWidget>
        var display: ImageDisplay
        /// The number of the last call that set something.
        var call = 0
        /// What that asked for; `nil` for no source.
        var item: Item?
        /// Its request; `nil` before the first call.
        var request: ImageRequest?
        var placeholder: TestColor?
        var failureColor: TestColor?
        var keepsCurrent = false
        var wasCancelled = false
        /// The colours that may be shown while the call is under way, because they were there before it.
        var earlier: Set<TestColor?> = []
        /// The number of completion handlers that were called, for each call.
        var completions: [Int: Int] = [:]

        init(_ widget: UnsafeMutablePointer<GtkWidget>) {
            self.widget = widget
            display = ImageDisplay(widget)
        }
    }

    private(set) var log: [String] = []
    private var generator: SeededGenerator
    private let origin = ViewPipeline()
    private let folder = NSTemporaryDirectory() + "halcyon-random-calls-\(UUID().uuidString)"
    /// A Boolean value that indicates whether the origin cannot be reached.
    private var isAway = false
    /// Widgets out of the window.
    private var isOut: Set<Int> = []
    private let window: TestWindow
    private let box: UnsafeMutablePointer<GtkWidget>
    /// Shows a part of the box, until the end.
    private let scrolled: UnsafeMutablePointer<GtkWidget>
    private var views: [View] = []
    /// Views whose widgets were destroyed; their completions still count.
    private var ended: [View] = []
    private var items: [Item] = []

    init(seed: UInt64) async throws {
        generator = SeededGenerator(seed: seed)
        box = try XCTUnwrap(gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0))
        scrolled = try XCTUnwrap(gtk_scrolled_window_new())
        gtk_scrolled_window_set_policy(OpaquePointer(scrolled), GTK_POLICY_EXTERNAL, GTK_POLICY_NEVER)
        gtk_scrolled_window_set_child(OpaquePointer(scrolled), box)
        gtk_widget_set_halign(scrolled, GTK_ALIGN_START)
        gtk_widget_set_size_request(scrolled, 150, -1)
        window = try TestWindow(width: 600, height: 100, child: scrolled)
        for number in 0..<10 {
            let color = TestColor(red: UInt8(20 + number * 20), green: UInt8(number % 2 * 200), blue: 100)
            items.append(Item(url: origin.url(), color: number % 4 == 3 ? nil : color))
        }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for number in 0..<3 {
            let color = TestColor(red: 10, green: UInt8(60 + number * 40), blue: 230)
            let url = URL(fileURLWithPath: "\(folder)/\(number).png")
            if number > 0 { try color.png().write(to: url) }
            items.append(Item(url: url, color: number > 0 ? color : nil))
        }
        for _ in 0..<5 { views.append(try makeView()) }
        await window.present()
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func makeView() throws -> View {
        let widget = try XCTUnwrap(gtk_picture_new())
        gtk_widget_set_size_request(widget, 50, 50)
        gtk_box_append(UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self), widget)
        return View(widget)
    }

    func step() async throws {
        let index = Int.random(in: views.indices, using: &generator)
        let view = views[index]
        switch Int.random(in: 0..<27, using: &generator) {
        case 20...21: try setAgain(view, index)
        case 22...23:
            let side = Int.random(in: 3...10, using: &generator) * 10
            log.append("\(index): \(side) points")
            gtk_widget_set_size_request(view.widget, Int32(side), Int32(side))
        case 24: goAway(!isAway)
        case 26:
            let value = Int.random(in: 0...4, using: &generator) * 50
            log.append("scrolled to \(value)")
            gtk_adjustment_set_value(gtk_scrolled_window_get_hadjustment(OpaquePointer(scrolled)), Double(value))
        case 25: try takeOut(view, index)
        case 0..<7: try set(view, index)
        case 7: clear(view, index)
        case 8:
            log.append("\(index): cancel")
            view.display.cancel()
            view.wasCancelled = true
        case 9:
            log.append("\(index): remove")
            view.display.remove()
            forget(view)
        case 10...11:
            let isVisible = gtk_widget_get_visible(view.widget) == 0
            log.append("\(index): \(isVisible ? "show" : "hide")")
            gtk_widget_set_visible(view.widget, isVisible ? 1 : 0)
        case 12:
            log.append("\(index): destroy")
            putBack(view, index)
            gtk_box_remove(UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self), view.widget)
            ended.append(view)
            views[index] = try makeView()
        case 13...16: try answer()
        case 17:
            log.append("memory cleared")
            origin.pipeline.cache.removeAllFromMemory()
        default:
            log.append("turn")
            await MainLoop.turn()
        }
    }

    private func set(_ view: View, _ index: Int) throws {
        let item = items.randomElement(using: &generator) ?? items[0]
        let shown = color(of: view)
        view.call += 1
        view.item = item
        view.wasCancelled = false
        view.keepsCurrent = Bool.random(using: &generator)
        view.placeholder = Bool.random(using: &generator) ? .yellow : nil
        view.failureColor = Bool.random(using: &generator) ? .red : nil
        view.earlier = view.keepsCurrent ? [shown] : []
        var options: [ImageOption] = [
            .superseded(SupersededPolicy.allCases.randomElement(using: &generator) ?? .cancel),
            .visibility(LoadVisibility.allCases.randomElement(using: &generator) ?? .whileMapped),
        ]
        if view.keepsCurrent { options.append(.keepCurrentImageWhileLoading) }
        if Bool.random(using: &generator) { options.append(.transition(.fade(.milliseconds(30)))) }
        if Bool.random(using: &generator) { options.append(.indicator(.spinner)) }
        if let color = view.failureColor { options.append(.failureImage(try color.image())) }
        if Bool.random(using: &generator) { options.append(.sizing(.image)) }
        log.append("\(index): set \(item.color.map(String.init(describing:)) ?? "failing"), \(options.count) options")
        let request = ImageRequest(item.url, options: options)
        // What is shown of the same image at another size stays.
        if view.request?.source == request.source { view.earlier.insert(shown) }
        view.request = request
        try call(view, request)
    }

    /// Makes the last call once more.
    private func setAgain(_ view: View, _ index: Int) throws {
        guard let request = view.request, view.item != nil else { return }
        log.append("\(index): set again")
        view.earlier.insert(color(of: view))
        view.call += 1
        view.wasCancelled = false
        try call(view, request)
    }

    private func call(_ view: View, _ request: ImageRequest) throws {
        let call = view.call
        view.completions[call] = 0
        view.display.setImage(
            with: request,
            placeholder: try view.placeholder?.image(),
            pipeline: origin.pipeline,
            completion: { _ in view.completions[call, default: 0] += 1 }
        )
    }

    /// Takes the origin away, or brings it back.
    private func goAway(_ isAway: Bool) {
        guard isAway != self.isAway else { return }
        log.append(isAway ? "origin goes away" : "origin comes back")
        self.isAway = isAway
        origin.network.status.isConnected = !isAway
        if isAway {
            origin.transport.setAnswer { _ in ScriptedTransport.Route(error: .cannotConnect("away")) }
        } else {
            origin.transport.setAnswer(nil)
        }
    }

    /// Takes a widget out of the window, or puts it back.
    private func takeOut(_ view: View, _ index: Int) throws {
        if isOut.contains(index) { return putBack(view, index) }
        log.append("\(index): taken out")
        isOut.insert(index)
        g_object_ref(view.widget)
        gtk_box_remove(UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self), view.widget)
    }

    private func putBack(_ view: View, _ index: Int) {
        guard isOut.remove(index) != nil else { return }
        log.append("\(index): put back")
        gtk_box_append(UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self), view.widget)
        g_object_unref(view.widget)
    }

    private func clear(_ view: View, _ index: Int) {
        log.append("\(index): set nothing")
        forget(view)
        let call = view.call
        view.completions[call] = 0
        view.display.setImage(
            with: nil as ImageRequest?,
            completion: { _ in view.completions[call, default: 0] += 1 }
        )
    }

    private func forget(_ view: View) {
        view.call += 1
        view.item = nil
        view.request = nil
        view.placeholder = nil
        view.earlier = []
        view.wasCancelled = false
    }

    /// Answers a transfer that waits.
    private func answer() throws {
        let waiting = origin.transport.transfers.filter { $0.result == nil && !$0.isCancelled }
        guard let transfer = waiting.randomElement(using: &generator) else { return }
        log.append("answer")
        try answer(transfer)
    }

    private func answer(_ transfer: ScriptedTransfer) throws {
        let item = items.first { $0.url == transfer.request.url }
        if isAway {
            transfer.answer(ScriptedTransport.Route(error: .cannotConnect("away")))
        } else if let color = item?.color {
            transfer.answer(ScriptedTransport.Route(body: try color.png()))
        } else {
            transfer.answer(ScriptedTransport.Route(status: 404))
        }
    }

    /// The colour of what a view shows by its own account; `nil` for nothing.
    private func color(of view: View) -> TestColor? {
        // What a transition leads to, without the transition and the indicator.
        let controller = WidgetState.existing(UnsafeMutableRawPointer(view.widget))?.existingController(for: .image)
        guard let image = controller?.paintable?.current else { return nil }
        guard let snapshot = gtk_snapshot_new() else { return nil }
        image.draw(into: snapshot, width: 40, height: 40)
        guard let node = gtk_snapshot_free_to_node(snapshot) else { return nil }
        defer { gsk_render_node_unref(node) }
        guard let surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 40, 40) else { return nil }
        defer { cairo_surface_destroy(surface) }
        let context = cairo_create(surface)
        gsk_render_node_draw(node, context)
        cairo_destroy(context)
        cairo_surface_flush(surface)
        // The middle; a row has 160 bytes.
        guard let pixel = cairo_image_surface_get_data(surface)?.advanced(by: 20 * 160 + 20 * 4) else { return nil }
        return pixel[3] == 0 ? nil : TestColor(red: pixel[2], green: pixel[1], blue: pixel[0])
    }

    /// What a view shows that it must not; `nil` if all is well.
    func fault() -> String? {
        for (index, view) in views.enumerated() {
            let shown = color(of: view)
            var allowed: Set<TestColor?> = view.earlier
            allowed.insert(view.placeholder)
            if view.placeholder == nil { allowed.insert(nil) }
            allowed.insert(view.item?.color)
            if view.item != nil { allowed.insert(view.failureColor) }
            if !allowed.contains(shown) {
                return "view \(index) shows \(shown.map(String.init(describing:)) ?? "nothing")"
            }
            if let call = view.completions.first(where: { $0.value > 1 }) {
                return "view \(index) completed call \(call.key) \(call.value) times"
            }
        }
        return nil
    }

    /// Lets everything come to its end, and compares.
    func end() async throws -> String? {
        log.append("end")
        goAway(false)
        // There is room for all of them.
        gtk_widget_set_size_request(scrolled, 600, -1)
        for (index, view) in views.enumerated() {
            putBack(view, index)
            gtk_widget_set_visible(view.widget, 1)
        }
        var quietTurns = 0
        while quietTurns < 40 {
            let waiting = origin.transport.transfers.filter { $0.result == nil && !$0.isCancelled }
            for transfer in waiting { try answer(transfer) }
            let isQuiet =
                waiting.isEmpty
                && views.allSatisfy { $0.item == nil || $0.wasCancelled || $0.display.task?.state == .finished }
            quietTurns = isQuiet ? quietTurns + 1 : 0
            await MainLoop.turn()
            if ContinuousClock.now > deadline {
                let states = views.map { $0.wasCancelled ? "cancelled" : "\($0.display.task?.state as Any)" }
                return "the views did not come to rest: \(states), \(waiting.count) transfers wait"
            }
        }
        defer { window.destroy() }
        if let fault = fault() { return fault }
        for (index, view) in views.enumerated() where !view.wasCancelled {
            let shown = color(of: view)
            let isLoaded = view.display.task?.response != nil
            if isLoaded, view.item?.color == nil { return "at rest, view \(index) has an image of a failing source" }
            let wanted: TestColor? =
                if let item = view.item {
                    isLoaded
                        ? item.color : view.failureColor ?? (view.earlier.contains(shown) ? shown : view.placeholder)
                } else {
                    nil
                }
            if shown != wanted {
                return "at rest, view \(index) shows \(shown.map(String.init(describing:)) ?? "nothing")"
            }
        }
        for view in views + ended {
            if let call = view.completions.sorted(by: { $0.key < $1.key }).first(where: { $0.value != 1 }) {
                return "call \(call.key) of a view was completed \(call.value) times"
            }
        }
        return nil
    }

    private let deadline = ContinuousClock.now + .seconds(60)
}
