import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Background work with a key")
struct KeyedTasksTests {
    @Test("runs as much at a time as it is wide, in the order in which it came")
    func width() async {
        let tasks = KeyedTasks(width: 2)
        let (begun, mayEnd) = (Lock<[String]>([]), Gate())
        for key in ["a", "b", "c", "c", "d"] {
            tasks.start(key) {
                begun.withLock { $0.append(key) }
                await mayEnd.wait()
            }
        }
        await eventually { begun.withLock { $0.count } == 2 }
        #expect(tasks.waitingCount == 2)
        mayEnd.open()
        await tasks.wait()
        #expect(begun.withLock { $0.count } == 4)
        #expect(begun.withLock { Set($0.prefix(2)) } == ["a", "b"])
    }

    @Test("that waits is given up with its owner, and what runs is cancelled")
    func end() async {
        let (begun, cancelled) = (Gate(), Gate())
        let waitingRan = Lock(false)
        do {
            let tasks = KeyedTasks(width: 1)
            tasks.start("a") {
                begun.open()
                while !Task.isCancelled { await Task.yield() }
                cancelled.open()
            }
            tasks.start("b") { waitingRan.withLock { $0 = true } }
            await begun.wait()
        }
        await cancelled.wait()
        #expect(!waitingRan.withLock { $0 })
    }

    @Test("is not taken where more waits than may")
    func limit() async {
        let tasks = KeyedTasks(width: 1, waitingLimit: 3)
        let mayEnd = Gate()
        for key in 0..<10 { tasks.start("\(key)") { await mayEnd.wait() } }
        #expect(tasks.waitingCount == 3)
        mayEnd.open()
        await tasks.wait()
        #expect(tasks.waitingCount == 0)
    }
}
