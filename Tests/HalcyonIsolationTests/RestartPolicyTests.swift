import Glibc
import Testing

@testable import HalcyonIsolation

@Suite("The pace of new workers")
struct RestartPolicyTests {
    @Test("doubles with each worker that ends as it starts")
    func pace() {
        var policy = RestartPolicy()
        for pause: Int64 in [0, 0, 10_000_000, 20_000_000, 40_000_000, 80_000_000] {
            let admission = policy.admit(now: 0)
            #expect(admission == (pause == 0 ? .start : .wait(pause)))
            // The end of the pause admits one.
            let admissions = [policy.admit(now: pause), policy.admit(now: pause)]
            #expect(admissions == [.start, pause == 0 ? .start : .wait(pause)])
            policy.recordFailedStart(now: 0)
        }
    }

    @Test("admits one worker at the end of each pause, which is 5 seconds at the most")
    func longest() {
        var policy = RestartPolicy()
        for _ in 0..<100 { policy.recordFailedStart(now: 0) }
        let admissions = [4_999_999_999, 5_000_000_000, 5_000_000_001].map { policy.admit(now: $0) }
        #expect(admissions == [.wait(1), .start, .wait(4_999_999_999)])
        #expect(policy.failedStartCount == 100)
    }

    @Test("is that of a healthy machine while images end workers, up to many in a row")
    func images() {
        var policy = RestartPolicy()
        for _ in 0..<RestartPolicy.imageLimit {
            let admission = policy.admit(now: 0)
            #expect(admission == .start)
            policy.recordLostImage()
        }
        for pause: Int64 in [10_000_000, 20_000_000, 40_000_000, 80_000_000, 80_000_000] {
            let admission = policy.admit(now: 0)
            #expect(admission == .startAfter(pause))
            policy.recordLostImage()
        }
    }
}

@Suite("Files that ended a worker")
struct RefusedInputsTests {
    private static let work = RefusedInputs.Work(memory: 100)
    private static let loss = WorkerLoss(format: "GIF", file: nil, cause: .time, reached: .process)

    @Test("are remembered by size and content, for a time")
    func duration() {
        var inputs = RefusedInputs(capacity: 2, duration: 100)
        inputs.insert(byteCount: 5, name: "a", work: Self.work, loss: Self.loss, now: 0)
        let mayContain = [5, 6].map { inputs.mayContain(byteCount: $0, for: Self.work, now: 99) }
        #expect(mayContain == [true, false])
        #expect(inputs.loss(byteCount: 5, name: "a", for: Self.work, now: 99) == Self.loss)
        #expect(inputs.loss(byteCount: 5, name: "b", for: Self.work, now: 99) == nil)
        let isRemembered = inputs.mayContain(byteCount: 5, for: Self.work, now: 100)
        #expect(!isRemembered)
    }

    @Test("are forgotten for newer ones beyond a number")
    func capacity() {
        var inputs = RefusedInputs(capacity: 2, duration: 100)
        for name in ["a", "b", "c"] {
            inputs.insert(byteCount: 5, name: name, work: Self.work, loss: Self.loss, now: 0)
        }
        #expect(inputs.loss(byteCount: 5, name: "a", for: Self.work, now: 1) == nil)
        #expect(inputs.loss(byteCount: 5, name: "b", for: Self.work, now: 1) != nil)
        #expect(inputs.loss(byteCount: 5, name: "c", for: Self.work, now: 1) != nil)
    }

    @Test("are decoded by a worker with more memory than the one that ended")
    func memory() {
        var inputs = RefusedInputs(capacity: 2, duration: 100)
        inputs.insert(byteCount: 5, name: "a", work: .init(memory: 300), loss: Self.loss, now: 0)
        let answers = [200, 300, 301].map {
            inputs.loss(byteCount: 5, name: "a", for: .init(memory: $0), now: 1) != nil
        }
        #expect(answers == [true, true, false])
    }

    @Test("keep their other frames where one frame ended the worker")
    func frames() {
        var inputs = RefusedInputs(capacity: 2, duration: 100)
        inputs.insert(byteCount: 5, name: "a", work: .init(frame: 500, memory: 1), loss: Self.loss, now: 0)
        let frames = [nil, 0, 500].map {
            inputs.loss(byteCount: 5, name: "a", for: .init(frame: $0, memory: 1), now: 1) != nil
        }
        #expect(frames == [false, false, true])
        let isAsked = [0, 500].map { inputs.mayContain(byteCount: 5, for: .init(frame: $0, memory: 1), now: 1) }
        #expect(isAsked == [false, true])
        // The second of its frames speaks for all of them.
        inputs.insert(byteCount: 5, name: "a", work: .init(frame: 501, memory: 1), loss: Self.loss, now: 1)
        #expect(inputs.loss(byteCount: 5, name: "a", for: .init(frame: 0, memory: 1), now: 2) != nil)
    }

    @Test("are named by their bytes, and files of any size by what the system says of them")
    func names() throws {
        let path = (getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp") + "/halcyon-refused-\(getpid())"
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        defer {
            close(descriptor)
            unlink(path)
        }
        try #require(ftruncate(descriptor, 1 << 40) == 0)
        let input = WorkerInput.file(descriptor: descriptor, byteCount: 1 << 40)
        let name = try #require(input.name())
        #expect(input.name() == name)
        try #require(ftruncate(descriptor, 1 << 39) == 0)
        #expect(input.name() != name)
        #expect([UInt8](repeating: 1, count: 3).withUnsafeBytes { WorkerInput.bytes($0).name() }?.count == 64)
    }
}
