import Testing

@testable import Halcyon

@Suite("What players of an animation need together")
struct AnimationFrameNeedsTests {
    private let timeline = AnimationTimeline(Array(repeating: Duration.milliseconds(10), count: 4))

    private func client(_ step: Int, shown: Int? = nil, awaited: Set<Int> = []) -> AnimationFrameSet.Client {
        let demand = AnimationFrameDemand(step: step, frame: step, mode: .forward, upcoming: [(step + 1) % 4])
        return AnimationFrameSet.Client(demand: demand, shown: shown, awaited: awaited, deliver: { _, _ in })
    }

    @Test("is what each of them needs, until the last that needs it has left")
    func counts() {
        var needs = AnimationFrameNeeds()
        let players = [client(1, shown: 0, awaited: [1]), client(1, shown: 1), client(3, shown: 3)]
        for player in players { needs.add(player) }
        #expect(needs.demands.count == 2)
        #expect(Set(needs.pinned) == [0, 1, 3])
        #expect(Set(needs.awaited) == [1])
        needs.remove(players[0])
        #expect(Set(needs.pinned) == [1, 3])
        #expect(needs.awaited.isEmpty)
        needs.remove(players[1])
        #expect(Set(needs.pinned) == [3])
        #expect(needs.demands.count == 1)
    }

    @Test("says when each frame is shown next, also after demands have changed")
    func nextUses() {
        var needs = AnimationFrameNeeds()
        #expect(needs.nextUses(timeline) == [.max, .max, .max, .max])
        needs.add(client(1))
        #expect(needs.nextUses(timeline) == [30, 0, 10, 20].map { $0 * 1_000_000 })
        needs.add(client(3))
        needs.add(client(3))
        #expect(needs.nextUses(timeline) == [10, 0, 10, 0].map { $0 * 1_000_000 })
        needs.remove(client(1))
        needs.remove(client(3))
        #expect(needs.nextUses(timeline) == [10, 20, 30, 0].map { $0 * 1_000_000 })
    }
}
