import CIsolation
import Dispatch
import Glibc
import HalcyonSystem
import Testing

@testable import HalcyonIsolation
@testable import IsolationTrial

@Suite("A pool of workers")
struct WorkerPoolTests {
    @Test("a worker makes the pixels of the size that was asked for")
    func pixels() throws {
        let trial = try Trial()
        #expect(try trial.perform(.paint, input: [1, 2, 3], size: (5, 4)) == [UInt8](repeating: 6, count: 80))
        #expect(try trial.perform(.paint, input: [9], size: (2, 1)) == [UInt8](repeating: 9, count: 8))
    }

    @Test("a worker is given parameters, and its own errors come back as they are")
    func parameters() throws {
        let trial = try Trial()
        #expect(try trial.answer(trial.request(.echo, parameters: "400×300")) == "400×300")
        #expect(throws: WorkerFailure(payload: Array("truncated".utf8))) {
            try trial.answer(trial.request(.fail, parameters: "truncated"))
        }
        #expect(try trial.answer(trial.request(.echo, parameters: "again")) == "again")
    }

    @Test("an image larger than the shared buffer gets a larger one, up to its limit")
    func growing() throws {
        let trial = try Trial()
        let pixels = try trial.perform(.paint, input: [7], size: (3_000, 1_500))
        #expect(pixels.count == 18_000_000)
        #expect(pixels.last == 7)
        var request = trial.request(.paint, parameters: "2500 2500")
        request.largestByteCount = 1_000_000
        #expect(throws: IsolationError.outputTooLarge(byteCount: 25_000_000, maximum: 1_000_000)) {
            try trial.answer(request)
        }
        #expect(try trial.perform(.paint, input: [8], size: (1, 1)) == [8, 8, 8, 8])
    }

    @Test("input comes from memory of any size", arguments: [0, 1, 300_000, 5_000_000, 17_000_000])
    func input(byteCount: Int) throws {
        let trial = try Trial()
        let request = trial.request(.count)
        #expect(try trial.answer(request, input: [1]) == "1")
        #expect(try trial.answer(request, input: [UInt8](repeating: 1, count: byteCount)) == "\(byteCount)")
        #expect(try trial.answer(request, input: [1, 2]) == "2")
    }

    @Test("input comes from an open file, of which a worker reads no more than there is")
    func file() throws {
        let trial = try Trial()
        let descriptor = try temporaryFile(byteCount: 5_000)
        defer { close(descriptor) }
        let request = trial.request(.count)
        for (asked, read) in [(5_000, "5000"), (100, "100"), (1 << 30, "5000")] {
            let answer = try trial.pool.perform(request, .file(descriptor: descriptor, byteCount: asked)) {
                String(decoding: $0.result.payload, as: UTF8.self)
            }
            #expect(answer == read)
        }
    }

    @Test("a file that is open for writing is given to no worker")
    func writableFile() throws {
        let trial = try Trial()
        let descriptor = try SharedBuffer(byteCount: 10)
        #expect(throws: IsolationError.cannotShare(reason: "it is open for writing")) {
            try trial.pool.perform(trial.request(.count), .file(descriptor: descriptor.descriptor, byteCount: 1)) { _ in
            }
        }
        #expect(try trial.answer(trial.request(.echo, parameters: "on")) == "on")
    }

    @Test("one worker serves one scope, again and again")
    func scopes() throws {
        let trial = try Trial { $0.idleCount = 2 }
        var request = trial.request(.identify)
        request.scope = "anna"
        let first = try trial.answer(request)
        #expect(try trial.answer(request) == first)
        request.scope = "bert"
        let second = try trial.answer(request)
        #expect(second != first)
        request.scope = "anna"
        #expect(try trial.answer(request) == first)
    }

    @Test("libraries start threads in the workers that are for it, and in no others")
    func threads() throws {
        let trial = try Trial { $0.isStrict = false }
        for kind in [WorkerKind.stillsWithThreads, .drawings] {
            #expect(try trial.answer(trial.request(.startThread, kind: kind)) == "*")
        }
        guard try trial.pool.report(for: .stills).reached.contains(.systemCalls) else { return }
        #expect(try trial.cause(trial.request(.startThread)) != nil)
    }

    @Test("idle workers keep memory for the next image, up to a sum")
    func sharedMemory() throws {
        let trial = try Trial {
            $0.idleCount = 3
            $0.sharedByteCount = 10 << 20
        }
        for (scope, kept) in [("a", 5), ("b", 10), ("c", 10)] {
            var request = trial.request(.paint, parameters: "1024 1024")
            request.scope = scope
            _ = try trial.answer(request)
            #expect(trial.pool.sharedByteCount / (1 << 20) <= kept)
            #expect(trial.pool.sharedByteCount > 4 << 20)
        }
        #expect(try trial.perform(.paint, input: [5], size: (1_024, 1_024)).allSatisfy { $0 == 5 })
    }

    @Test("many threads have work done at the same time")
    func concurrency() throws {
        let trial = try Trial()
        let wrong = Lock(0)
        DispatchQueue.concurrentPerform(iterations: 40) { index in
            let byte = UInt8(index)
            let pixels = try? trial.perform(.paint, input: [byte], size: (50, 10))
            if pixels != [UInt8](repeating: byte, count: 2_000) { wrong.withLock { $0 += 1 } }
        }
        #expect(wrong.withLock { $0 } == 0)
    }

    @Test("workers that were killed while idle are replaced")
    func killedWhileIdle() throws {
        let trial = try Trial()
        for round in 0..<20 {
            for process in trial.pool.idleProcesses { kill(process, SIGKILL) }
            #expect(try trial.answer(trial.request(.echo, parameters: "\(round)")) == "\(round)")
        }
    }

    @Test("workers end with the process that forked them, which is started anew for the next one")
    func zygoteKilled() throws {
        let trial = try Trial()
        let worker = try #require(pid_t(try trial.answer(trial.request(.identify))))
        let zygote = try #require(trial.pool.zygoteProcess())
        let process = halcyon_process_descriptor(worker)
        try #require(process >= 0)
        defer { close(process) }
        kill(zygote, SIGKILL)
        var event = pollfd(fd: process, events: Int16(POLLIN), revents: 0)
        #expect(poll(&event, 1, 60_000) == 1)
        #expect(try trial.answer(trial.request(.identify)) != "\(worker)")
        #expect(trial.pool.zygoteProcess() != zygote)
    }

    @Test("an image under way when the process that forks workers ends is tried once more")
    func zygoteKilledMeanwhile() throws {
        let trial = try Trial()
        #expect(try trial.answer(trial.request(.echo)).isEmpty)
        let zygote = try #require(trial.pool.zygoteProcess())
        for process in trial.pool.idleProcesses { kill(process, SIGKILL) }
        var asked = 0
        let answer = try trial.answer(trial.request(.waitOnce, parameters: "\(zygote)")) {
            asked += 1
            // The first look comes before there is a worker.
            if asked == 2 { kill(zygote, SIGKILL) }
            return false
        }
        #expect(answer == "on")
    }

    @Test("where memory runs out, workers are ended before the process that forked them, and that before the program")
    func memoryShortage() throws {
        let trial = try Trial()
        let worker = try trial.answer(trial.request(.identify))
        let zygote = try #require(trial.pool.zygoteProcess())
        let values = try [worker, "\(zygote)"].map { process in
            let file = try #require(fopen("/proc/\(process)/oom_score_adj", "r"))
            defer { fclose(file) }
            var text = [CChar](repeating: 0, count: 20)
            #expect(fgets(&text, 20, file) != nil)
            return atoi(text)
        }
        #expect(values == [1_000, 500])
    }

    @Test("while fonts are found, other images are decoded, and drawings wait unless they are cancelled")
    func slowPreparation() throws {
        let program = try Trial.path()
        var name = Array("/tmp/halcyon-isolation-XXXXXX".utf8CString)
        try #require(mkdtemp(&name) != nil)
        let folder = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let path = "\(folder)/waiting"
        try #require(symlink(program, path) == 0)
        let trial = try Trial { $0.program = { path } }
        defer {
            trial.pool.endAll()
            for file in [path, "\(path).go"] { unlink(file) }
            rmdir(folder)
        }
        var asked = 0
        #expect(throws: CancellationError.self) {
            try trial.answer(trial.request(.echo, kind: .drawings)) {
                asked += 1
                return asked > 3
            }
        }
        let zygote = try #require(trial.pool.zygoteProcess(for: .drawings))
        #expect(try trial.answer(trial.request(.echo, parameters: "on")) == "on")
        let answer = try trial.answer(trial.request(.echo, kind: .drawings, parameters: "on")) {
            close(open("\(path).go", O_CREAT | O_WRONLY, 0o600))
            return false
        }
        #expect(answer == "on" && trial.pool.zygoteProcess(for: .drawings) == zygote)
    }

    @Test("a worker's stack has 8 MB also where the program's has no end")
    func stack() throws {
        #expect(try output(of: try Trial.path(), ["stack"]) == "8388608 8388608 8388608\n")
    }

    @Test("where files may not be large, an image that is fails, and the program goes on")
    func fileSizes() throws {
        #expect(try output(of: try Trial.path(), ["sizes"]) == "painted refused painted\n")
    }

    @Test("workers end after 30 seconds without work, and then the process that forked them")
    func idle() throws {
        let trial = try Trial()
        let worker = try #require(pid_t(try trial.answer(trial.request(.identify))))
        let zygote = try #require(trial.pool.zygoteProcess())
        trial.advance(by: .seconds(29))
        #expect(trial.pool.endIdle() == 1_000_000_000)
        #expect(trial.pool.idleProcesses == [worker])
        trial.advance(by: .seconds(1))
        #expect(trial.pool.endIdle() == nil)
        #expect(trial.pool.idleProcesses == [])
        #expect(trial.pool.zygoteProcess() == nil)
        for process in [worker, zygote] { #expect(kill(process, 0) == -1) }
        #expect(try trial.answer(trial.request(.echo, parameters: "anew")) == "anew")
    }

    @Test("nothing is left of a pool: no descriptor and no process")
    func leaks() throws {
        #expect(try output(of: try Trial.path(), ["leaks", "110"]) == "descriptors 0 children 0 answered 110\n")
    }

    @Test("a process that the program forks has workers of its own")
    func forks() throws {
        #expect(try output(of: try Trial.path(), ["fork"]) == "kept own\n")
    }

    @Test("where no descriptor is left for another worker, those that work go on")
    func descriptors() throws {
        #expect(try output(of: try Trial.path(), ["crowd"]) == "on refused\n")
    }

    @Test("a worker that has gone on working by itself serves no further image")
    func busyWorkers() throws {
        let trial = try Trial()
        let request = trial.request(.workAfterwards, kind: .stillsWithThreads)
        let worker = try #require(Int32(try trial.answer(request)))
        #expect(trial.pool.idleProcesses == [worker])
        // Until it has taken more than memory to give back would take.
        while halcyon_processor_time(worker) < 400_000_000 { sched_yield() }
        let next = try trial.answer(trial.request(.identify, kind: .stillsWithThreads))
        #expect(next != "\(worker)")
        #expect(!trial.pool.idleProcesses.contains(worker))
    }

    @Test("the processor time of a worker that has ended is not read: its number may be that of another process")
    func endedProcess() throws {
        let path = try Trial.path()
        let zygote = ZygoteConnection(program: { path })
        let confinement = ZygoteConnection.Confinement(
            kind: .stills,
            steps: .all,
            isStrict: true,
            memory: 1 << 30,
            processorSeconds: 60
        )
        let worker = try WorkerConnection(try zygote.fork(confinement), memory: 1 << 30)
        let process = try #require(zygote.process)
        // It waits for the worker, whose number is free then.
        kill(process, SIGSTOP)
        defer { kill(process, SIGCONT) }
        kill(worker.process, SIGKILL)
        while worker.isRunning { sched_yield() }
        #expect(worker.updatedProcessorTime() == 0)
    }

    @Test(
        "without a program for workers there is an error, and no worker has started",
        arguments: [nil, "/bin/true", "/"]
    )
    func unavailable(path: String?) throws {
        let trial = try Trial { $0.program = { path } }
        #expect {
            try trial.answer(trial.request(.echo))
        } throws: { error in
            guard case IsolationError.unavailable = error else { return false }
            return true
        }
        #expect(!trial.pool.hasStarted)
    }
}

/// Returns a file that is open for reading and has no name.
private func temporaryFile(byteCount: Int) throws -> Int32 {
    var name = Array("/tmp/halcyon-isolation-XXXXXX".utf8CString)
    let written = mkstemp(&name)
    try #require(written >= 0)
    defer { close(written) }
    #expect(write(written, [UInt8](repeating: 1, count: byteCount), byteCount) == byteCount)
    let descriptor = open(name, O_RDONLY | O_CLOEXEC)
    unlink(name)
    try #require(descriptor >= 0)
    return descriptor
}

/// What a program prints.
private func output(of path: String, _ arguments: [String]) throws -> String {
    let text = ([path] + arguments).map { "'\($0)'" }.joined(separator: " ")
    let file = try #require(popen("exec 2>&1; \(text)", "r"))
    defer { pclose(file) }
    var output: [UInt8] = []
    var byte = fgetc(file)
    while byte != EOF {
        output.append(UInt8(truncatingIfNeeded: byte))
        byte = fgetc(file)
    }
    return String(decoding: output, as: UTF8.self)
}
