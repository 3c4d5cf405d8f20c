internal import CIsolation
internal import Glibc
internal import HalcyonCodecs
internal import HalcyonSystem

/// The program's end of one worker: its socket, its buffers and its process, closed with it. One thread uses it at a time.
final class WorkerConnection {
    /// Input up to this size is copied to a buffer that is kept, and more to memory that is used once.
    private static let keptByteCount = 16 << 20
    private static let firstOutputByteCount = 1 << 20
    /// The time between two looks at the caller's cancellation and at the worker's processor time.
    private static let lookTime: Int64 = 5_000_000
    private static let startTime: Int64 = 20_000_000_000
    /// The threads of one worker. A library that starts threads starts as many as there are processors, at the most.
    private static let threadLimit = max(64, 2 * ProcessorCount.available)
    /// The time in which the kernel removes a process that was killed.
    private static let endTime: Int32 = 5_000

    let identifier: UInt64
    let process: pid_t
    let report: IsolationReport
    /// The number of images that it has served.
    private(set) var servedCount = 0
    /// Whether the process is gone, or about to go.
    private(set) var isEnded = false

    /// The session whose values the worker keeps; `nil` if it keeps none.
    var session: Int?
    /// The bytes of private writable memory that it may have.
    let memory: Int
    /// The names of what its service can do.
    let names: Set<String>

    /// The bytes of shared memory that stay for the next image.
    private(set) var sharedByteCount = 0
    /// The bytes of all memory that was ever shared with it. One that was taken over may keep all of it.
    private(set) var sharedInAll = 0

    private let owner = getpid()
    private let socket: RecordSocket
    private let processDescriptor: Int32
    private let cancellation: SharedBuffer
    private var input: SharedBuffer?
    private var output: SharedBuffer?
    /// The buffer in whose place a larger one has come, which may hold pixels of the work that is under way.
    private var formerOutput: SharedBuffer?
    private var lastRequest: UInt64 = 0
    private let lease: ZygoteConnection.Lease

    /// The reason for which the process is gone, as seen from here.
    enum Ending: Error, Equatable {
        /// It ended by itself; the zygote knows how.
        case itself
        case trapped(number: Int32)
        case nonsense(NonsensicalAnswer)
        case time(processorTime: Int64)
        case processorTime
        /// It did not end its work when it was cancelled.
        case cancelled
    }

    /// Waits for the first record of a worker.
    ///
    /// - Throws: ``Ending``.
    init(_ worker: ZygoteConnection.Worker, memory: Int) throws {
        self.memory = memory
        names = worker.names
        identifier = worker.identifier
        process = worker.process
        socket = worker.socket
        processDescriptor = worker.processDescriptor
        cancellation = worker.cancellation
        lease = worker.lease
        var report: IsolationReport?
        var ending = Ending.itself
        let end = halcyon_monotonic_time() + Self.startTime
        waiting: while halcyon_monotonic_time() < end {
            switch Self.next(worker.socket, worker.processDescriptor, until: end) {
            case .record(let record, _):
                if record.kind == .hello, let result = HalcyonConfinementResult(bytes: record.payload) {
                    report = IsolationReport(result)
                } else if record.kind == .trapped {
                    ending = .trapped(number: record.header.code)
                } else {
                    ending = .nonsense(NonsensicalAnswer("it is no greeting"))
                }
                break waiting
            case .nothing: continue
            case .nonsense, .end: break waiting
            }
        }
        guard let report else {
            _ = halcyon_process_signal(worker.processDescriptor, SIGKILL)
            Self.waitForEnd(worker.processDescriptor)
            close(worker.processDescriptor)
            throw ending
        }
        self.report = report
    }

    deinit {
        // One that was taken over would not end with its socket. After a fork of the program it is its parent's.
        if !isEnded, owner == getpid() { _ = halcyon_process_signal(processDescriptor, SIGKILL) }
        close(processDescriptor)
    }

    /// The processor time that the process had taken in all when it was last asked, in nanoseconds.
    private(set) var processorTime: Int64 = 0

    /// Asks for the processor time of the process. What is read of one that has ended since may be that of another process.
    func updatedProcessorTime() -> Int64 {
        let time = halcyon_processor_time(process)
        if isRunning { processorTime = max(processorTime, time) }
        return processorTime
    }

    /// Whether the process has started more threads than a decoder does.
    var hasTooManyThreads: Bool {
        Int(halcyon_thread_count(process)) > Self.threadLimit && isRunning
    }

    /// Processor time that a worker may take between two images, to give back memory.
    private static let mostIdleTime: Int64 = 250_000_000

    /// Whether an idle worker has taken processor time, which would count for the next image.
    var isBusy: Bool {
        let before = processorTime
        return updatedProcessorTime() - before > Self.mostIdleTime
    }

    /// Whether the process still runs.
    var isRunning: Bool {
        var event = pollfd(fd: processDescriptor, events: Int16(POLLIN), revents: 0)
        return poll(&event, 1, 0) == 0
    }

    /// Gives the memory of the pixels back to the system. New pages for an image cost as much as decoding it in the program.
    func releaseOutput() {
        output?.releasePages()
        sharedByteCount = input?.byteCount ?? 0
    }

    /// Ends the process at once.
    func kill() {
        isEnded = true
        _ = halcyon_process_signal(processDescriptor, SIGKILL)
        Self.waitForEnd(processDescriptor)
    }

    // MARK: Work

    /// Has the work done, and passes the answer to `receive`.
    ///
    /// - Parameter cancellationTime: The nanoseconds for the work to end after it was cancelled.
    /// - Throws: ``Ending``, after which the process is gone; ``WorkerFailure``, ``IsolationError``, `CancellationError` and what
    ///   `receive` throws, after which it serves on.
    func perform<Result>(
        _ request: WorkerRequest,
        _ input: WorkerInput,
        cancellationTime: Int64,
        isCancelled: () -> Bool,
        receive: (WorkerResponse) throws -> Result
    ) throws -> Result {
        precondition(!isEnded)
        defer {
            // The worker is done with it, and one that was taken over would keep its pages.
            formerOutput?.releasePages()
            formerOutput = nil
        }
        let start = halcyon_monotonic_time()
        let processorStart = processorTime
        halcyon_shared_store(cancellation.address.assumingMemoryBound(to: UInt8.self), 0)
        try endingOnFailure { try send(request, input) }
        var cancelledAt: Int64?
        var hasBuffer = false
        while true {
            let now = halcyon_monotonic_time()
            if cancelledAt == nil, isCancelled() {
                halcyon_shared_store(cancellation.address.assumingMemoryBound(to: UInt8.self), 1)
                cancelledAt = now
            }
            let end = min(now + Self.lookTime, start + request.timeLimit.nanoseconds)
            let answer = try answer(to: request, until: end)
            switch answer {
            case nil, .needsBuffer?:
                // Most answers come before the first look, which costs some system calls.
                let now = halcyon_monotonic_time()
                if let cancelledAt, now - cancelledAt >= cancellationTime { throw ended(.cancelled) }
                let used = updatedProcessorTime() - processorStart
                if now - start >= request.timeLimit.nanoseconds { throw ended(.time(processorTime: used)) }
                if used >= request.processorTimeLimit.nanoseconds { throw ended(.processorTime) }
                if hasTooManyThreads { throw ended(.nonsense(NonsensicalAnswer("it starts threads without end"))) }
                if case .needsBuffer(let byteCount)? = answer {
                    // It would keep each of them.
                    if hasBuffer { throw ended(.nonsense(NonsensicalAnswer("it asks for a second buffer"))) }
                    hasBuffer = true
                    try endingOnFailure { try grantBuffer(byteCount, request) }
                }
            case .cancelled?:
                servedCount += 1
                guard cancelledAt != nil else { throw ended(.nonsense(NonsensicalAnswer("it was not cancelled"))) }
                throw CancellationError()
            case .failure(let payload)?:
                servedCount += 1
                if cancelledAt != nil { throw CancellationError() }
                if let refused = refusedByteCount {
                    refusedByteCount = nil
                    throw IsolationError.outputTooLarge(byteCount: refused, maximum: request.largestByteCount)
                }
                throw try endingOnNonsense { try request.failure(payload) }
            case .result(let result)?:
                servedCount += 1
                sharedByteCount = (self.input?.byteCount ?? 0) + (output?.byteCount ?? 0)
                if cancelledAt != nil { throw CancellationError() }
                // Within the buffer, as was checked.
                let bytes = UnsafeRawBufferPointer(start: output?.address, count: output?.byteCount ?? 0)
                let pixelByteCount = result.bytesPerRow * result.height
                let response = WorkerResponse(
                    result: result,
                    pixels: UnsafeRawBufferPointer(rebasing: bytes[..<pixelByteCount]),
                    description: Array(bytes[pixelByteCount..<pixelByteCount + result.descriptionByteCount]),
                    report: report
                )
                return try endingOnNonsense { try receive(response) }
            case .trapped(let number)?: throw ended(.trapped(number: number))
            }
        }
    }

    /// The size that the worker was refused for the request that is running.
    private var refusedByteCount: Int?

    private func send(_ request: WorkerRequest, _ input: WorkerInput) throws {
        lastRequest += 1
        refusedByteCount = nil
        var record = Record(.request, identifier: lastRequest, payload: request.parameters)
        record.header.code = Int32(truncatingIfNeeded: request.operation)
        record.header.byte_count = UInt64(input.byteCount)
        var parts: Record.Parts = []
        var descriptors: [Int32] = []
        // A buffer that is used once lives until the record that carries it is sent.
        var once: SharedBuffer?
        switch input {
        case .file(let descriptor, _):
            // Whoever has it could write to the program's file through it.
            guard halcyon_is_read_only(descriptor) else {
                throw IsolationError.cannotShare(reason: "it is open for writing")
            }
            parts.insert(.inputFile)
            descriptors.append(descriptor)
        case .bytes(let bytes) where bytes.count > Self.keptByteCount:
            let buffer = try share(bytes.count, isReadOnly: true)
            UnsafeMutableRawBufferPointer(start: buffer.address, count: bytes.count).copyMemory(from: bytes)
            parts.insert(.inputFile)
            descriptors.append(buffer.descriptor)
            once = buffer
        case .bytes(let bytes):
            if (self.input?.byteCount ?? 0) < max(1, bytes.count) {
                let buffer = try share(Self.roundedUp(bytes.count), isReadOnly: true)
                self.input = buffer
                parts.insert(.newInputBuffer)
                descriptors.append(buffer.descriptor)
            }
            parts.insert(.inputBuffer)
            if let start = bytes.baseAddress { self.input?.address.copyMemory(from: start, byteCount: bytes.count) }
        }
        if output == nil {
            let buffer = try share(Self.firstOutputByteCount)
            output = buffer
            parts.insert(.newOutputBuffer)
            descriptors.append(buffer.descriptor)
        }
        record.header.flags = parts.rawValue
        let isSent = withExtendedLifetime(once) { socket.send(record, descriptors: descriptors) }
        if !isSent { throw ended(.itself) }
    }

    /// Makes memory for the worker.
    private func share(_ byteCount: Int, isReadOnly: Bool = false) throws -> SharedBuffer {
        let buffer = try SharedBuffer(byteCount: byteCount, isReadOnly: isReadOnly)
        sharedInAll += buffer.byteCount
        return buffer
    }

    private func grantBuffer(_ byteCount: Int, _ request: WorkerRequest) throws {
        var answer = Record(.buffer, identifier: lastRequest)
        var descriptors: [Int32] = []
        if byteCount > request.largestByteCount || refusedByteCount != nil {
            refusedByteCount = byteCount
            answer.header.code = ENOMEM
        } else {
            let buffer = try share(byteCount)
            formerOutput = output
            output = buffer
            descriptors = [buffer.descriptor]
        }
        if !socket.send(answer, descriptors: descriptors) { throw ended(.itself) }
    }

    /// The next answer; `nil` if there is none by then.
    private func answer(to request: WorkerRequest, until end: Int64) throws -> WorkerAnswer? {
        switch Self.next(socket, processDescriptor, until: end) {
        case .nothing: return nil
        case .end: throw ended(.itself)
        case .nonsense: throw ended(.nonsense(NonsensicalAnswer("it is no record")))
        case .record(let record, _):
            do {
                return try WorkerAnswer(
                    record,
                    to: request,
                    identifier: lastRequest,
                    bufferByteCount: output?.byteCount ?? 0
                )
            } catch {
                throw ended(.nonsense(error))
            }
        }
    }

    /// Ends the process if what it was to be sent could not be made: it would wait for it, or use a buffer that is not there.
    private func endingOnFailure(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch {
            kill()
            throw error
        }
    }

    /// Ends the process if what it sent makes no sense on a second look.
    private func endingOnNonsense<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let answer as NonsensicalAnswer {
            throw ended(.nonsense(answer))
        }
    }

    private func ended(_ ending: Ending) -> Ending {
        kill()
        return ending
    }

    private static func roundedUp(_ byteCount: Int) -> Int {
        // In steps of half the size, so that files of growing sizes do not each take a new buffer.
        max(1 << 18, min(keptByteCount, byteCount + byteCount / 2))
    }

    // MARK: Waiting

    /// Waits for a record, for the end of the process, or for a time.
    private static func next(_ socket: RecordSocket, _ process: Int32, until end: Int64) -> RecordSocket.Received {
        var events = [
            pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: process, events: Int16(POLLIN), revents: 0),
        ]
        let left = max(0, end - halcyon_monotonic_time())
        // Rounded up: no waiting time would be a loop.
        guard poll(&events, 2, Int32(clamping: (left + 999_999) / 1_000_000)) > 0 else { return .nothing }
        // What it sent before it ended comes first.
        let received = socket.receive(waits: false)
        if case .nothing = received, events[1].revents != 0 { return .end }
        return received
    }

    private static func waitForEnd(_ process: Int32) {
        var event = pollfd(fd: process, events: Int16(POLLIN), revents: 0)
        while poll(&event, 1, endTime) < 0 && errno == EINTR {}
    }
}

extension Duration {
    /// The number of nanoseconds, at most 292 years.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflows ? .max / 4 : min(.max / 4, whole.addingReportingOverflow(attoseconds / 1_000_000_000).0)
    }
}
