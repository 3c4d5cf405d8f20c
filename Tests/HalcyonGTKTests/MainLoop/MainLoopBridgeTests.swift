import Foundation
import XCTest

@testable import HalcyonGTK

/// The main actor in a main loop of GLib, in a program of its own: that of the tests is run by XCTest.
final class MainLoopBridgeTests: XCTestCase {
    func testTasksBlocksAndSleepRunInInstalledLoop() throws {
        let lines = try Self.run("work")
        XCTAssertEqual(lines.first, "installed")
        XCTAssertEqual(lines.last, "end")
        XCTAssertEqual(
            lines.dropFirst().dropLast().sorted(),
            [
                "block", "block from before", "block that waited", "callback", "task after sleep",
                "task from elsewhere",
                "task in inner loop", "task on main thread", "task that waited",
            ]
        )
    }

    func testIdleLoopDoesNotPoll() throws {
        let lines = try Self.run("idle")
        let figures = lines.compactMap { $0.split(separator: " ").first.flatMap { Double($0) } }
        guard figures.count == 2 else { return XCTFail("\(lines)") }
        // Of 300 ms: a loop that polls turns at least once a millisecond.
        XCTAssertLessThan(figures[0], 10)
        XCTAssertLessThan(figures[1], 100)
    }

    func testInstallingTwiceIsInstallingOnceAndUninstallingStopsIt() throws {
        XCTAssertEqual(
            try Self.run("uninstall"),
            ["installed true", "installed false, ran false", "installed true, ran true"]
        )
    }

    func testMainActorThatNothingRunsIsWarnedOfOnce() throws {
        let warning = "the main actor does not run in this main loop; call MainLoopBridge.install() before it"
        XCTAssertEqual(try Self.run("unserved"), [warning, "1 warnings"])
    }

    func testMainActorThatRunsIsNotWarnedOf() throws {
        XCTAssertEqual(try Self.run("served"), ["0 warnings"])
    }

    func testMainActorThatIsPolledIsWarnedOf() throws {
        let lines = try Self.run("polled")
        XCTAssertEqual(lines.last, "1 warnings")
        XCTAssertEqual(lines.first?.contains("ms late in this main loop; MainLoopBridge.install()"), true, "\(lines)")
    }

    func testBridgeServesMainActorThatIsPolledAsWell() throws {
        XCTAssertEqual(try Self.run("polled-and-served"), ["0 warnings"])
    }

    func testDelayInTheMiddleDecides() {
        let late = Duration.milliseconds(25)
        XCTAssertNil(MainLoopCheck.advice(hasRun: true, delays: []))
        XCTAssertNil(MainLoopCheck.advice(hasRun: true, delays: [.zero, late, .zero]))
        XCTAssertEqual(MainLoopCheck.advice(hasRun: true, delays: [.zero, late, late])?.contains("25 ms"), true)
    }

    func testBridgeIsRefusedWhereMainActorHasLeftFirstThread() throws {
        XCTAssertEqual(try Self.run("other-thread"), [MainLoopError.notOnMainThread.description])
    }

    /// Runs a trial of the program `MainLoopTrial`, which lies beside that of the tests, and returns what it prints.
    private static func run(_ trial: String) throws -> [String] {
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let process = Process()
        process.executableURL = own.deletingLastPathComponent().appendingPathComponent("MainLoopTrial")
        process.arguments = [trial]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        XCTAssertEqual(process.terminationStatus, 0, trial)
        if text == "no display\n" { throw XCTSkip("no display can be opened") }
        return text.split(separator: "\n").map(String.init)
    }
}
