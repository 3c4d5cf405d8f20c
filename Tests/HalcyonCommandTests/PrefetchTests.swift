import Glibc
import HalcyonFleet
import HalcyonTesting
import Testing

/// The engine that is installed.
private let engine: String? = ["/usr/bin/redis-server", "/usr/bin/valkey-server"].first { access($0, X_OK) == 0 }

@Suite(
    "halcyon prefetch",
    .enabled(
        if: engine != nil,
        "neither redis-server nor valkey-server is installed (Scripts/bootstrap test)"
    )
)
struct PrefetchTests {
    private let work: Workplace

    init() throws { work = try Workplace() }

    /// Starts an engine, and calls a function with its URL.
    private func withEngine(_ options: [String] = [], _ body: (String) async throws -> Void) async throws {
        let program = try #require(engine)
        let folder = work.root
        for _ in 0..<20 {
            let port = Int.random(in: 20_000..<30_000)
            let process = try work.start(
                ["--port", "\(port)", "--bind", "127.0.0.1", "--save", "", "--dir", folder] + options,
                executable: program
            ).process
            let url = "redis://127.0.0.1:\(port)"
            let probe = try FleetEngine(url)
            var isReady = false
            // Another process may have the port.
            for _ in 0..<200 where !isReady && kill(process.id, 0) == 0 {
                isReady = (try? await probe.ping()) != nil
                if !isReady { usleep(20_000) }
            }
            guard isReady else { continue }
            defer { kill(process.id, SIGKILL) }
            return try await body(url)
        }
        Issue.record("no engine could be started")
    }

    @Test("loads a list on two machines, each image once, and goes on where it was")
    func list() async throws {
        let photo = try Images.encoded(.jpeg)
        let server = try OriginServer { $0.path.hasPrefix("/missing") ? .init(404) : .init(body: photo) }
        defer { server.stop() }
        let lines = (0..<40).map { server.url("/\($0).jpg").absoluteString } + [server.url("/missing").absoluteString]
        try work.write(Array((lines.joined(separator: "\n") + "\n").utf8), to: "urls.txt")
        try await withEngine { url in
            let added = try await work.run("prefetch", "--queue", url, "--from", "urls.txt", "--add-only")
            #expect(added.exitCode == 0 && added.error.isEmpty, "\(added.error)")
            #expect(added.output.contains("0 done, 41 to do"))
            let machines = try (0..<2).map { number in
                try work.start(
                    ["prefetch", "--json"],
                    settings: ["HALCYON_QUEUE": url],
                    cacheHome: "\(work.root)/\(number)"
                )
            }
            var codes: [Int32?] = []
            for machine in machines {
                let run = try await machine.outcome
                codes.append(run.exitCode)
                // The one that gave it up says which.
                let isTold = run.exitCode == 1 && run.error.contains("/missing: given up: ")
                #expect(run.error.isEmpty || isTold, "\(run.error)")
                let last = try #require(run.lines.last)
                #expect(last.contains(#""done":40"#) && last.contains(#""failed":1"#) && last.contains(#""waiting":0"#))
                // Without a shared tier, results are on the disk of their machine.
                #expect(last.contains(#""local":40"#))
            }
            // One of them has given the missing one up; to the other it may have been given up before.
            #expect(codes.contains(1) && codes.allSatisfy { $0 == 0 || $0 == 1 })
            #expect((0..<40).allSatisfy { server.requestCount("/\($0).jpg") == 1 })
            // Once more: what is done is not done again.
            let again = try await work.run("prefetch", "--queue", url, lines[0])
            #expect(again.exitCode == 0 && server.requestCount("/0.jpg") == 1)
        }
    }

    @Test("with a shared tier, leaves the cache of the other commands alone")
    func sharedCache() async throws {
        let photo = try Images.encoded(.jpeg)
        let server = try OriginServer { _ in .init(headers: [.cacheControl: "max-age=1000"], body: photo) }
        defer { server.stop() }
        #expect(try await work.run("get", server.url("/a.jpg").absoluteString).exitCode == 0)
        try await withEngine { url in
            let run = try await work.start(
                ["prefetch", "--queue", url, "--shared", url, server.url("/b.jpg").absoluteString],
                settings: ["HALCYON_FLEET_SECRET": "a secret of the tests"]
            ).outcome
            #expect(run.exitCode == 0, "\(run.error)")
        }
        let again = try await work.run("get", server.url("/a.jpg").absoluteString, "--json", "--cache-only")
        #expect(try again.exitCode == 0 && again.results.map(\.source) == ["disk"], "\(again)")
        #expect(access(work.cacheHome + "/halcyon/shared", F_OK) == 0)
    }

    @Test("ends with the error of an engine that takes no images, also while it waits for more")
    func adding() async throws {
        try await withEngine(["--user", "default", "on", "nopass", "~*", "&*", "+@all", "-xadd"]) { url in
            let run = try await work.run("prefetch", "--queue", url, "--stay", "https://images.example/a")
            #expect(run.exitCode == 1 && run.error.contains("refused"), "\(run.error)")
        }
    }

    @Test("refuses an engine that evicts, and one that is not there, in words")
    func refusal() async throws {
        try await withEngine(["--maxmemory-policy", "allkeys-lru"]) { url in
            let run = try await work.run("prefetch", "--queue", url, "https://images.example/a")
            #expect(run.exitCode == 1 && run.error.contains("allkeys-lru") && run.error.contains("noeviction"))
        }
        let run = try await work.run("prefetch", "--queue", "redis://u:hidden@127.0.0.1:1", "https://images.example/a")
        #expect(run.exitCode == 1 && run.error.contains("127.0.0.1:1") && !run.error.contains("hidden"))
    }
}
