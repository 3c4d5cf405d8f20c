internal import CIsolation
internal import Glibc
internal import HalcyonCodecs
internal import HalcyonIsolation
internal import Synchronization

/// The service behind `TrialWork`.
final class TrialService: WorkerService {
    /// The process that workers are forked from.
    private let origin = getpid()
    private let originStackByteCount = stackLimit().rlim_cur
    private let servedCount = Atomic<Int>(0)
    /// The address of a buffer in whose place another has come.
    private let keptBuffer = Atomic<UInt>(0)
    private let decoding = DecodingService(
        WorkerOnlyDecoder.all.reduce(ImageCodecs.core) { $0.registering(decoder: $1) }
    )

    var names: [String] { decoding.names }

    /// Where the program's name ends in `waiting`, drawings are prepared for once there is a file with that name and `.go`.
    func prepare(for kind: WorkerKind) -> [String] {
        guard kind == .drawings else { return [] }
        let name = CommandLine.arguments.first ?? ""
        if name.hasSuffix("waiting") {
            while access("\(name).go", F_OK) != 0 { usleep(1_000) }
        }
        return ["/usr/share/fonts"]
    }

    func perform(_ task: WorkerTask) throws -> WorkerResult {
        if task.operation == 0 { return try decoding.perform(task) }
        let isUsed = servedCount.add(1, ordering: .relaxed).oldValue > 0
        guard let work = TrialWork(rawValue: task.operation) else { throw WorkerFailure(payload: []) }
        if let answer = try decoded(task, work) ?? nonsense(task, work) { return answer }
        if work == .abortIfUsed {
            if isUsed { abort() }
            return WorkerResult(payload: Array("fresh".utf8))
        }
        if work == .loopIfUsed {
            while isUsed { sched_yield() }
            return WorkerResult(payload: Array("fresh".utf8))
        }
        if work == .waitOnce {
            while "\(origin)" == String(decoding: task.parameters, as: UTF8.self) { usleep(1_000) }
            return WorkerResult(payload: Array("on".utf8))
        }
        fail(work)
        guard let error = TrialAttack.error(of: work, task) else { throw WorkerFailure(payload: []) }
        return WorkerResult(payload: Array("\(error)".utf8))
    }

    // MARK: Decoders

    private func decoded(_ task: WorkerTask, _ work: TrialWork) throws -> WorkerResult? {
        switch work {
        case .paint:
            let size = String(decoding: task.parameters, as: UTF8.self).split(separator: " ").compactMap { Int($0) }
            let width = size.first ?? 1
            let height = size.last ?? 1
            let pixels = try task.output(byteCount: width * height * 4)
            let sum = task.input.reduce(UInt8(0)) { $0 &+ $1 }
            for index in pixels.indices { pixels[index] = sum }
            return WorkerResult(width: width, height: height, bytesPerRow: width * 4, bytesPerPixel: 4)
        case .echo: return WorkerResult(payload: task.parameters)
        case .fail: throw WorkerFailure(payload: task.parameters)
        case .workUntilCancelled:
            while !task.cancellation.isCancelled { sched_yield() }
            throw CancellationError()
        case .startThread: return WorkerResult(payload: [try TrialAttack.numberOfThread()])
        case .count: return WorkerResult(payload: Array("\(task.input.count)".utf8))
        case .identify: return WorkerResult(payload: Array("\(getpid())".utf8))
        case .workAfterwards:
            var thread = pthread_t()
            pthread_create(&thread, nil, { _ in while true { sched_yield() } }, nil)
            return WorkerResult(payload: Array("\(getpid())".utf8))
        case .takeAddresses:
            let count = (0..<64).firstIndex { _ in
                mmap(nil, 1 << 30, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED
            }
            return WorkerResult(payload: Array("\(count ?? 64)".utf8))
        case .keepBuffer:
            if let kept = UnsafeMutablePointer<UInt8>(bitPattern: keptBuffer.load(ordering: .relaxed)) {
                return WorkerResult(payload: Array("\(kept.pointee)".utf8))
            }
            guard let map = TrialAttack.secondMap(of: task.lentOutput) else { throw WorkerFailure(payload: []) }
            map.pointee = 7
            keptBuffer.store(UInt(bitPattern: map), ordering: .relaxed)
            _ = try task.output(byteCount: 4 << 20)
            return WorkerResult(payload: Array("\(map.pointee)".utf8))
        case .stackLimits:
            let limit = Self.stackLimit()
            return WorkerResult(payload: Array("\(originStackByteCount) \(limit.rlim_cur) \(limit.rlim_max)".utf8))
        case .takeMemory:
            // Volatile for the compiler: the pages are touched through a call.
            var blocks: [UnsafeMutableRawPointer] = []
            while let block = malloc(1 << 20) {
                memset(block, 1, 1 << 20)
                blocks.append(block)
            }
            for block in blocks { free(block) }
            return WorkerResult(payload: Array("\(blocks.count)".utf8))
        default: return nil
        }
    }

    private static func stackLimit() -> rlimit {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_STACK.rawValue), &limit)
        return limit
    }

    // MARK: Faults

    private func fail(_ work: TrialWork) {
        switch work {
        case .writeToNull: UnsafeMutablePointer<UInt8>(bitPattern: Int(getpid() & 0) + 8)?.pointee = 1
        case .abort: abort()
        case .trap: fatalError("as a decoder would that counts wrongly")
        case .exit: Glibc.exit(7)
        case .loop: while sched_yield() == 0 {}
        case .startThreads:
            TrialAttack.startThreads()
            while sleep(1_000) == 0 {}
        case .wait: while sleep(1_000) == 0 {}
        default: break
        }
    }

    // MARK: Answers without sense

    private func nonsense(_ task: WorkerTask, _ work: TrialWork) -> WorkerResult? {
        switch work {
        case .answerWithBytes:
            send { write($0, "nonsense", 8) }
        case .answerOtherRequest:
            send(kind: 5, identifier: .max)
        case .answerWithDescriptor:
            send(kind: 6, identifier: 1, descriptors: [0])
        case .answerWithGreeting:
            send(kind: 1, identifier: 1)
        case .askForSmallerBuffer:
            send(kind: 3, identifier: 1)
        case .answerHugeImage:
            return WorkerResult(width: 1 << 30, height: 1 << 31, bytesPerRow: 1 << 32 - 1, bytesPerPixel: 4)
        case .answerShortRows:
            return WorkerResult(width: 100, height: 100, bytesPerRow: 100, bytesPerPixel: 4)
        case .answerWithoutPixels:
            return WorkerResult(width: 10_000, height: 10_000, bytesPerRow: 40_000, bytesPerPixel: 4)
        default: return nil
        }
        return WorkerResult()
    }

    private func send(kind: UInt32, identifier: UInt64, descriptors: [Int32] = []) {
        var record = HalcyonRecord()
        record.magic = HALCYON_RECORD_MAGIC
        record.kind = kind
        record.identifier = identifier
        send { Int(halcyon_send($0, &record, nil, descriptors, Int32(descriptors.count))) }
    }

    /// Code that took a worker over does not know the number of its socket, but finds it.
    private func send(_ body: (Int32) -> Int) {
        for descriptor: Int32 in 3..<64 { _ = body(descriptor) }
    }
}
