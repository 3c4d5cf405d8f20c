import HalcyonConcurrency
import Testing

@Suite("A changing priority")
struct PriorityBoxTests {
    @Test("tells its observers of changes, and only of changes")
    func observers() {
        let box = PriorityBox(.normal)
        let seen = Lock<[LoadPriority]>([])
        let id = box.addObserver { seen.withLock { $0.append(box.value) } }
        box.update(.high)
        box.update(.high)
        box.update(.low)
        box.removeObserver(id)
        box.update(.veryHigh)
        #expect(seen.withLock { $0 } == [.high, .low])
        #expect(box.value == .veryHigh)
    }
}
