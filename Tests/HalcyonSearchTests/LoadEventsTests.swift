import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import Halcyon
@testable import HalcyonSearch

@Suite("The rules for events")
struct LoadEventsTests {
    private static let hit: [LoadActivity] = [
        .began, .lookedUpMemory(isFound: true), .ended(.succeeded(.memory), duration: .zero),
    ]
    private static let load: [LoadActivity] = [
        .began, .lookedUpMemory(isFound: false), .transferBegan, .ended(.cancelled, duration: .zero),
    ]

    private func problem(_ activities: [LoadActivity]) -> String? {
        var events = LoadEvents()
        for activity in activities {
            if let problem = events.problem(with: activity, of: 1) { return problem }
        }
        return events.hasEnded ? nil : "it did not end"
    }

    @Test("allow loads that begin once and end once")
    func sound() {
        #expect(problem(Self.hit) == nil)
        #expect(problem(Self.load) == nil)
    }

    @Test("find a load that does not begin or does not end, or does either twice")
    func unsound() {
        let (hit, load) = (Self.hit, Self.load)
        #expect(problem(Array(load.dropFirst()))?.hasPrefix("it began with") == true)
        #expect(problem(Array(load.dropLast())) == "it did not end")
        #expect(problem([.began] + load) == "it began twice")
        #expect(problem(load + load)?.hasSuffix("after its end") == true)
        #expect(problem(load + [.storedInMemory])?.hasSuffix("after its end") == true)
        #expect(problem([load[0]] + load[2...])?.hasSuffix("before memory was looked into") == true)
        #expect(problem(Array(hit[..<2]) + load[2...])?.hasSuffix("although memory had the image") == true)
    }

    @Test("tell the events of two loads apart")
    func twoLoads() {
        var events = LoadEvents()
        for activity in Self.load {
            for load in [1, 2] as [UInt64] { #expect(events.problem(with: activity, of: load) == nil) }
        }
        #expect(events.hasEnded)
    }

    @Test("demand that statistics count what observers were told, and no less")
    func statistics() {
        var (statistics, sums) = (PipelineStatistics(), PipelineStatistics.Sums())
        func add(_ activities: [LoadActivity]) { for activity in activities { sums.count(activity) } }
        for activity in Self.load { statistics.count(activity) }
        add(Self.load + Self.hit)
        #expect(statistics.problem(with: sums) == nil && statistics.problem == nil)
        // What goes on for others after the end of a load is not told to its observers.
        statistics.count(.processed("a", size: PixelSize(1, 1), duration: .zero))
        #expect(statistics.problem(with: sums) == nil)
        add([.processed("a", size: PixelSize(1, 1), duration: .zero), .encoded(.png, byteCount: 1, duration: .zero)])
        #expect(statistics.problem(with: sums)?.hasPrefix("transfers") == true)
        add(Self.load)
        #expect(statistics.problem(with: sums)?.hasPrefix("loads") == true)
        for _ in 0..<2 { statistics.count(.ended(.cancelled, duration: .zero)) }
        #expect(statistics.problem != nil)
    }
}

@Suite("The transport of a configuration")
struct OriginTransportTests {
    @Test("reports a request that was made for another configuration", arguments: ["1", "2", nil])
    func number(header: String?) async throws {
        let program = Program(seed: 0, answersAtOnce: true, resources: [Program.Resource()], lines: [])
        let model = AnswerModel(resources: program.resources)
        let origin = SearchOrigin(program: program, model: model)
        var request = TransferRequest(url: SearchOrigin.url(0))
        if let name = SearchOrigin.configuredField { request.headers[name] = "1" }
        if let name = OriginTransport.field { request.headers[name] = header }
        let transport = OriginTransport(origin: origin, model: model, number: 1)
        #expect(try await transport.data(for: request).response.status == 200)
        #expect(model.finding?.rule == (header == "1" ? nil : .missingHeader))
    }
}
