import CGTK
import Foundation
import XCTest

/// The program, in a process of its own.
enum GalleryProcess {
    /// Runs it to its end.
    ///
    /// Skips the test where there is no display, or the program was not built beside the tests.
    @MainActor
    static func run(_ arguments: [String], environment: [String: String] = [:]) async throws {
        guard gtk_init_check() != 0 else { throw XCTSkip("no display can be opened") }
        let process = Process()
        process.executableURL = try URL(fileURLWithPath: path())
        process.arguments = arguments
        var variables = ProcessInfo.processInfo.environment
        variables.merge(environment) { $1 }
        process.environment = variables
        try process.run()
        await MainLoop.run(within: .seconds(60)) { !process.isRunning }
        XCTAssertEqual(process.terminationStatus, 0)
    }

    private static func path() throws -> String {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let folder = URL(fileURLWithPath: tests).deletingLastPathComponent().path
        let paths = [folder + "/HalcyonGallery", folder + "/../HalcyonGallery"]
        guard let path = paths.first(where: FileManager.default.isExecutableFile) else {
            throw XCTSkip("halcyon-gallery was not built beside the tests")
        }
        return path
    }
}
