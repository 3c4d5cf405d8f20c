import CGTK
import Foundation
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// Images of local files that memory has.
@MainActor
final class FileImageTests: XCTestCase {
    private let loads = ViewPipeline()
    private let path = NSTemporaryDirectory() + "halcyon-file-\(UUID().uuidString).png"

    override func tearDown() async throws {
        try? FileManager.default.removeItem(atPath: path)
    }

    private func write(_ color: TestColor) throws {
        try color.png().write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    private func show(in place: TestPlace, _ placeholder: DecodedImage? = nil) async -> String {
        let done = Completions()
        place.display.setImage(
            with: .file(path),
            placeholder: placeholder,
            pipeline: loads.pipeline,
            completion: done.handler
        )
        await done.wait()
        return done.outcome
    }

    func testImageIsShownBeforeTheFileIsExamined() async throws {
        try write(.blue)
        let place = try await TestPlace()
        defer { place.destroy() }
        var outcome = await show(in: place)
        XCTAssertEqual(outcome, "success")
        place.display.setImage(with: nil)
        let done = Completions()
        place.display.setImage(
            with: .file(path),
            placeholder: try TestColor.red.image(),
            options: [.indicator(.spinner)],
            pipeline: loads.pipeline,
            completion: done.handler
        )
        XCTAssertEqual(place.display.content, .image)
        XCTAssertNil(place.controller?.paintable?.indicator)
        let count = place.controller?.contentCount
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
        XCTAssertEqual(place.controller?.contentCount, count)
        // As when the cell of a list comes back into sight, in the frame in which it is laid out.
        place.setVisible(false)
        place.display.setImage(with: nil)
        place.setVisible(true)
        let again = Completions()
        place.display.setImage(with: .file(path), pipeline: loads.pipeline, completion: again.handler)
        await place.waitForFrame()
        let color = try await place.rendered()[50, 50]
        XCTAssertEqual(color, .blue)
        await again.wait()
        outcome = again.outcome
        XCTAssertEqual(outcome, "success")
    }

    /// The place has grown by the time that the file has been examined.
    func testImageIsLoadedAtTheSizeOfAPlaceThatGrewWhileTheFileWasExamined() async throws {
        let held = HeldLoads()
        let loads = ViewPipeline(interceptors: [held])
        try TestColor.blue.png(800, 800).write(to: URL(fileURLWithPath: path))
        let place = try await TestPlace()
        defer { place.destroy() }
        let first = Completions()
        place.display.setImage(with: .file(path), pipeline: loads.pipeline, completion: first.handler)
        held.gate.open()
        await first.wait()
        XCTAssertEqual(place.imageSize, PixelSize(100, 100))
        place.display.setImage(with: nil)
        held.gate = Gate()
        let second = Completions()
        place.display.setImage(with: .file(path), pipeline: loads.pipeline, completion: second.handler)
        XCTAssertEqual(place.display.content, .image)
        await place.resize(300, 300)
        await place.waitForFrame()
        XCTAssertEqual(second.count, 0)
        held.gate.open()
        await MainLoop.run { place.imageSize == PixelSize(300, 300) }
        XCTAssertEqual(second.outcome, "success")
    }

    func testImageOfAFileThatChangedIsReplaced() async throws {
        try write(.blue)
        let place = try await TestPlace()
        defer { place.destroy() }
        _ = await show(in: place)
        try write(.green)
        let outcome = await show(in: place)
        XCTAssertEqual(outcome, "success")
        await place.waitForFrame()
        let color = try await place.rendered()[50, 50]
        XCTAssertEqual(color, .green)
    }

    func testImageOfAFileThatIsGoneGivesWayToThePlaceholder() async throws {
        try write(.blue)
        let place = try await TestPlace()
        defer { place.destroy() }
        _ = await show(in: place)
        try FileManager.default.removeItem(atPath: path)
        let outcome = await show(in: place, try TestColor.red.image())
        XCTAssertEqual(outcome, "failure")
        XCTAssertEqual(place.display.content, .placeholder)
    }

    func testImageOfAFileThatIsGoneGivesWayToThePlaceholderWithoutMemory() async throws {
        try write(.blue)
        let place = try await TestPlace()
        defer { place.destroy() }
        _ = await show(in: place)
        loads.pipeline.cache.removeAllFromMemory()
        try FileManager.default.removeItem(atPath: path)
        let outcome = await show(in: place, try TestColor.red.image())
        XCTAssertEqual(outcome, "failure")
        XCTAssertEqual(place.display.content, .placeholder)
    }

    func testFileThatComesLaterIsShown() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        var outcome = await show(in: place)
        XCTAssertEqual(outcome, "failure")
        try write(.green)
        outcome = await show(in: place)
        XCTAssertEqual(outcome, "success")
        XCTAssertEqual(place.display.content, .image)
    }

    func testAnimationOfAFileThatIsShownGoesOn() async throws {
        try TestColor.animation(milliseconds: 20).write(to: URL(fileURLWithPath: path))
        let place = try await TestPlace()
        defer { place.destroy() }
        _ = await show(in: place)
        let player = try XCTUnwrap(place.display.player)
        let outcome = await show(in: place)
        XCTAssertEqual(outcome, "success")
        XCTAssertTrue(place.display.player === player)
    }

    func testAnimationOfAFileGoesOnOnceItIsExamined() async throws {
        try TestColor.animation(milliseconds: 20).write(to: URL(fileURLWithPath: path))
        let place = try await TestPlace()
        defer { place.destroy() }
        _ = await show(in: place)
        place.display.setImage(with: nil)
        let done = Completions()
        place.display.setImage(with: .file(path), pipeline: loads.pipeline, completion: done.handler)
        let player = try XCTUnwrap(place.display.player)
        await done.wait()
        XCTAssertTrue(place.display.player === player)
    }
}

/// Holds loads until a gate is open.
///
/// Unchecked: the lock protects the gate.
private final class HeldLoads: LoadIntercepting, @unchecked Sendable {
    private let lock = NSLock()
    private var present = Gate()

    var gate: Gate {
        get { lock.withLock { present } }
        set { lock.withLock { present = newValue } }
    }

    func result(of load: InterceptedLoad) async throws -> LoadResult {
        await gate.wait()
        return try await load.proceed()
    }

    static func == (left: HeldLoads, right: HeldLoads) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
