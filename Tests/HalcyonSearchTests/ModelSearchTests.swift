import FoundationEssentials
import Testing

@testable import HalcyonSearch

/// Runs the search as its users do: each program in a process of its own.
@Suite("The model search")
struct ModelSearchTests {
    private let folder = FileManager.default.temporaryDirectory.path + "/halcyon-search-test-\(UUID().uuidString)"

    private func search(_ planted: PlantedDefect?) -> ModelSearch {
        ModelSearch(
            seed: 0,
            seconds: 60,
            conditions: Conditions(patience: 20, planted: planted),
            folder: folder
        )
    }

    private func program(_ steps: [Step]) -> Program {
        let padding: [Step] = [.publish(0), .removeExpired, .flush, .memoryPressure(false), .settle(true)]
        let steps = padding + steps.flatMap { [$0] + padding } + padding
        return Program(
            seed: 0,
            answersAtOnce: true,
            resources: [Program.Resource()],
            lines: steps.map { Program.Line(lane: 0, step: $0) }
        )
    }

    @Test(
        "makes a program small that gets another user's image, and keeps it in a file that fails again",
        arguments: [Call.Carrier.request, .cookieOption]
    )
    func wrongImage(carrier: Call.Carrier) throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (first, second) = (Identity(user: 1), Identity(user: 2))
        let program = program([
            .load(Call(identity: first, carrier: carrier, isAwaited: true)),
            .load(Call(identity: second, carrier: carrier, variant: Variant(marks: [1, 2]), freshness: .minute)),
            .removeAll,
        ])
        let result = try search(.sharesUsers).shrunk(program, Finding(rule: .wrongImage, message: ""))
        #expect(result.finding.rule == .wrongImage)
        #expect(result.program.lines.map(\.step) == [.load(Call(identity: Identity(user: 2), isAwaited: true))])
        let kept = try Program.decoded(Data(contentsOf: URL(filePath: result.path)))
        #expect(kept == result.program)
    }

    @Test("finds an image that a removal leaves in a cache of the options, and keeps that in the small program")
    func namedCache() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let settings = Settings(caches: .other)
        var program = program([
            .load(Call(isAwaited: true, settings: Settings(caches: .other, hasScale: true))), .removeAll,
            .load(Call(kind: .response, settings: settings)),
        ])
        program.isObserved = true
        let result = try search(.keepsNamed).shrunk(program, Finding(rule: .removedImage, message: ""))
        #expect(result.finding.rule == .removedImage)
        let load = Step.load(Call(isAwaited: true, settings: settings))
        #expect(result.program.lines.map(\.step) == [load, .removeAll, load])
        #expect(!result.program.isObserved)
    }

    @Test("tells a process that crashes from one that hangs, and makes both programs small")
    func ends() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for (planted, rule) in [(PlantedDefect.crashes, Finding.Rule.crash), (.hangs, .hang)] {
            let program = Program(
                seed: 0,
                answersAtOnce: true,
                resources: [Program.Resource()],
                lines: [.flush, .removeAll, .clearDisk].map { Program.Line(lane: 0, step: $0) }
            )
            let result = try search(planted).shrunk(program, Finding(rule: rule, message: ""))
            #expect(result.finding.rule == rule)
            #expect(result.program.lines.map(\.step) == [.removeAll])
        }
    }

    /// As many as `HALCYON_SEARCH_PROGRAMS` says; default: 12, which takes a second or two.
    @Test("finds that random programs break no rule")
    func programs() async throws {
        let count = ProcessInfo.processInfo.environment["HALCYON_SEARCH_PROGRAMS"].flatMap(Int.init) ?? 12
        for seed in 0..<UInt64(count) {
            let child = try ChildProcess.run(["play", "seed:\(seed)", "--times", "1", "--quiet"], seconds: 120)
            #expect(child.end == .exited(0), "seed \(seed): \(child.output) \(child.reason)")
        }
    }
}
