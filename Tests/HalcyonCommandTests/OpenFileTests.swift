import FoundationEssentials
import HalcyonTesting
import Testing

/// Limits of the files that a process may have open.
@Suite struct OpenFileTests {
    private let work: Workplace
    private let server: OriginServer

    init() throws {
        work = try Workplace()
        server = try OriginServer.withImages()
    }

    /// Runs the program with a limit, and with the standard files alone and those that are named open.
    ///
    /// Tests beside this one open files, too, which a program that is started at that moment may get.
    private func run(
        _ limit: String,
        opened: String = "",
        _ arguments: [String]
    ) async throws -> Workplace.Outcome {
        let shell = """
            for file in /proc/self/fd/*; do n=${file##*/}; if (( n > 2 )); then eval "exec $n>&-"; fi; done
            exec\(opened)
            ulimit \(limit) && exec "$0" "$@"
            """
        return try await work.start(["-c", shell, Workplace.executable] + arguments, executable: "/bin/bash").outcome
    }

    @Test("a run that is to load more at a time than files may be open loads fewer, says so, and loses none")
    func fewFiles() async throws {
        defer { server.stop() }
        let urls = (0..<400).map { server.url("/\($0).png").absoluteString + "\n" }
        try work.write(Array(urls.joined().utf8), to: "list")
        let command = ["get", "--from", "list", "-o", "out/", "--concurrency", "300"]
        // Both limits, and the first of them alone, which a process may raise.
        for (limit, isWarned) in [("-n 128", true), ("-Sn 64", false)] {
            let run = try await run(limit, command + ["--overwrite"])
            #expect(run.exitCode == 0 && run.signal == nil, "\(limit): \(run.error)")
            #expect(run.error.contains(" images at a time instead of 300: no more files may be open") == isWarned)
            #expect(Workplace.files(below: work.path("out")).count == 400)
        }
    }

    @Test("a run that has no room for its own files ends at once, and says what is needed")
    func tooFewFiles() async throws {
        defer { server.stop() }
        let urls = (0..<5).map { server.url("/\($0).png").absoluteString }
        for limit in [9, 15, 27] {
            let run = try await run("-n \(limit)", ["get", "-o", "out/"] + urls)
            #expect(run.exitCode == 1 && run.signal == nil)
            #expect(run.error.hasPrefix("Error: only \(limit) files may be open, and "))
            #expect(run.error.hasSuffix(" are needed; raise that with `ulimit -n`\n"))
        }
        #expect(server.requests.isEmpty)
        // What the program's parent has left open takes numbers, low ones and others.
        for descriptors in [[], [3, 4, 5, 6], [4, 20, 29]] {
            let opened = descriptors.map { " \($0)</dev/null" }.joined()
            let few = try await self.run("-n 16", opened: opened, ["get", "-o", "out/"] + urls)
            let needed = try #require(few.error.split(separator: " ").compactMap { Int($0) }.last)
            let command = ["get", "--resize", "20", "-o", "out/", "--overwrite"] + urls
            let run = try await run("-n \(needed)", opened: opened, command)
            #expect(run.exitCode == 0, "\(run.error)")
            #expect(Workplace.files(below: work.path("out")).count == 5)
        }
    }

    @Test("convert has the same limit")
    func converted() async throws {
        server.stop()
        for name in ["a.png", "b.png"] { try work.write(try Images.encoded(.png), to: name) }
        let run = try await run("-n 80", ["convert", "a.png", "b.png", "out/", "--format", "webp"])
        #expect(run.exitCode == 0 && run.error.contains(" images at a time instead of 8"), "\(run.error)")
        #expect(Workplace.files(below: work.path("out")) == ["a.webp", "b.webp"])
    }

    @Test("a program that is started without standard descriptors writes its messages into no file of its own")
    func closedDescriptors() async throws {
        defer { server.stop() }
        let list = "\(server.url("/1.png"))\n/none.png\n"
        try work.write(Array(list.utf8), to: "list")
        let shell = "exec \"$0\" get --from list --report report -o out/ 0<&- 1>&- 2>&-"
        let run = try await work.start(["-c", shell, Workplace.executable], executable: "/bin/sh").outcome
        #expect(run.exitCode == 1)
        let lines = try String(decoding: work.read("report"), as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 2 && lines.allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") }, "\(lines)")
        #expect(Workplace.files(below: work.path("out")) == ["1.png"])
    }

    @Test("results that go to a closed standard output are an error")
    func closedOutput() async throws {
        defer { server.stop() }
        for option in ["-o -", "--json"] {
            let shell = "exec \"$0\" get \(server.url("/1.png")) \(option) 1>&-"
            let run = try await work.start(["-c", shell, Workplace.executable], executable: "/bin/sh").outcome
            #expect(run.exitCode == 1, "\(option)")
            #expect(run.error.contains("Bad file descriptor"), "\(run.error)")
        }
    }
}
