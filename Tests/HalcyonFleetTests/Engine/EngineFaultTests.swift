import FoundationEssentials
import HalcyonStore
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import HalcyonFleet

@Suite("What is no engine")
struct EngineFaultTests {
    /// Answers that no engine gives, or none to `GET`.
    static let nonsenses: [String] = [
        "HTTP/1.1 400 Bad Request\r\n\r\n", "\0\0\0\0\r\n", "$-2\r\n", "$9223372036854775807\r\n", "*2147483647\r\n",
        "*-2\r\n", ":\r\n", "$3\r\nabcde\r\n", "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n",
        "$99999999999999999999\r\n", "*1048577\r\n", "\r\n\r\n", "$abc\r\n", "%1\r\n+a\r\n+b\r\n",
    ]

    private func error(
        _ behavior: FalseEngine.Behavior,
        deadline: Duration = .milliseconds(500),
        user: String = ""
    ) async throws -> FleetError? {
        let server = try FalseEngine(behavior)
        var configuration = try FleetEngine.Configuration("redis://\(user)127.0.0.1:\(server.port)")
        configuration.deadline = deadline
        let engine = FleetEngine(configuration)
        return await #expect(throws: FleetError.self) {
            let reply = try await engine.perform(
                [EngineCommand("GET", "a")],
                key: "a",
                limits: .init(byteCount: 1 << 20)
            )[0]
            _ = try reply.checked()
            // Something that is parsed is no value all the same.
            if reply.data == nil { throw FleetError.invalidReply("\(reply)") }
        }
    }

    @Test(
        "and answers with nonsense is an error, and takes no memory for what it announces",
        arguments: nonsenses
    )
    func nonsense(text: String) async throws {
        let error = try await error(.answer(Array(text.utf8)))
        #expect(error.map { $0.losesConnection } == true, "\(String(describing: error))")
    }

    @Test(
        "or is one that refuses what it may do later is unavailable for now, not for good, also to who signs in",
        arguments: ["MISCONF Errors writing to the AOF file", "ERR max number of clients reached"],
        ["", "halcyon:password@"]
    )
    func passingRefusal(text: String, user: String) async throws {
        let error = try await error(.answer(Array("-\(text)\r\n".utf8)), deadline: .seconds(20), user: user)
        #expect(error?.isTransient == true, "\(String(describing: error))")
    }

    @Test("and answers without an end is cut off at the limit of the call")
    func endless() async throws {
        let head = Array("$1073741824\r\n".utf8) + [UInt8](repeating: 0x61, count: 65_536)
        #expect(try await error(.endless(head), deadline: .seconds(20)) == .replyTooLarge)
        #expect(try await error(.endless(Array("*1\r\n".utf8)), deadline: .seconds(20)) != nil)
    }

    @Test("and sends a byte now and then is cut off at the deadline of the call, which no byte renews")
    func trickle() async throws {
        let bytes = Array("$100000\r\n".utf8) + [UInt8](repeating: 0x61, count: 100_000)
        #expect(try await error(.trickle(bytes), deadline: .milliseconds(200)) == .deadlineExceeded)
    }

    @Test("and closes its connections is unreachable")
    func closing() async throws {
        guard case .unreachable = try await error(.close, deadline: .seconds(20)) else {
            Issue.record("a connection that was closed is no error")
            return
        }
    }

    @Test(
        "a slow engine answers within the deadline, and is a miss beyond",
        .enabled(if: TestEngine.isInstalled, TestEngine.installationHint)
    )
    func slow() async throws {
        let server = try await TestEngine()
        let gate = Gate()
        let relay = try FalseEngine(
            .relay(port: server.port) { _ in
                gate.block()
                return true
            }
        )
        let url = "redis://127.0.0.1:\(relay.port)"
        let key = CacheKey(name: "a")
        let patient = try TestFleet.tier(url, deadline: .seconds(600))
        async let outcome = patient.store(.original([1]), for: key, TierCall())
        let hasty = try TestFleet.tier(url, deadline: .milliseconds(10))
        guard case .unavailable = await hasty.entry(for: key, extending: .none, TierCall()) else {
            Issue.record("an answer came before it could")
            return
        }
        gate.open()
        #expect(await outcome != .unavailable)
        #expect(await patient.found(key)?.body == Data([1]))
    }
}
