import Testing

@testable import HalcyonSearch

@Suite("Programs")
struct ProgramTests {
    @Test("are the same for the same seed")
    func seeds() {
        for seed in 0..<50 as Range<UInt64> {
            #expect(ProgramGenerator.program(seed: seed) == ProgramGenerator.program(seed: seed))
        }
        #expect(Set((0..<50).map { ProgramGenerator.program(seed: $0) }).count == 50)
    }

    @Test("are read as they were written")
    func coding() throws {
        for seed in 0..<200 as Range<UInt64> {
            let program = ProgramGenerator.program(seed: seed)
            #expect(try Program.decoded(program.encoded()) == program)
        }
    }

    @Test("make every kind of step, and every option of a load")
    func coverage() {
        let programs = (0..<600).map { ProgramGenerator.program(seed: $0) }
        let steps = programs.flatMap(\.lines).map(\.step)
        let kinds = Set(steps.map { String("\($0)".prefix { $0 != " " && $0 != "(" }) })
        for kind in [
            "task", "response", "data", "memory", "encoded", "cancel", "set", "prefetch", "store", "remove", "clear",
            "trim",
            "flush", "answer", "publish", "disk:", "hold", "release", "pause", "settle", "restart",
        ] {
            #expect(kinds.contains(kind) || kinds.contains("await"), "no step \(kind)")
        }
        let calls = steps.compactMap { step -> Call? in
            guard case .load(let call) = step else { return nil }
            return call
        }
        for carrier in [Call.Carrier.request, .options, .cookie, .credential] {
            #expect(calls.contains { $0.identity.user > 0 && $0.carrier == carrier })
        }
        for freshness in [Call.Freshness.server, .ignoringServer, .never, .minute] {
            #expect(calls.contains { $0.freshness == freshness })
        }
        #expect(calls.contains { $0.identity.body > 0 } && calls.contains { $0.identity.language > 0 })
        #expect(calls.contains { $0.variant.frame > 0 } && calls.contains { $0.variant.marks.count > 2 })
        #expect(calls.contains { $0.reads == .none } && calls.contains { !$0.storesInMemory && $0.isOffline })
        #expect(calls.contains { $0.reads == .disk } && calls.contains { $0.ignoresOriginal == true })
    }

    @Test("run the steps of a lane in order, up to a barrier")
    func groups() {
        let lines: [(Int, Step)] = [
            (0, .flush), (1, .clearMemory), (0, .clearDisk), (0, .settle(true)), (1, .removeAll), (0, .restart),
        ]
        let program = Program(
            seed: 0,
            answersAtOnce: true,
            resources: [Program.Resource()],
            lines: lines.map { Program.Line(lane: $0.0, step: $0.1) }
        )
        let groups = program.groups
        #expect(groups.map(\.lanes) == [[[.flush, .clearDisk], [.clearMemory]], [[.removeAll]], []])
        #expect(groups.map(\.barrier) == [.settle(true), .restart, nil])
    }
}
