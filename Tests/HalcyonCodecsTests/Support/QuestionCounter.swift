import Synchronization

/// Counts how often a decoder asks whether it is cancelled, and says yes from some question on.
final class QuestionCounter: Sendable {
    private let asked = Atomic(0)
    private let cancelledFrom: Int

    init(cancelledFrom: Int) {
        self.cancelledFrom = cancelledFrom
    }

    var count: Int { asked.load(ordering: .relaxed) }

    func ask() -> Bool {
        asked.add(1, ordering: .relaxed).newValue >= cancelledFrom
    }
}
