import CGTK
import Foundation
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// A grid of 10,000 cells that is scrolled at random, and looked at all the while.
@MainActor
final class Fling {
    enum Mode {
        case halcyon(ImageTransition?)
        /// Cells that load when they are bound, and show what arrives: no cancelling, no comparison.
        case naive
        /// Cells whose textures are there.
        case ready
    }

    private let images = NumberedImages(memoryCostLimit: 16 << 20)
    private let cells: any FlungCells
    private let list: ListWindow
    private var random: SeededGenerator
    private var result = FlingResult()
    private var frameStart = ContinuousClock.now
    private var wantsPixels = false
    private var pictures: [PaintedCells] = []

    private static let side = 64

    init(_ mode: Mode) throws {
        guard gtk_init_check() != 0 else { throw XCTSkip("no display can be opened") }
        result.seed =
            ProcessInfo.processInfo.environment["HALCYON_FLING_SEED"].flatMap { UInt64($0) } ?? .random(in: 0 ... .max)
        random = SeededGenerator(seed: result.seed)
        cells =
            switch mode {
            case .halcyon(let transition): HalcyonCells(images, transition)
            case .naive: PlainCells(images)
            case .ready: PlainCells(nil)
            }
        list = try ListWindow(
            .grid(columns: 7),
            model: ImageListModel(0..<10_000).passRetained(),
            factories: [cells.factory],
            width: 800,
            height: 600
        )
    }

    /// - Parameter isEnough: Goes on for up to a minute more until this holds, as a slow machine sees less in the same time.
    ///   Default: at once.
    func run(until isEnough: (FlingResult) -> Bool = { _ in true }) async throws -> FlingResult {
        let origin = SlowOrigin(images, seed: result.seed)
        await list.present()
        let observer = try FrameObserver(list.view) { [unowned self] in
            frameStart = .now
        } onPaint: { [unowned self] in
            frameWasPainted()
        }
        await scroll(until: isEnough)
        // At rest, each cell in sight shows its image.
        await MainLoop.run(within: .seconds(5)) { self.cells.isSettled }
        check()
        await list.settle()
        await capture()
        for picture in pictures { picture.count(in: &result) }
        result.unsettled = cells.visible.count { $0.shown != $0.number }
        result.cells = cells.bound.count
        result.loads = images.transport.startedCount
        observer.stop()
        list.window.destroy()
        origin.stop()
        return result
    }

    /// Flings with a step a frame; now and then a jump, another direction, or a rest in which images arrive.
    private func scroll(until isEnough: (FlingResult) -> Bool) async {
        let seconds = ProcessInfo.processInfo.environment["HALCYON_FLING_SECONDS"].flatMap(Double.init) ?? 8
        let end = ContinuousClock.now + .seconds(seconds)
        var step = 260.0
        var value = 0.0
        var count = 0
        while ContinuousClock.now < end || !isEnough(result) && ContinuousClock.now < end + .seconds(60) {
            value =
                Int.random(in: 0..<40, using: &random) == 0 ? .random(in: 0...list.end, using: &random) : value + step
            if value < 0 || value > list.end || Int.random(in: 0..<60, using: &random) == 0 {
                step = -step
                value = min(max(0, value), list.end)
            }
            list.scroll(to: value)
            await nextFrame()
            check()
            count += 1
            if Int.random(in: 0..<30, using: &random) == 0 {
                // Some of the images that are under way arrive, others do not.
                let rest = ContinuousClock.now + .milliseconds(Int.random(in: 20...200, using: &random))
                while ContinuousClock.now < rest {
                    await nextFrame()
                    check()
                }
                await capture()
            }
        }
    }

    private func nextFrame() async {
        let count = result.frameTimes.count
        gtk_widget_queue_draw(list.view)
        await MainLoop.run { self.result.frameTimes.count > count }
    }

    /// Looks at all cells that are bound, in sight or not.
    private func check() {
        for cell in cells.bound {
            guard let shown = cell.shown else { continue }
            result.states += 1
            if shown != cell.number { result.wrongStates += 1 }
        }
    }

    private func capture() async {
        wantsPixels = true
        await nextFrame()
        for picture in pictures { picture.count(in: &result) }
        pictures = []
    }

    /// What the cells are to show is noted while nothing can change it.
    private func frameWasPainted() {
        let duration = ContinuousClock.now - frameStart
        result.frameTimes.append(duration / .seconds(1))
        guard wantsPixels else { return }
        wantsPixels = false
        if let picture = PaintedCells(list.scrolled, cells.visible.filter(\.isSettled)) { pictures.append(picture) }
    }
}

/// Answers transfers after 2 to 150 ms each.
private final class SlowOrigin: Sendable {
    private let task: Task<Void, Never>

    init(_ images: NumberedImages, seed: UInt64) {
        task = Task.detached {
            var random = SeededGenerator(seed: seed)
            while !Task.isCancelled {
                let transfer = await images.transport.nextTransfer()
                let delay = Int.random(in: 2...150, using: &random)
                Task.detached {
                    try? await Task.sleep(for: .milliseconds(delay))
                    images.answer(transfer)
                }
            }
        }
    }

    func stop() { task.cancel() }
}

/// The middle of each settled cell in a frame that was painted.
@MainActor
private final class PaintedCells {
    private let node: PaintedNode
    private let cells: [(x: Int, y: Int, number: Int)]

    /// `nil` if nothing was painted.
    init?(_ widget: UnsafeMutablePointer<GtkWidget>, _ shown: [FlungCell]) {
        guard let node = PaintedNode(widget) else { return nil }
        self.node = node
        cells = shown.compactMap { cell in
            var bounds = graphene_rect_t()
            guard gtk_widget_compute_bounds(cell.widget.widget, widget, &bounds) != 0 else { return nil }
            let x = Int(bounds.origin.x + bounds.size.width / 2)
            let y = Int(bounds.origin.y + bounds.size.height / 2)
            guard x >= 0, y >= 0, x < node.width, y < node.height else { return nil }
            return (x, y, cell.number)
        }
    }

    /// Draws the frame again, and compares.
    func count(in result: inout FlingResult) {
        guard let pixels = PaintedPixels(node) else { return }
        for cell in cells {
            result.pixels += 1
            let number = pixels[cell.x, cell.y].flatMap {
                NumberedImages.number(red: $0.red, green: $0.green, blue: $0.blue)
            }
            if number != cell.number { result.wrongPixels += 1 }
        }
    }
}
