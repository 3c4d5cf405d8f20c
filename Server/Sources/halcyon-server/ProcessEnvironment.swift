import FoundationEssentials
import Glibc

/// The surroundings of the process.
enum ProcessEnvironment {
    /// The variables.
    static var variables: [String: String] { ProcessInfo.processInfo.environment }

    /// Prints a text at once, also where the output is no terminal.
    static func show(_ text: String) {
        print(text)
        fflush(nil)
    }

    /// Ends the program after a sentence.
    static func fail(_ message: String) -> Never {
        let bytes = Array((message + "\n").utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
        exit(78)
    }
}
