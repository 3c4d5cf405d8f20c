import FoundationEssentials
import Glibc

// Draws the sample photographs of the demonstration, and serves them on the loopback interface.

let usage = """
    usage: HalcyonSamples draw DIRECTORY
           HalcyonSamples serve DIRECTORY [--port-file FILE]
    """

/// Ends the program with a message on standard error.
func fail(_ message: String, code: Int32 = EXIT_FAILURE) -> Never {
    let line = Array((message + "\n").utf8)
    _ = write(STDERR_FILENO, line, line.count)
    exit(code)
}

let arguments = Array(CommandLine.arguments.dropFirst())
do {
    switch (arguments.first, arguments.count) {
    case ("draw", 2):
        try await Gallery.draw(into: URL(fileURLWithPath: arguments[1], isDirectory: true))
    case ("serve", 2):
        try Gallery.serve(URL(fileURLWithPath: arguments[1], isDirectory: true), portFile: nil)
    case ("serve", 4) where arguments[2] == "--port-file":
        try Gallery.serve(
            URL(fileURLWithPath: arguments[1], isDirectory: true),
            portFile: URL(fileURLWithPath: arguments[3])
        )
    default:
        fail(usage, code: EX_USAGE)
    }
} catch {
    fail("HalcyonSamples: \(error)")
}
