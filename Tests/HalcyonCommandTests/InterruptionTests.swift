import Glibc
import HalcyonTesting
import Testing

@Suite struct InterruptionTests {
    private let work: Workplace

    init() throws { work = try Workplace() }

    @Test(
        "Ctrl-C ends a load with 130 and leaves nothing behind",
        arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)]
    )
    func interruption(signal: Int32, exitCode: Int32) async throws {
        let isRequested = Gate()
        let server = try OriginServer { _ in
            .init(steps: [
                .bytes(Array("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\nabc".utf8)), .open(isRequested),
                // Not silence, which the command takes for an error after a while.
                .trickle([UInt8](repeating: 0, count: 4_000), every: .seconds(1)),
            ])
        }
        defer { server.stop() }
        let running = try work.start(["get", server.url("/a.png").absoluteString, "-o", "out/", "--json"])
        await isRequested.wait()
        running.process.send(signal: signal)
        let run = try await running.outcome
        #expect(run.exitCode == exitCode && !run.isOverdue)
        #expect(run.output == "")
        #expect(run.error.hasPrefix("Interrupted: 0 images"))
        #expect(Workplace.files(below: work.folder).isEmpty)
        #expect(try await work.run("cache", "verify").exitCode == 0)
    }

    @Test("the sizes of an image that are written when a run is interrupted are counted, and in its report")
    func interruptedSizes() async throws {
        let photo = try Images.encoded(.png)
        let (isAnswered, isRequested) = (Gate(), Gate())
        let server = try OriginServer { _ in
            defer { isAnswered.open() }
            let steps = OriginServer.Response(body: photo).steps
            return isAnswered.isOpen ? .init(steps: [.open(isRequested), .wait(Gate())] + steps) : .init(steps: steps)
        }
        defer { server.stop() }
        // With metadata each size is made of a transfer of its own.
        let command = [
            "get", server.url("/a.png").absoluteString, "-o", "out/", "--sizes", "20,10", "--keep-metadata", "all",
            "--no-cache", "--resume", "report", "--json",
        ]
        let running = try work.start(command)
        await isRequested.wait()
        running.process.send(signal: SIGINT)
        let run = try await running.outcome
        #expect(run.exitCode == 130 && run.error.hasPrefix("Interrupted: 1 image"), "\(run)")
        #expect(try run.results.map(\.output) == ["out/a-20.png"])
        #expect(Workplace.files(below: work.folder) == ["out/a-20.png", "report"])
        let report = String(decoding: try work.read("report"), as: UTF8.self)
        #expect(report.contains("\"output\":\"\(work.path("out/a-20.png"))\"") && report.contains(#""status":"done""#))
    }

    @Test("signals that it was started to ignore stay ignored", arguments: [SIGINT, SIGHUP])
    func ignoredSignal(signal: Int32) async throws {
        let photo = try Images.encoded(.png)
        let (isRequested, mayEnd) = (Gate(), Gate())
        let server = try OriginServer { _ in
            .init(steps: [.open(isRequested), .wait(mayEnd)] + OriginServer.Response(body: photo).steps)
        }
        defer { server.stop() }
        // As shells without job control start what runs in the background, and nohup what outlives the terminal.
        let running = try work.start(
            ["-c", "trap '' INT HUP; exec \"$0\" \"$@\"", Workplace.executable]
                + ["get", server.url("/a.png").absoluteString, "-o", "b.png"],
            executable: "/bin/sh"
        )
        await isRequested.wait()
        running.process.send(signal: signal)
        mayEnd.open()
        let run = try await running.outcome
        #expect(run.exitCode == 0 && !run.isOverdue, "\(run)")
        #expect(try work.read("b.png") == photo)
    }

    @Test(
        "signals end a run whose output or error output is full and read by nobody",
        arguments: [[SIGINT], [SIGTERM, SIGINT]],
        [true, false]
    )
    func unreadOutput(signals: [Int32], isErrorOutput: Bool) async throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (reading, writing) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { for end in ends { close(end) } }
        // A line that no pipe has room for (pipe(7)): once there is something to read, its writer waits.
        let arguments = ["get", String(repeating: "n", count: 100_000)] + (isErrorOutput ? [] : ["--json"])
        let running =
            isErrorOutput ? try work.start(arguments, error: writing) : try work.start(arguments, output: writing)
        try await onThread {
            var ready = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
            while poll(&ready, 1, -1) < 0, errno == EINTR {}
        }
        for signal in signals { running.process.send(signal: signal) }
        let run = try await running.outcome
        #expect(signals.contains((run.exitCode ?? 0) - 128) && !run.isOverdue, "\(run)")
    }

    @Test("a second signal in the middle of writing ends the command and leaves no temporary file")
    func secondSignal() async throws {
        // Long enough that it is still being written when its temporary file is seen.
        let photo = try Images.encoded(.png) + [UInt8](repeating: 7, count: 100 << 20)
        try work.write(photo, to: "a.png")
        try #require(mkdir(work.path("out"), 0o700) == 0)
        let watch = inotify_init1(Int32(IN_CLOEXEC))
        try #require(watch >= 0)
        defer { close(watch) }
        try #require(inotify_add_watch(watch, work.path("out"), UInt32(IN_CREATE)) >= 0)
        let running = try work.start(["get", "a.png", "--no-cache", "-o", "out/"])
        try await onThread {
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while read(watch, &buffer, buffer.count) < 0, errno == EINTR {}
            running.process.send(signal: SIGSTOP)
            // Of two equal signals, one would be lost.
            running.process.send(signal: SIGINT)
            running.process.send(signal: SIGTERM)
            running.process.send(signal: SIGCONT)
        }
        let run = try await running.outcome
        #expect([130, 143].contains(run.exitCode) && !run.isOverdue, "\(run)")
        let files = Workplace.files(below: work.path("out"))
        #expect(files.allSatisfy { !$0.hasPrefix(".halcyon-") }, "\(files)")
    }

    @Test("a terminal sees a bar while an image loads, and no bar afterwards", .enabled(if: PseudoTerminal.isAvailable))
    func progressBar() async throws {
        let photo = try Images.encoded(.png)
        let mayEnd = Gate()
        let server = try OriginServer { _ in .init(steps: [.wait(mayEnd)] + OriginServer.Response(body: photo).steps) }
        defer { server.stop() }
        let terminal = try PseudoTerminal(columns: 60)
        let running = try work.start(["get", server.url("/a.png").absoluteString], error: terminal.slave)
        let drawn = try await terminal.read(until: "0/1")
        #expect(drawn.contains("╌"))
        mayEnd.open()
        let run = try await running.outcome
        #expect(run.exitCode == 0)
        let rest = await terminal.readRest()
        #expect(rest.contains("\r\u{1B}[K1 image"), "the bar goes, and the summary stays")
        #expect(!run.output.contains("\u{1B}") && !run.output.contains("╌"))
        // No line reaches the edge of the terminal, where it would wrap and stay.
        let widths = (drawn + rest).split { $0 == "\r" || $0 == "\r\n" }.map {
            String($0).replacing("\u{1B}[K", with: "").count
        }
        #expect(widths.allSatisfy { $0 < 60 })
    }

    @Test("Ctrl-C takes the bar away", .enabled(if: PseudoTerminal.isAvailable))
    func interruptedBar() async throws {
        let server = try OriginServer { _ in .silence }
        defer { server.stop() }
        let terminal = try PseudoTerminal(columns: 20)
        let running = try work.start(["get", server.url("/a.png").absoluteString], error: terminal.slave)
        _ = try await terminal.read(until: "0/1")
        running.process.send(signal: SIGINT)
        #expect(try await running.outcome.exitCode == 130)
        #expect(await terminal.readRest().contains("\r\u{1B}[KInterrupted: 0 images"))
    }

    @Test("a reader that goes away ends the output, not the work, and no further round begins")
    func closedPipe() async throws {
        let photo = try Images.encoded(.png)
        try work.write(photo, to: "a.png")
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        close(ends[0])
        defer { close(ends[1]) }
        let running = try work.start(
            ["get", "a.png", "--json", "-o", "b.png", "--repeat", "1000000"],
            output: ends[1]
        )
        let run = try await running.outcome
        #expect(run.exitCode == 0 && run.error.isEmpty)
        #expect(try work.read("b.png") == photo)
    }
}
