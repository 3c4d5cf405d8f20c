import Dispatch
import HalcyonSystem
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

    @Test("tells one change after the other, the latest last")
    func oneAtATime() async {
        let box = PriorityBox(.normal)
        let seen = Lock<[LoadPriority]>([])
        let (isTold, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        _ = box.addObserver {
            let value = box.value
            if value == .high {
                isTold.signal()
                mayGoOn.wait()
            }
            seen.withLock { $0.append(value) }
        }
        let queue = DispatchQueue(label: "halcyon.test.priority")
        let isDone = DispatchSemaphore(value: 0)
        queue.async {
            box.update(.high)
            isDone.signal()
        }
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "halcyon.test.second-priority").async {
                isTold.wait()
                // The first thread is still telling of its change, and will tell of this one.
                box.update(.low)
                mayGoOn.signal()
                isDone.wait()
                continuation.resume()
            }
        }
        #expect(seen.withLock { $0 } == [.high, .low])
    }

    @Test("that is set under a lock is told afterwards")
    func setAndTold() {
        let box = PriorityBox(.normal)
        let lock = Lock(0)
        _ = box.addObserver { lock.withLock { $0 += 1 } }
        let hasChanged = lock.withLock { _ in box.set(.high) }
        #expect(hasChanged && box.value == .high)
        #expect(lock.withLock { $0 } == 0)
        box.tellObservers()
        #expect(lock.withLock { $0 } == 1)
        #expect(!box.set(.high))
    }
}
