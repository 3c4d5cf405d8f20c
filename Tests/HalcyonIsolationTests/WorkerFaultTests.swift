import Glibc
import HalcyonSystem
import Testing

@testable import HalcyonIsolation
@testable import IsolationTrial

@Suite("A worker that fails")
struct WorkerFaultTests {
    /// A trap is an illegal instruction on x86-64 and a breakpoint on arm64.
    private static let crashes: [(TrialWork, [WorkerLoss.Cause])] = [
        (.writeToNull, [.signal(SIGSEGV)]), (.abort, [.signal(SIGABRT)]),
        (.trap, [.signal(SIGILL), .signal(SIGTRAP)]),
        (.exit, [.exit(status: 7)]),
    ]

    @Test("a crash is one error, which names the format, the file and the signal", arguments: crashes)
    func crash(work: TrialWork, causes: [WorkerLoss.Cause]) throws {
        let trial = try Trial()
        let cause = try #require(try trial.cause(trial.request(work), input: [1]))
        #expect(causes.contains(cause))
        #expect(try trial.answer(trial.request(.echo, parameters: "on")) == "on")
    }

    @Test("the text of an error names the file, the format and the signal")
    func text() {
        let loss = WorkerLoss(format: "HEIC", file: "a.heic", cause: .signal(SIGSEGV), reached: .all)
        #expect(
            "\(IsolationError.workerLost(loss))"
                == "a.heic (HEIC) ended its decoder: signal 11 (Segmentation fault)"
        )
    }

    @Test("an image that takes too long ends its worker, and is decoded again on a machine that has time")
    func time() throws {
        let trial = try Trial()
        var request = trial.request(.wait)
        request.timeLimit = .milliseconds(30)
        #expect(try trial.cause(request) == .time)
        #expect(try trial.cause(request) == .time)
    }

    @Test("an image that takes too much processor time ends its worker")
    func processorTime() throws {
        let trial = try Trial()
        var request = trial.request(.loop)
        request.processorTimeLimit = .milliseconds(20)
        #expect(try trial.cause(request) == .processorTime)
    }

    @Test("memory is bounded: a library that asks for more gets none, and the worker serves on")
    func memory() throws {
        let trial = try Trial { $0.memory = 100 << 20 }
        let megabytes = try #require(Int(try trial.answer(trial.request(.takeMemory))))
        #expect((50...100).contains(megabytes))
        #expect(try trial.answer(trial.request(.echo, parameters: "on")) == "on")
    }

    @Test("cancelled work that looks whether it is ends, and the worker serves on")
    func cancelled() throws {
        // A machine under load may give the worker no time for a while.
        let trial = try Trial { $0.cancellationDuration = .seconds(60) }
        let worker = try trial.answer(trial.request(.identify))
        var asked = 0
        #expect(throws: CancellationError.self) {
            try trial.answer(trial.request(.workUntilCancelled)) {
                asked += 1
                return asked > 2
            }
        }
        #expect(try trial.answer(trial.request(.identify)) == worker)
    }

    @Test(
        "cancelled work that does not look ends with its worker, and the file is not refused",
        arguments: [
            TrialWork.loop, .wait,
        ]
    )
    func cancelledByForce(work: TrialWork) throws {
        let trial = try Trial()
        for _ in 0..<2 {
            var asked = 0
            #expect(throws: CancellationError.self) {
                try trial.answer(trial.request(work)) {
                    asked += 1
                    return asked > 2
                }
            }
        }
        #expect(try trial.answer(trial.request(.echo, parameters: "on")) == "on")
    }

    @Test("work that is cancelled before it begins takes no worker")
    func cancelledBefore() throws {
        let trial = try Trial()
        #expect(throws: CancellationError.self) { try trial.answer(trial.request(.echo)) { true } }
        #expect(!trial.pool.hasStarted)
    }

    @Test("a file that ended a worker which had served others is tried once more, in a fresh one")
    func retry() throws {
        let trial = try Trial()
        #expect(try trial.answer(trial.request(.abortIfUsed)) == "fresh")
        let worker = trial.pool.idleProcesses
        #expect(try trial.answer(trial.request(.abortIfUsed)) == "fresh")
        #expect(trial.pool.idleProcesses != worker)
    }

    @Test("a file that ended a fresh worker is refused for 10 minutes, by its content")
    func refused() throws {
        let trial = try Trial()
        let request = trial.request(.abort)
        #expect(try trial.cause(request, input: [1, 2]) == .signal(SIGABRT))
        let loss = WorkerLoss(format: "PNG", file: "photo.png", cause: .signal(SIGABRT), reached: .all)
        #expect {
            try trial.answer(trial.request(.echo), input: [1, 2])
        } throws: { error in
            guard case IsolationError.refused(let refused) = error else { return false }
            return refused.cause == loss.cause && refused.file == loss.file
        }
        #expect(try trial.answer(trial.request(.echo, parameters: "other"), input: [2, 1]) == "other")
        trial.advance(by: .seconds(599))
        #expect(throws: IsolationError.self) { try trial.answer(trial.request(.echo), input: [1, 2]) }
        trial.advance(by: .seconds(1))
        #expect(try trial.answer(trial.request(.echo, parameters: "late"), input: [1, 2]) == "late")
    }

    @Test("a file that took more time than it may is not tried once more, which would take as long again")
    func noRetryOfTime() throws {
        let trial = try Trial()
        var request = trial.request(.loopIfUsed)
        request.processorTimeLimit = .milliseconds(100)
        #expect(try trial.answer(request) == "fresh")
        #expect(try trial.cause(request) == .processorTime)
    }

    @Test("images that end workers keep no other from being decoded, and wait for each other only after many")
    func hostileImages() throws {
        let trial = try Trial()
        for index in 0..<RestartPolicy.imageLimit {
            #expect(try trial.cause(trial.request(.abort), input: [UInt8(index)]) == .signal(SIGABRT))
        }
        #expect(trial.pauses.withLock { $0 } == [])
        #expect(try trial.cause(trial.request(.abort), input: [99]) == .signal(SIGABRT))
        #expect(trial.pauses.withLock { $0 } == [5_000_000, 5_000_000])
        #expect(try trial.answer(trial.request(.echo, parameters: "on"), input: [100]) == "on")
        trial.pauses.withLock { $0 = [] }
        // The first image that is decoded ends it.
        #expect(try trial.cause(trial.request(.abort), input: [101]) == .signal(SIGABRT))
        #expect(try trial.answer(trial.request(.echo, parameters: "on"), input: [100]) == "on")
        #expect(trial.pauses.withLock { $0 } == [])
    }

    /// A pool whose workers have started, and do not any more until `path` has the program again.
    private func brokenTrial(_ path: Lock<String>, change: (inout WorkerPool.Configuration) -> Void) throws -> Trial {
        let program = path.withLock { $0 }
        let trial = try Trial {
            $0.program = { path.withLock { $0 } }
            change(&$0)
        }
        #expect(try trial.answer(trial.request(.echo, parameters: program)) == program)
        trial.pool.endAll()
        path.withLock { $0 = "/bin/false" }
        for _ in 0..<2 {
            #expect {
                try trial.answer(trial.request(.echo))
            } throws: { error in
                guard case IsolationError.unavailable = error else { return false }
                return true
            }
        }
        return trial
    }

    @Test("an image waits until workers start again, and fails only where they do not")
    func waiting() throws {
        let program = try Trial.path()
        let path = Lock(program)
        let isMended = Lock(false)
        let time = Lock<Int64>(0)
        let trial = try brokenTrial(path) {
            $0.now = { time.withLock { $0 } }
            $0.pause = { pause in
                time.withLock { $0 += pause }
                if isMended.withLock({ $0 }) { path.withLock { $0 = program } }
            }
        }
        for _ in 0..<3 { #expect(throws: IsolationError.self) { try trial.answer(trial.request(.echo)) } }
        isMended.withLock { $0 = true }
        #expect(try trial.answer(trial.request(.echo, parameters: "on")) == "on")
    }

    @Test("an image does not wait for workers without end, nor once it is cancelled")
    func bounds() throws {
        let path = Lock(try Trial.path())
        let waited = Lock<Int64>(0)
        let trial = try brokenTrial(path) {
            $0.now = { 0 }
            $0.pause = { pause in waited.withLock { $0 += pause } }
        }
        #expect(throws: IsolationError.crashing(workersLost: 2)) { try trial.answer(trial.request(.echo)) }
        #expect(waited.withLock { $0 } == 10_000_000_000)
        #expect(throws: CancellationError.self) {
            try trial.answer(trial.request(.echo)) { waited.withLock { $0 } > 10_100_000_000 }
        }
    }

    @Test("a worker that starts threads without end is ended", arguments: [WorkerKind.stillsWithThreads, .drawings])
    func threads(kind: WorkerKind) throws {
        let trial = try Trial {
            $0.isStrict = false
            // Enough for the stacks of more threads than any machine's decoders start.
            $0.memory = 16 << 30
        }
        let cause = try trial.cause(trial.request(.startThreads, kind: kind))
        #expect(cause == .answer(reason: "it starts threads without end"))
    }

    @Test("what a worker maps is bounded, and with it what the tables of pages take")
    func addresses() throws {
        let trial = try Trial { $0.memory = 100 << 20 }
        let gigabytes = try #require(Int(try trial.answer(trial.request(.takeAddresses))))
        #expect((1...8).contains(gigabytes))
    }

    @Test("a worker that keeps a buffer in whose place a larger one has come keeps no pages")
    func keptBuffer() throws {
        let trial = try Trial()
        #expect(try trial.answer(trial.request(.keepBuffer)) == "7")
        #expect(try trial.answer(trial.request(.keepBuffer)) == "0")
    }

    @Test("a worker that was given more memory than it may have, over all its images, is replaced")
    func sharedInAll() throws {
        let trial = try Trial { $0.memory = 100 << 20 }
        _ = try trial.perform(.paint, size: (1_024, 1_024))
        let worker = trial.pool.idleProcesses
        // 1, 4, 8, 12, … MB.
        for count in 2...6 { _ = try trial.perform(.paint, size: (1_024, count * 1_024)) }
        #expect(trial.pool.idleProcesses == worker)
        _ = try trial.perform(.paint, size: (1_024, 7 * 1_024))
        #expect(trial.pool.idleProcesses == [])
    }

    @Test(
        "a worker that answers nonsense is ended",
        arguments: [
            TrialWork.answerWithBytes, .answerOtherRequest, .answerHugeImage, .answerShortRows, .answerWithoutPixels,
            .answerWithDescriptor, .answerWithGreeting, .askForSmallerBuffer,
        ]
    )
    func nonsense(work: TrialWork) throws {
        let trial = try Trial { $0.isStrict = false }
        let cause = try trial.cause(trial.request(work))
        guard case .answer? = cause else {
            Issue.record("\(String(describing: cause))")
            return
        }
        #expect(trial.pool.idleProcesses == [])
    }
}

@Suite("Workers of several scopes")
struct WorkerScopeTests {
    @Test("end for the files of one scope, and serve the others without a pause")
    func restarts() throws {
        let trial = try Trial()
        var hostile = trial.request(.abort)
        hostile.scope = "a"
        for index in 0...RestartPolicy.imageLimit { _ = try trial.cause(hostile, input: [UInt8(index)]) }
        #expect(!trial.pauses.withLock { $0 }.isEmpty)
        trial.pauses.withLock { $0 = [] }
        #expect(try trial.answer(trial.request(.echo, parameters: "on"), input: [99]) == "on")
        #expect(trial.pauses.withLock { $0 }.isEmpty)
    }

    @Test("are ended when they are no longer needed, whatever they do")
    func ended() throws {
        let trial = try Trial()
        _ = try trial.answer(trial.request(.echo), input: [1])
        let process = try #require(trial.pool.idleProcesses.first)
        kill(process, SIGSTOP)
        trial.advance(by: .seconds(60))
        trial.pool.endIdle()
        // A stopped process would not see its socket closed.
        for _ in 0..<5_000 where kill(process, 0) == 0 && !Self.isZombie(process) { usleep(1_000) }
        #expect(kill(process, 0) != 0 || Self.isZombie(process))
    }

    private static func isZombie(_ process: Int32) -> Bool {
        guard let file = fopen("/proc/\(process)/stat", "r") else { return true }
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 512)
        guard fgets(&buffer, 512, file) != nil else { return true }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).contains(") Z ")
    }
}
