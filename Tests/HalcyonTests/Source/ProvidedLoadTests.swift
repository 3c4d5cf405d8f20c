import FoundationEssentials
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("The load that a provider supplies the bytes for")
struct ProvidedLoadTests {
    private let test = TestPipeline()

    @Test("has the highest urgency of the loads that share it, and tells of changes until it ends")
    func priority() async throws {
        let (urgencies, gate, hasEnded) = (CallLog(), Gate(), Gate())
        let provider = UrgentProvider(urgencies: urgencies, gate: gate, hasEnded: hasEnded)
        let first = test.pipeline.task(for: ImageRequest(.provider(provider), options: [.priority(.low)]))
        await eventually { urgencies.texts == ["low"] }
        let second = test.pipeline.task(for: ImageRequest(.provider(provider), options: [.priority(.high)]))
        await eventually { urgencies.texts.last == "high" }
        first.priority = .veryHigh
        await eventually { urgencies.texts.last == "veryHigh" }
        gate.open()
        _ = try await (first.response, second.response)
        // The stream that the provider left behind.
        await hasEnded.wait()
    }

    @Test("of a provider that is asked by hand has the urgency that it is given")
    func byHand() async {
        let load = ProvidedLoad(priority: .high)
        var updates = load.priorityUpdates.makeAsyncIterator()
        #expect(load.priority == .high)
        #expect(await updates.next() == .high)
        load.end()
        #expect(await updates.next() == nil)
        // One that comes too late.
        let texts = await load.priorityUpdates.reduce(into: []) { $0.append("\($1)") }
        #expect(texts == ["high"])
    }
}

/// Notes the urgencies of its load until a gate opens.
private struct UrgentProvider: ImageDataProvider {
    let cacheKey = "urgent"
    let urgencies: CallLog
    let gate: Gate
    let hasEnded: Gate

    func data() async throws -> Data { try await data(for: ProvidedLoad()) }

    func data(for load: ProvidedLoad) async throws -> Data {
        let updates = load.priorityUpdates
        // Ended by the end of the load.
        Task {
            for await priority in updates { urgencies.add("\(priority)") }
            hasEnded.open()
        }
        await gate.wait()
        return Sample.png()
    }
}
