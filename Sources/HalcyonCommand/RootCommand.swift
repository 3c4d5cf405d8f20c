internal import ArgumentParser

/// The command `halcyon`.
@main
struct RootCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "halcyon",
        abstract: "Download, cache, decode, resize and convert images.",
        discussion: """
            Images are named by URL (http, https, file, data) or by path.

            Exit codes: 0 everything was done, 1 something failed, 64 the command line made no sense.
            """,
        version: "0.1.0",
        subcommands: [GetCommand.self, InfoCommand.self, ConvertCommand.self, CacheCommand.self]
    )
}
