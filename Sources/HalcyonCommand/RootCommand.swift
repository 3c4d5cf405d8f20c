internal import ArgumentParser
internal import Glibc
internal import Halcyon
internal import HalcyonFormats
internal import HalcyonSystem

/// The command `halcyon`.
@main
struct RootCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "halcyon",
        abstract: "Download, cache, decode, resize and convert images.",
        discussion: """
            Images are named by URL (http, https, file, data) or by path.

            Exit codes: 0 everything was done, 1 something failed, 64 the command line is not valid, \
            130 interrupted with Ctrl-C.

            Examples:
              halcyon get https://example.org/a.jpg --resize 400x400 -o thumbnail.jpg
              halcyon info photo.jpg
              halcyon convert photo.png photo.webp
              halcyon show photo.jpg
              halcyon cache
              halcyon doctor
            """,
        version: "0.1.0",
        subcommands: [
            GetCommand.self, PrefetchCommand.self, InfoCommand.self, ConvertCommand.self, ShowCommand.self,
            CacheCommand.self,
            DoctorCommand.self,
        ]
    )

    static func main() async {
        StandardDescriptors.open()
        MemoryAllocation.limit()
        OpenFileLimit.raise()
        ImageCodecs.register(.all)
        HalcyonWorker.runIfAsked()
        // A reader that ends early (`| head -1`) is an error of `write`, not the end of the process in the middle of
        // work.
        signal(SIGPIPE, SIG_IGN)
        do {
            let arguments = FilePath.arguments
            try refuseClusters(arguments)
            var command = try parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            end(with: error)
        }
        if Terminal.outputState == .failed { Glibc.exit(1) }
    }

    /// Refuses a file whose name looks like several options of a letter, of which one may be there: `-highres.png` would ask
    /// for help.
    private static func refuseClusters(_ arguments: [String]) throws {
        for argument in arguments.prefix(while: { $0 != "--" }) {
            let letters = argument.utf8.dropFirst()
            guard argument.utf8.first == UInt8(ascii: "-"), letters.count > 1, letters.first != UInt8(ascii: "-"),
                letters.dropFirst().first != UInt8(ascii: "=")
            else { continue }
            throw ValidationError(
                "“\(argument)” looks like options; for a file write “./\(argument)”, or “--” before it."
            )
        }
    }

    private static func end(with error: any Error) -> Never {
        let code = exitCode(for: error)
        guard code != .success else { exit(withError: error) }
        // It repeats what was typed, and a file's name may be chosen so that a terminal obeys it.
        let message = fullMessage(for: error)
        if !message.isEmpty { Terminal.note(message) }
        Glibc.exit(code.rawValue)
    }
}
