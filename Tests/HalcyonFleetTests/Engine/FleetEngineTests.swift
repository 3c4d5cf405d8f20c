import FoundationEssentials
import Glibc
import HalcyonSystem
import Testing

@testable import HalcyonFleet

@Suite("An engine", .enabled(if: TestEngine.isInstalled, TestEngine.installationHint))
struct FleetEngineTests {
    private func get(_ key: String) -> [EngineCommand] { [EngineCommand("GET", key)] }

    /// The first connection has to find place in the deadline; a busy machine needs more than the default.
    private func engine(
        _ url: String,
        deadline: Duration = .seconds(5),
        _ change: (inout FleetEngine.Configuration) -> Void = { _ in }
    )
        throws -> FleetEngine
    {
        var configuration = try FleetEngine.Configuration(url)
        configuration.deadline = deadline
        change(&configuration)
        return FleetEngine(configuration)
    }

    @Test("answers commands in their order, also large and empty ones")
    func commands() async throws {
        let server = try await TestEngine()
        let engine = try engine(server.url)
        let body = Data((0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let set = EngineCommand(["SET".utf8, "a".utf8].map { Data($0) } + [body])
        let replies = try await engine.perform(
            [
                set, EngineCommand("GET", "a"), EngineCommand("SET", "b", ""), EngineCommand("GET", "b"),
                EngineCommand("GET", "c"),
            ],
            key: "a",
            limits: .init(byteCount: 1 << 20)
        )
        #expect(replies == [.status("OK"), .bytes(body), .status("OK"), .bytes(Data()), .null])
    }

    @Test("refuses what is larger than the call accepts, however often, and answers the next call")
    func limits() async throws {
        let server = try await TestEngine()
        let engine = try engine(server.url)
        try server.send("SET", "a", String(repeating: "x", count: 100_000))
        try server.send("RPUSH", "l", "1", "2", "3", "4", "5")
        for _ in 0..<8 {
            await #expect(throws: FleetError.replyTooLarge) {
                try await engine.perform(get("a"), key: "a", limits: .init(byteCount: 50_000))
            }
        }
        await #expect(throws: FleetError.replyTooLarge) {
            try await engine.perform(
                [EngineCommand("LRANGE", "l", "0", "-1")],
                key: "l",
                limits: .init(byteCount: 100, elementCount: 4)
            )
        }
        #expect(try await engine.perform(get("b"), key: "b") == [.null])
    }

    @Test("signs in as an ACL user, who may do no more than that user")
    func users() async throws {
        let server = try await TestEngine()
        try server.send("ACL", "SETUSER", "halcyon", "on", ">pa:ss", "~hc1:*", "+get", "+set", "+ping")
        let engine = try engine("redis://halcyon:pa%3Ass@127.0.0.1:\(server.port)")
        #expect(try await engine.perform(get("hc1:a"), key: nil) == [.null])
        let refused = try await engine.perform(get("other"), key: nil)
        guard case .error(let text) = refused[0] else {
            Issue.record("\(refused)")
            return
        }
        #expect(text.hasPrefix("NOPERM"))
        let stranger = try self.engine("redis://halcyon:wrong@127.0.0.1:\(server.port)")
        await #expect(throws: FleetError.self) { try await stranger.ping() }
    }

    @Test("selects its database")
    func database() async throws {
        let server = try await TestEngine()
        let engine = try engine(server.url + "/3")
        _ = try await engine.perform([EngineCommand("SET", "a", "1")], key: "a")
        #expect(try server.info("keyspace").contains("db3:keys=1"))
    }

    @Test("that is not there fails at once, and after five failures without being asked")
    func breaker() async throws {
        let engine = try engine("redis://127.0.0.1:\(TestEngine.freePort())")
        for _ in 0..<EngineBreaker.threshold {
            let error = await #expect(throws: FleetError.self) { try await engine.perform(get("a"), key: "a") }
            guard case .unreachable = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
        // On a busy machine the next second may have begun, with its trial call.
        let isOpen = await eventually {
            do {
                _ = try await engine.perform(get("a"), key: "a")
                return false
            } catch {
                return error as? FleetError == .circuitOpen("127.0.0.1:\(engine.configuration.seeds[0].port)")
            }
        }
        #expect(isOpen)
    }

    @Test("that is started again is found by the trial call of the next second")
    func recovery() async throws {
        let server = try await TestEngine()
        let engine = try engine(server.url)
        try await engine.ping()
        server.kill()
        for _ in 0..<EngineBreaker.threshold + 1 { _ = try? await engine.ping() }
        #expect(try engine.topology.node(at: server.address).isStopped)
        try await server.start()
        #expect(await eventually { (try? await engine.ping()) != nil })
        #expect(try !engine.topology.node(at: server.address).isStopped)
    }

    @Test("that hangs costs a call its deadline and no more, and then nothing")
    func hanging() async throws {
        let server = try await TestEngine()
        let engine = try engine(server.url, deadline: .milliseconds(50))
        try await engine.ping()
        server.stop()
        defer { server.resume() }
        var open = 0
        let start = ContinuousClock.now
        for _ in 0..<200 {
            do {
                _ = try await engine.perform(get("a"), key: "a")
                Issue.record("a stopped engine answered")
            } catch FleetError.circuitOpen {
                open += 1
            } catch {
                #expect(error as? FleetError == .deadlineExceeded)
            }
        }
        // 200 calls would wait 10 s without the breaker: all but five, and one a second, do not wait.
        #expect(open >= 190 - Int((ContinuousClock.now - start) / .seconds(1)))
        server.resume()
        #expect(await eventually { (try? await engine.ping()) != nil })
    }

    @Test("whose connections were closed while they were idle is asked over new ones, without an error")
    func idleConnections() async throws {
        let server = try await TestEngine()
        let engine = try engine(server.url)
        for _ in 0..<3 {
            _ = try await engine.perform(get("a"), key: "a")
            try server.send("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        }
        #expect(try await engine.perform(get("a"), key: "a") == [.null])
    }

    @Test("has no more connections than it is allowed, whatever the number of calls")
    func pool() async throws {
        let server = try await TestEngine()
        let engine = try engine(server.url) { $0.connectionCount = 4 }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<400 {
                group.addTask {
                    let key = "k\(number)"
                    let replies = try await engine.perform(
                        [EngineCommand("SET", key, key), EngineCommand("GET", key)],
                        key: key
                    )
                    #expect(replies[1].text == key)
                }
            }
            try await group.waitForAll()
        }
        // One is that of the question.
        #expect(try server.statistic("total_connections_received", in: "stats") <= 4 + 4)
    }

    @Test("gives a connection that was given back to a call that waits for one")
    func waiting() async throws {
        let server = try await TestEngine()
        let engine = try engine(server.url) {
            $0.connectionCount = 1
            $0.changeDeadline = .seconds(20)
        }
        try await withThrowingTaskGroup(of: [EngineReply].self) { group in
            // Each keeps its connection for a moment.
            for _ in 0..<6 {
                group.addTask {
                    try await engine.perform([EngineCommand("BLPOP", "none", "0.1")], key: "none", lane: .change)
                }
            }
            for try await replies in group { #expect(replies == [.null]) }
        }
    }

    @Test("that does not know AUTH is an error without the password that it repeats")
    func hiddenPassword() async throws {
        let server = try await TestEngine(["--rename-command", "AUTH", ""])
        let engine = try engine("redis://halcyon:s3cret@127.0.0.1:\(server.port)")
        let error = await #expect(throws: FleetError.self) { try await engine.ping() }
        guard case .refused(let text) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(text == "ERR (to AUTH)")
    }

    @Test("tells a second listener of a channel that its subscription holds")
    func secondListener() async throws {
        let server = try await TestEngine()
        let engine = try engine(server.url)
        let counts = Lock([0, 0])
        for number in 0..<2 {
            _ = engine.channel.addListener(of: "a") { event in
                if case .connected = event { counts.withLock { $0[number] += 1 } }
            }
            #expect(await eventually { counts.withLock { $0[number] } > 0 })
        }
    }

    @Test("gives the subscription of a channel without listeners up, and hears the next listener's")
    func lastListener() async throws {
        let server = try await TestEngine()
        let engine = try engine(server.url)
        func subscribers() throws -> Int64? {
            try server.send("PUBSUB", "NUMSUB", "a").elements.flatMap { $0.last?.number }
        }
        for _ in 0..<2 {
            let isHeard = Lock(false)
            let id = engine.channel.addListener(of: "a") { event in
                if case .message = event { isHeard.withLock { $0 = true } }
            }
            #expect(try await eventually { try subscribers() == 1 })
            #expect(
                try await eventually {
                    try server.send("PUBLISH", "a", "b")
                    return isHeard.withLock { $0 }
                }
            )
            engine.channel.removeListener(id, of: "a")
            #expect(try await eventually { try subscribers() == 0 })
        }
    }

    @Test("without libhiredis_ssl has no encrypted connections, and says what is missing")
    func encryption() async throws {
        let server = try await TestEngine()
        let engine = try engine("rediss://127.0.0.1:\(server.port)")
        let error = await #expect(throws: FleetError.self) { try await engine.ping() }
        switch error {
        case .encryptionUnavailable(let problem): #expect(problem.contains("libhiredis_ssl"))
        // The library is there, and the engine does not speak TLS.
        case .unreachable, .deadlineExceeded: break
        default: Issue.record("\(String(describing: error))")
        }
    }

    @Test("is asked by threads on which SIGPIPE ends no program")
    func pipeSignal() throws {
        var (signals, earlier) = (sigset_t(), sigset_t())
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_UNBLOCK, &signals, &earlier)
        defer { pthread_sigmask(SIG_SETMASK, &earlier, nil) }
        var ends: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        close(ends[1])
        let count = EngineSignals.withoutPipeSignal { write(ends[0], "x", 1) }
        #expect(count == -1 && errno == EPIPE)
        close(ends[0])
    }
}
