internal import ArgumentParser
internal import Glibc

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
              halcyon cache stats
            """,
        version: "0.1.0",
        subcommands: [GetCommand.self, InfoCommand.self, ConvertCommand.self, CacheCommand.self]
    )

    static func main() async {
        MemoryAllocation.limit()
        // A reader that ends early (`| head -1`) is an error of `write`, not the end of the process in the middle of
        // work.
        signal(SIGPIPE, SIG_IGN)
        await main(nil)
        if Terminal.outputState == .failed { Glibc.exit(1) }
    }
}
