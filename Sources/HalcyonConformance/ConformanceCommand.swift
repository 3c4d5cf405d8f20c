internal import ArgumentParser
internal import HalcyonFormats
internal import HalcyonIsolation

/// The command `HalcyonConformance`: what the standards want of the library, checked with the public test collections.
@main
struct ConformanceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "HalcyonConformance",
        abstract: "Run Halcyon against public conformance tests.",
        discussion: """
            Prints a line for each test (PASS, FAIL or SKIP, its id, the reason) and the totals.

            Exit codes: 0 conforms, 1 does not, 64 the command line made no sense, 66 the tests are not there.
            """,
        subcommands: [HTTPCommand.self, ImagesCommand.self, ImageCheckCommand.self, MalformedCommand.self]
    )

    static func main() async {
        ImageCodecs.register(.all)
        HalcyonWorker.runIfAsked()
        await main(nil)
    }
}
