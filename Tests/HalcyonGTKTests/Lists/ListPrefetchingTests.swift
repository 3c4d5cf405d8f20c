import CGTK
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

@MainActor
final class ListPrefetchingTests: XCTestCase {
    /// A list of 10,000 items whose images are held back, and those in sight of the first page answered.
    private func show(
        _ images: NumberedImages,
        _ distance: PrefetchDistance,
        maxConcurrentPrefetches: Int = 5
    ) async throws -> (ListWindow, ImageListFactory) {
        var configuration = ImageListFactory.Configuration()
        configuration.makeCell = { .picture(width: 64, height: 64) }
        configuration.pipeline = images.pipeline
        configuration.prefetchDistance = distance
        configuration.maxConcurrentPrefetches = maxConcurrentPrefetches
        let factory = ImageListFactory(of: Int.self, configuration) { number, _ in images.request(number) }
        let list = try ListWindow(
            .list,
            model: ImageListModel(0..<10_000).passRetained(),
            factories: [factory.pointer]
        )
        await list.present()
        return (list, factory)
    }

    /// After the visible range, those items are prefetched that come next in the direction of the scrolling; those of
    /// the other direction are cancelled.
    func testPrefetchingFollowsTheDirection() async throws {
        let images = NumberedImages()
        let (list, factory) = try await show(images, .items(4))
        list.scroll(to: 5_000)
        await MainLoop.run { factory.prefetchedNumbers.first.map { $0 > 50 } == true }
        let last = try XCTUnwrap(factory.visiblePositions.last)
        XCTAssertEqual(factory.prefetchedNumbers, Array(last + 1...last + 4))
        await MainLoop.run { images.runningNumbers.suffix(4).elementsEqual(last + 1...last + 4) }
        let forward = images.running.filter { NumberedImages.number(of: $0.request) > last }
        XCTAssertEqual(forward.count, 4)
        XCTAssertTrue(forward.allSatisfy { $0.priority == .low })
        list.scroll(to: 4_000)
        await MainLoop.run { forward.allSatisfy(\.isCancelled) && factory.prefetchedNumbers.count == 4 }
        let first = try XCTUnwrap(factory.visiblePositions.first)
        XCTAssertEqual(factory.prefetchedNumbers, Array(first - 4...first - 1))
        list.window.destroy()
    }

    /// Of all cells that GTK binds, those in sight load at the priority of their requests, also after a jump; what is
    /// prefetched is of low priority, so that it waits for them, and of the other cells nothing is asked for.
    func testImagesInSightGoBeforeOthers() async throws {
        let images = NumberedImages()
        let (list, factory) = try await show(images, .pages(1), maxConcurrentPrefetches: 50)
        for place in [0, list.end / 2] {
            list.scroll(to: place)
            await MainLoop.run {
                let visible = factory.visiblePositions
                let (low, other) = (
                    images.running.filter { $0.priority == .low }, images.running.filter { $0.priority != .low }
                )
                return !visible.isEmpty && other.map { NumberedImages.number(of: $0.request) }.sorted() == visible
                    && low.map { NumberedImages.number(of: $0.request) }.sorted() == factory.prefetchedNumbers
                    && factory.prefetchedNumbers.count == visible.count
            }
            XCTAssertGreaterThan(factory.boundCells.count, factory.visiblePositions.count)
        }
        list.window.destroy()
    }

    /// What is prefetched when it comes into sight goes on, at the priority of the cell, and is not asked for again.
    func testPrefetchedItemThatComesIntoSightIsNotLoadedTwice() async throws {
        let images = NumberedImages()
        let (list, factory) = try await show(images, .items(3))
        list.scroll(to: 2_000)
        await MainLoop.run { factory.prefetchedNumbers.first.map { $0 > 20 } == true }
        let next = try XCTUnwrap(factory.visiblePositions.last) + 1
        await MainLoop.run { images.runningNumbers.contains(next) }
        let transfer = try XCTUnwrap(images.running.first { NumberedImages.number(of: $0.request) == next })
        list.scroll(by: 70)
        await MainLoop.run { factory.visiblePositions.contains(next) && transfer.priority == .normal }
        await MainLoop.run { factory.prefetchedNumbers.contains(next + 3) }
        XCTAssertFalse(transfer.isCancelled)
        images.answerAll()
        await MainLoop.run { factory.wrongPositions().isEmpty }
        XCTAssertEqual(images.transport.transfers.count { NumberedImages.number(of: $0.request) == next }, 1)
        list.window.destroy()
    }

    /// Images that were prefetched have the size of the cells: they are drawn in the first frame of their cells,
    /// without another request, and without the placeholder in between.
    func testPrefetchedImagesAreShownInTheirFirstFrame() async throws {
        let images = NumberedImages()
        images.answerAll()
        let (list, factory) = try await show(images, .pages(1))
        list.scroll(to: 2_000)
        await list.settle()
        let last = try XCTUnwrap(factory.visiblePositions.last)
        let count = factory.visiblePositions.count
        await MainLoop.run {
            images.askedNumbers.isSuperset(of: last + 1...last + count) && factory.prefetchedNumbers.isEmpty
        }
        let asked = images.askedNumbers
        var paintedWrong: [Int] = []
        var paintedNew: Set<Int> = []
        let observer = try FrameObserver(list.view) {
            guard factory.visiblePositions.last != last else { return }
            paintedNew.formUnion(factory.visiblePositions)
            paintedWrong += factory.wrongPositions().filter(asked.contains)
        }
        list.scroll(by: list.page - 128)
        await MainLoop.run { paintedNew.contains(last + 3) }
        XCTAssertEqual(paintedWrong, [])
        for number in last + 1...last + count {
            XCTAssertEqual(images.transport.transfers.count { NumberedImages.number(of: $0.request) == number }, 1)
        }
        observer.stop()
        list.window.destroy()
    }

    /// No more than the limit at a time; the nearest first.
    func testPrefetchingKeepsItsLimitAndOrder() async throws {
        let images = NumberedImages()
        let (list, factory) = try await show(images, .items(6), maxConcurrentPrefetches: 2)
        list.scroll(to: 3_000)
        await MainLoop.run { factory.prefetchedNumbers.first.map { $0 > 20 } == true }
        let last = try XCTUnwrap(factory.visiblePositions.last)
        for number in last + 1...last + 5 {
            XCTAssertEqual(factory.prefetchedNumbers, [number, number + 1])
            await MainLoop.run { images.runningNumbers.contains(number) }
            for transfer in images.running where NumberedImages.number(of: transfer.request) == number {
                images.answer(transfer)
            }
            let rest = number == last + 5 ? [number + 1] : [number + 1, number + 2]
            await MainLoop.run { factory.prefetchedNumbers == rest }
        }
        list.window.destroy()
    }

    /// A list that is hidden prefetches nothing.
    func testPrefetchingEndsWithTheVisibility() async throws {
        let images = NumberedImages()
        let (list, factory) = try await show(images, .items(4))
        list.scroll(to: 3_000)
        await MainLoop.run { factory.prefetchedNumbers.count == 4 && factory.prefetchedNumbers[0] > 20 }
        gtk_widget_set_visible(list.scrolled, 0)
        await MainLoop.run { factory.prefetchedNumbers.isEmpty && images.running.isEmpty }
        gtk_widget_set_visible(list.scrolled, 1)
        // GTK may have gone back to the beginning.
        await list.settle()
        list.scroll(to: 1)
        await list.settle()
        list.scroll(to: 6_000)
        await MainLoop.run { factory.prefetchedNumbers.count == 4 && !images.running.isEmpty }
        list.window.destroy()
    }

    func testDistancesAreCountsOfItems() async {
        XCTAssertEqual(PrefetchDistance.none.count(visible: 20), 0)
        XCTAssertEqual(PrefetchDistance.items(7).count(visible: 20), 7)
        XCTAssertEqual(PrefetchDistance.items(-7).count(visible: 20), 0)
        XCTAssertEqual(PrefetchDistance.items(.max).count(visible: 20), PrefetchDistance.limit)
        XCTAssertEqual(PrefetchDistance.pages(0.5).count(visible: 5), 3)
        XCTAssertEqual(PrefetchDistance.pages(-1).count(visible: 5), 0)
        XCTAssertEqual(PrefetchDistance.pages(.nan).count(visible: 5), 0)
        XCTAssertEqual(PrefetchDistance.pages(.infinity).count(visible: 5), PrefetchDistance.limit)
    }
}
