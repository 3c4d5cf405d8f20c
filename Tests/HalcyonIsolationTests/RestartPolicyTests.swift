import Testing

@testable import HalcyonIsolation

@Suite("The pace of new workers")
struct RestartPolicyTests {
    @Test("doubles with each loss, and is reset by a success")
    func pace() {
        var policy = RestartPolicy()
        let expected: [RestartPolicy.Admission] = [
            .start, .start, .startAfter(10_000_000), .startAfter(20_000_000), .startAfter(40_000_000),
            .refuse(workersLost: 5),
        ]
        for admission in expected {
            let admitted = policy.admit(now: 0)
            #expect(admitted == admission)
            policy.recordLoss(now: 0)
        }
        policy.recordSuccess()
        let admitted = policy.admit(now: 0)
        #expect(admitted == .start)
    }

    @Test("admits one worker at the end of each pause, which is 5 seconds at the most")
    func longest() {
        var policy = RestartPolicy()
        for _ in 0..<100 { policy.recordLoss(now: 0) }
        let admissions = [4_999_999_999, 5_000_000_000, 5_000_000_001].map { policy.admit(now: $0) }
        #expect(admissions == [.refuse(workersLost: 100), .start, .refuse(workersLost: 100)])
    }
}

@Suite("Files that ended a worker")
struct RefusedInputsTests {
    private static let loss = WorkerLoss(format: "GIF", file: nil, cause: .time, reached: .process)

    @Test("are remembered by size and content, for a time")
    func duration() {
        var inputs = RefusedInputs(capacity: 2, duration: 100)
        inputs.insert(byteCount: 5, digest: "a", loss: Self.loss, now: 0)
        let mayContain = [5, 6].map { inputs.mayContain(byteCount: $0, now: 99) }
        #expect(mayContain == [true, false])
        #expect(inputs.loss(byteCount: 5, digest: "a", now: 99) == Self.loss)
        #expect(inputs.loss(byteCount: 5, digest: "b", now: 99) == nil)
        let isRemembered = inputs.mayContain(byteCount: 5, now: 100)
        #expect(!isRemembered)
    }

    @Test("are forgotten for newer ones beyond a number")
    func capacity() {
        var inputs = RefusedInputs(capacity: 2, duration: 100)
        for digest in ["a", "b", "c"] { inputs.insert(byteCount: 5, digest: digest, loss: Self.loss, now: 0) }
        #expect(inputs.loss(byteCount: 5, digest: "a", now: 1) == nil)
        #expect(inputs.loss(byteCount: 5, digest: "b", now: 1) != nil)
        #expect(inputs.loss(byteCount: 5, digest: "c", now: 1) != nil)
    }
}
