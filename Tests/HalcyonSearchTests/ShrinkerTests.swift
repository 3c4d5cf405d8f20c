import Testing

@testable import HalcyonSearch

@Suite("Shrinking")
struct ShrinkerTests {
    private func program(_ steps: [Step]) -> Program {
        Program(
            seed: 1,
            answersAtOnce: false,
            resources: [Program.Resource(policy: .minute, isLarge: true)],
            isObserved: true,
            decodeBudget: 1,
            isUntrusted: true,
            lines: steps.enumerated().map { Program.Line(lane: $0.offset % 2, step: $0.element) }
        )
    }

    @Test("leaves only the steps that a failure needs, in their order")
    func steps() throws {
        var steps: [Step] = (0..<40).map { .advance($0) }
        steps.insert(.removeAll, at: 11)
        steps.insert(.clearMemory, at: 30)
        let shrinker = Shrinker { program in
            let steps = program.lines.map(\.step)
            guard let first = steps.firstIndex(of: .removeAll) else { return false }
            return steps[first...].contains(.clearMemory)
        }
        let small = try shrinker.shrunk(program(steps))
        #expect(small.lines.map(\.step) == [.removeAll, .clearMemory])
    }

    @Test("leaves only the arguments that a failure needs")
    func arguments() throws {
        let call = Call(
            kind: .response,
            identity: Identity(user: 2, language: 1),
            carrier: .cookie,
            variant: Variant(frame: 1, longestSide: 6, targetWidth: 12, isReduced: true, marks: [1, 2, 1]),
            reads: .none,
            waitsForStore: true,
            freshness: .never,
            priority: 4,
            settings: Settings(
                serializer: .png,
                caches: .other,
                hasDownloader: true,
                isInexact: true,
                alternative: 0,
                otherForm: .file
            )
        )
        let shrinker = Shrinker { program in
            program.lines.contains {
                guard case .load(let call) = $0.step else { return false }
                return call.identity.user == 2 && call.variant.marks.count >= 2 && call.freshness == .never
            }
        }
        let small = try shrinker.shrunk(program([.load(call)]))
        let identity = Identity(user: 2)
        let expected = Call(
            identity: identity,
            variant: Variant(marks: [1, 2]),
            freshness: .never,
            isAwaited: true
        )
        #expect(small.lines.map(\.step) == [.load(expected)])
        #expect(small.resources == [Program.Resource()])
        #expect(!small.isObserved)
        #expect(small.decodeBudget == nil && small.isUntrusted == nil)
        #expect(Set(small.lines.map(\.lane)) == [0])
    }

    @Test("ends when its time is over, with a program that fails")
    func time() throws {
        var attempts = 0
        let shrinker = Shrinker(
            fails: { $0.lines.count >= 3 },
            goesOn: {
                attempts += 1; return attempts < 20
            }
        )
        let small = try shrinker.shrunk(program((0..<40).map { .advance($0) }))
        #expect((3..<40).contains(small.lines.count))
    }
}
