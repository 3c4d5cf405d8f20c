import CGTK
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// Images on disk that are waited for, and those that are shown and then asked for again.
@MainActor
final class DiskImageTests: XCTestCase {
    private let loads = ViewPipeline()

    override func tearDown() async throws {
        await MainActor.run { DiskWait.limit = .milliseconds(8) }
    }

    /// A URL whose image is on disk, and not in memory.
    private func onDisk(_ color: TestColor) async throws -> URL {
        let url = try loads.url(color)
        try await loads.preload(url)
        loads.pipeline.cache.removeAllFromMemory()
        return url
    }

    func testImageOnDiskIsShownBeforeTheCallReturns() async throws {
        // Long enough for a machine that is busy.
        DiskWait.limit = .seconds(20)
        let url = try await onDisk(.blue)
        let place = try await TestPlace()
        defer { place.destroy() }
        let done = Completions()
        place.display.setImage(
            with: url,
            options: [.loadDiskFileSynchronously],
            pipeline: loads.pipeline,
            completion: done.handler
        )
        XCTAssertEqual(done.outcome, "success")
        XCTAssertEqual(place.display.content, .image)
        XCTAssertEqual(place.display.task?.response?.source, .disk)
        XCTAssertEqual(loads.transport.startedCount(url), 1)
    }

    func testImageOnDiskIsShownByARemoteImageBeforeItIsInAWindow() async throws {
        try TestWindow.requireDisplay()
        DiskWait.limit = .seconds(20)
        let url = try loads.url(.blue)
        try await loads.preload(url, options: [])
        loads.pipeline.cache.removeAllFromMemory()
        let options: [ImageOption] = [.visibility(.always), .sizing(.image), .loadDiskFileSynchronously]
        let image = RemoteImage(url, options: options, pipeline: loads.pipeline)
        guard case .loaded(let response) = image.state else { return XCTFail("\(image.state)") }
        XCTAssertEqual(response.source, .disk)
        XCTAssertEqual(image.hc.content, .image)
        XCTAssertEqual(loads.transport.startedCount(url), 1)
    }

    func testImagesOnDiskAreInTheFirstFrameInWhichTheirCellsAreInSight() async throws {
        try TestWindow.requireDisplay()
        DiskWait.limit = .seconds(20)
        let urls = try (0..<40).map { _ in try loads.url(.blue) }
        for url in urls { try await loads.preload(url, options: []) }
        loads.pipeline.cache.removeAllFromMemory()
        var configuration = ImageListFactory.Configuration()
        configuration.makeCell = { .picture(width: 64, height: 64) }
        configuration.pipeline = loads.pipeline
        configuration.prefetchDistance = .none
        let factory = ImageListFactory(of: Int.self, configuration) { number, _ in
            ImageRequest(urls[number], options: [.loadDiskFileSynchronously])
        }
        let list = try ListWindow(
            .list,
            model: ImageListModel(0..<40).passRetained(),
            factories: [factory.pointer]
        )
        defer { list.window.destroy() }
        await list.present()
        var (painted, empty): (Set<Int>, Set<Int>) = ([], [])
        let observer = try FrameObserver(list.view) {
            for (position, cell) in factory.boundCells where cell.isInSight {
                painted.insert(position)
                if cell.content.display.image == nil { empty.insert(position) }
            }
        }
        defer { observer.stop() }
        list.scroll(to: list.end)
        await MainLoop.run { painted.contains(39) }
        XCTAssertEqual(empty, [])
        XCTAssertEqual(loads.transport.startedCount, 40)
    }

    func testImageThatComesTooLateIsLoadedAsUsual() async throws {
        DiskWait.limit = .zero
        let url = try await onDisk(.blue)
        let place = try await TestPlace()
        defer { place.destroy() }
        let done = Completions()
        place.display.setImage(
            with: url,
            options: [.loadDiskFileSynchronously],
            pipeline: loads.pipeline,
            completion: done.handler
        )
        XCTAssertEqual(place.display.task?.state, .loading)
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
    }

    func testTimeIsSharedWithinAFrame() async {
        let wait = DiskWait()
        var rests: [Duration] = []
        for frame in [1, 1, 2] {
            let name = wait.wait(in: frame) { rest in
                rests.append(rest)
                // It takes some time, however little.
                return "\(rest)"
            }
            XCTAssertNotNil(name)
        }
        XCTAssertEqual([rests[0], rests[2]], [DiskWait.limit, DiskWait.limit])
        XCTAssertLessThan(rests[1], DiskWait.limit)
        DiskWait.limit = .nanoseconds(1)
        XCTAssertNotNil(wait.wait(in: 3) { "\($0)" })
        XCTAssertNil(wait.wait(in: 3) { "\($0)" })
    }

    /// Each window has time of its own; what has no frames shares one.
    func testTimeIsThatOfAWindow() async throws {
        let places = [try await TestPlace(), try await TestPlace()]
        defer { for place in places { place.destroy() } }
        func wait(of object: UnsafeMutableRawPointer) -> DiskWait { .of(WidgetState.of(object).visibility) }
        let waits = places.map { [wait(of: $0.display.object), wait(of: UnsafeMutableRawPointer($0.box))] }
        XCTAssertIdentical(waits[0][0], waits[0][1])
        XCTAssertIdentical(waits[1][0], waits[1][1])
        XCTAssertNotIdentical(waits[0][0], waits[1][0])
        let (first, second) = (ImagePaintable(), ImagePaintable())
        XCTAssertIdentical(wait(of: first.pointer), wait(of: second.pointer))
        XCTAssertNotIdentical(wait(of: first.pointer), waits[0][0])
    }

    func testTransitionOnlyFromNetwork() async throws {
        let options: [ImageOption] = [.transition(.fade(.seconds(600))), .transitionOnlyFromNetwork]
        let place = try await TestPlace()
        defer { place.destroy() }
        let done = Completions()
        let url = try await onDisk(.blue)
        place.display.setImage(with: url, options: options, pipeline: loads.pipeline, completion: done.handler)
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
        XCTAssertEqual(place.controller?.transitionIsRunning, false)
        place.display.setImage(with: try loads.url(.red), options: options, pipeline: loads.pipeline)
        await MainLoop.run { place.controller?.transitionIsRunning == true }
    }

    func testCachedImageIsShownAndThenTheNewerOne() async throws {
        for isInMemory in [true, false] {
            let url = try loads.url(.blue)
            try await loads.preload(url)
            if !isInMemory { loads.pipeline.cache.removeAllFromMemory() }
            loads.transport.setRoute(url, nil)
            let place = try await TestPlace()
            let done = Completions()
            place.display.setImage(
                with: url,
                options: [.revalidate, .previews([.url(url)])],
                pipeline: loads.pipeline,
                completion: done.handler
            )
            if isInMemory { XCTAssertEqual(place.display.content, .preview) }
            await MainLoop.run { place.display.content == .preview }
            XCTAssertEqual(done.count, 0)
            await place.waitForFrame()
            let cached = try await place.rendered()[50, 50]
            XCTAssertEqual(cached, .blue)
            await MainLoop.run { self.loads.transport.startedCount(url) == 2 }
            try loads.transport.transfers.last?.answer(.green)
            await done.wait()
            XCTAssertEqual(done.outcome, "success")
            await place.waitForFrame()
            let newer = try await place.rendered()[50, 50]
            XCTAssertEqual(newer, .green)
            place.destroy()
        }
    }

    /// As a declarative toolkit asks again at each change of state.
    func testCachedAnimationGoesOnWhileItIsAskedFor() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        let url = loads.url()
        let route = ScriptedTransport.Route(body: try TestColor.animation(milliseconds: 20))
        loads.transport.setRoute(url, route)
        try await loads.preload(url)
        loads.transport.setRoute(url, nil)
        var players: [AnimationPlayer?] = []
        for count in 2...3 {
            let done = Completions()
            place.display.setImage(
                with: url,
                options: [.revalidate, .previews([.url(url)])],
                pipeline: loads.pipeline,
                completion: done.handler
            )
            await MainLoop.run { self.loads.transport.startedCount(url) == count }
            await MainLoop.settle()
            XCTAssertEqual(place.display.content, count == 2 ? .preview : .image)
            XCTAssertEqual(place.display.image != nil, count == 3)
            players.append(place.display.player)
            loads.transport.transfers.last?.answer(route)
            await done.wait()
            XCTAssertEqual(done.outcome, "success")
            XCTAssertEqual(place.display.content, .image)
            players.append(place.display.player)
        }
        let player = try XCTUnwrap(players[0])
        XCTAssertTrue(players.allSatisfy { $0 === player })
    }

    /// It is the same image, which is to be drawn in another way.
    func testImageThatIsShownIsDrawnAnewInAnotherWay() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        let url = loads.url()
        loads.transport.setRoute(url, ScriptedTransport.Route(body: try TestColor.animation(milliseconds: 20)))
        var playback = AnimationPlayback()
        var players: [AnimationPlayer] = []
        for rate in [1.0, 2] {
            playback.rate = rate
            let done = Completions()
            place.display.setImage(
                with: url,
                options: [.playback(playback)],
                pipeline: loads.pipeline,
                completion: done.handler
            )
            await done.wait()
            players.append(try XCTUnwrap(place.display.player))
        }
        XCTAssertFalse(players[0] === players[1])
    }
}
