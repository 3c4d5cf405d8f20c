import CGTK
import Foundation
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// 10,000 cells that are flung, jumped through and reversed at random, over an origin that takes 2 to 150 ms for each
/// image. `HALCYON_FLING_SECONDS` is the time of each test, by default 8.
@MainActor
final class FlingTests: XCTestCase {
    func testFlungCellsAreNeverWrong() async throws {
        let result = try await Fling(.halcyon(nil)).run()
        result.printLine("without fades")
        result.assertAllRight()
    }

    func testFlungCellsWithFadesAreNeverWrong() async throws {
        let result = try await Fling(.halcyon(.fade(0.15))).run()
        result.printLine("with fades")
        result.assertAllRight()
    }

    /// The same with cells that show whatever arrives, without which nothing would be known of the tests above.
    func testNaiveCellsAreWrong() async throws {
        let result = try await Fling(.naive).run { $0.wrongStates > 0 && $0.wrongPixels > 0 }
        result.printLine("naive")
        XCTAssertGreaterThan(result.wrongStates, 0)
        XCTAssertGreaterThan(result.wrongPixels, 0)
    }

    /// The frame times of the same grid whose images are all there, to compare with.
    func testReadyTextures() async throws {
        let result = try await Fling(.ready).run()
        result.printLine("ready textures")
        result.assertAllRight()
    }
}

/// What was found in a fling.
struct FlingResult {
    var seed: UInt64 = 0
    var states = 0
    var wrongStates = 0
    var pixels = 0
    var wrongPixels = 0
    var loads = 0
    var unsettled = 0
    var cells = 0
    var frameTimes: [Double] = []

    func printLine(_ name: String) {
        let times = frameTimes.sorted()
        func time(_ part: Double) -> String {
            guard !times.isEmpty else { return "–" }
            return String(format: "%.1f ms", times[min(times.count - 1, Int(part * Double(times.count)))] * 1_000)
        }
        print(
            """
            fling \(name), seed \(seed): \(wrongStates) of \(states) states wrong, \(wrongPixels) of \(pixels) pixels \
            wrong, \(loads) loads, \(cells) cells; \(times.count) frames, median \(time(0.5)), p99 \(time(0.99))
            """
        )
    }

    func assertAllRight(file: StaticString = #filePath, line: UInt = #line) {
        XCTAssertEqual(wrongStates, 0, "seed \(seed)", file: file, line: line)
        XCTAssertEqual(wrongPixels, 0, "seed \(seed)", file: file, line: line)
        XCTAssertEqual(unsettled, 0, "seed \(seed)", file: file, line: line)
        XCTAssertGreaterThan(states, 0, file: file, line: line)
        XCTAssertGreaterThan(pixels, 0, file: file, line: line)
    }
}
