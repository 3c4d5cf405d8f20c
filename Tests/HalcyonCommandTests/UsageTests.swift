import HalcyonTesting
import Testing

@Suite struct UsageTests {
    private let work: Workplace

    init() throws { work = try Workplace() }

    @Test(
        "a command line that makes no sense ends with 64 and says so",
        arguments: [
            ["get"], ["get", "a", "--resize", "0x5"], ["get", "a", "--resize", "x"],
            ["get", "a", "--resize", "99999999999999999999x1"], ["get", "a", "--format", "bmpx"],
            ["get", "a", "--refresh", "--cache-only"], ["get", "a", "--no-cache", "--cache-only"],
            ["get", "a", "--concurrency", "0"], ["get", "a", "--repeat", "0"], ["get", "a", "--quality", "101"],
            ["get", "a", "--mode", "bend"], ["get", "a", "--sheet", "sheet"], ["get", "a", "--unknown"], ["nonsense"],
            ["info"], ["convert", "a"], ["convert", "a", "b"], ["convert", "a", "b.xyz"],
            ["convert", "a", "b.png", "--frame", "-1"], ["cache", "remove"], ["cache", "trim", "--to", "many"],
            ["cache", "list", "--limit", "-1"], ["get", "a", "-o", "file:///tmp/a.png"], ["get", "a", "--from", "b"],
            ["get", "a", "--process", "blurr 8"], ["get", "a", "--process", "blur -1"],
            ["get", "a", "--process", "border -3 red"], ["get", "a", "--process", "opacity 2"],
            ["get", "a", "--process", "blur"], ["get", "a", "--retries", "-1"], ["get", "a", "--rate", "10/y"],
            ["get", "a", "--rate", "0.0000000001/h"], ["get", "a", "--report", "./a"],
            ["get", "--from", "a", "--resume", "a"], ["get", "--resume", "a", "--sheet", "b.png"],
            ["get", "-", "/dev/stdin"], ["convert", "/dev/fd/0", "/dev/stdin", "b/", "--format", "png"],
            ["get", "a", "-o", "b.png", "--report", "b.png"], ["get", "a", "--sheet", "b.png", "--report", "b.png"],
            ["get", "a", "--proxy", "http://a b:1"], ["get", "a", "--proxy", "a:99999"], ["get", "a", "--header", "x"],
            ["get", "a", "--report", "b", "--resume", "c"],
            ["get", "a", "--report", "-"], ["get", "a", "--resume", "-"], ["info", "-highres.png"],
            ["convert", "a.png", "-hi.jpg"], ["get", "a", "-ho", "b.png"],
            ["get", "a", "--sizes", "5,x"], ["get", "a", "--effort", "0"], ["convert", "a", "b.png", "--effort", "10"],
            ["convert", "a", "b", "c"], ["prefetch", "a"], ["prefetch", "--queue", "http://a"],
            ["prefetch", "--queue", "redis://a", "b", "--from", "c"],
            ["prefetch", "--queue", "redis://a", "--shared", "redis://b"],
            ["prefetch", "--queue", "redis://a", "--add-only", "--stay"],
            ["convert", "a", "file:///tmp/%FF.png"], ["cache", "stats", "--cache-dir", "file:///tmp/%FF"],
        ]
    )
    func usage(arguments: [String]) async throws {
        let run = try await work.start(arguments).outcome
        #expect(run.exitCode == 64)
        #expect(run.output.isEmpty)
        #expect(run.error.contains("Error: "))
        #expect(Workplace.files(below: work.folder).isEmpty && Workplace.files(below: work.cacheHome).isEmpty)
    }

    @Test(
        "help is on the standard output, with 0",
        arguments: [
            [], ["--help"], ["help", "get"], ["get", "--help"], ["info", "--help"], ["convert", "-h"],
            ["cache", "--help"],
            ["cache", "trim", "--help"],
        ]
    )
    func help(arguments: [String]) async throws {
        let run = try await work.start(arguments).outcome
        #expect(run.exitCode == 0)
        #expect(run.output.contains("USAGE: halcyon") && run.error.isEmpty)
    }

    @Test("--version is a number")
    func version() async throws {
        let run = try await work.run("--version")
        #expect(run.exitCode == 0)
        #expect(run.output.split(separator: ".").count == 3)
    }
}
