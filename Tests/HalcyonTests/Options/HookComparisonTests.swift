import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Hooks")
struct HookComparisonTests {
    /// A hook that counts how often it is compared or hashed.
    private struct CountingHooks: DownloadHooks, RetryStrategy {
        let number: Int
        let calls: Counter

        var cacheIdentity: DownloadIdentity? { "scope" }

        func credential(for demand: AuthenticationDemand) async throws -> Credential? { .bearer("\(number)") }

        func decide(_ attempt: RetryContext) async -> RetryDecision { .stop }

        static func == (left: Self, right: Self) -> Bool {
            left.calls.add()
            return left.number == right.number
        }

        func hash(into hasher: inout Hasher) {
            calls.add()
            // All of them share one place of the table.
            hasher.combine(0)
        }
    }

    private final class Counter: Sendable {
        private let count = Lock(0)

        var value: Int { count.withLock { $0 } }

        func add() { count.withLock { $0 += 1 } }
    }

    @Test("are compared when they are set, and not by loads, which would have to do so under locks")
    func noCalls() async throws {
        let (test, calls, url) = (TestPipeline(), Counter(), Sample.url())
        let options = (0..<2).map { _ -> [ImageOption] in
            let hook = CountingHooks(number: 1, calls: calls)
            return [.hooks(hook), .retry(hook)]
        }
        let before = calls.value
        #expect(before > 0)
        let tasks = options.map { test.pipeline.task(for: url, options: $0) }
        await eventually { [stages = test.pipeline.stages] in stages.images.waiterCount == tasks.count }
        #expect(test.pipeline.stages.images.count == 1)
        await test.transport.nextTransfer().answer(.init(status: 401))
        await test.transport.nextTransfer().answer(.init(body: Sample.png()))
        for task in tasks { _ = try await task.image }
        await test.settle()
        #expect(test.transport.startedCount == 2)
        #expect(calls.value == before)
    }

    @Test("are equal if they are of one type and equal, however many there are at once")
    func equality() async {
        struct Other: DownloadHooks {
            let number: Int
            let cacheIdentity: DownloadIdentity? = nil
        }
        let calls = Counter()
        typealias Hooks = any DownloadHooks
        let hooks = await withTaskGroup { group in
            for number in 0..<60 {
                group.addTask {
                    let modifier = CountingHooks(number: number % 3, calls: calls)
                    return (number % 3, Hook<Hooks>(modifier, identity: modifier))
                }
            }
            var hooks: [(Int, Hook<Hooks>)] = []
            for await hook in group { hooks.append(hook) }
            return hooks
        }
        #expect(Set(hooks.map(\.1)).count == 3)
        for (number, hook) in hooks {
            #expect(hooks.allSatisfy { (number == $0.0) == (hook == $0.1) })
            #expect(hook != Hook<Hooks>(Other(number: number), identity: Other(number: number)))
        }
    }
}
