internal import CIsolation
internal import Glibc
internal import HalcyonCodecs
internal import HalcyonSystem

/// The process from which workers are forked: all libraries are loaded, it holds no image, and it runs one thread.
///
/// It is the workers' parent, so that the program's own `wait` and `SIGCHLD` see none of them.
final class Zygote {
    private struct Child {
        let identifier: UInt64
        let descriptor: Int32
    }

    private struct End {
        let identifier: UInt64
        let code: Int32
        let status: Int32
    }

    /// The ends that are remembered until the program asks for them.
    private static let endCapacity = 256
    /// The bytes of bitmaps that a worker keeps for the next one: new pages cost more than what is decoded into them.
    private static let keptByteCount = 32 << 20

    /// The preference by which the kernel ends this process where memory runs out, and that by which it ends workers.
    private static let (shortageValue, shortageValueOfWorkers): (Int32, Int32) = (500, 1_000)

    private let process = getpid()
    private let socket: RecordSocket
    private let service: any WorkerService
    private var children: [Child] = []
    private var ends: [End] = []
    /// The files and folders that the workers of a kind may read.
    private var readablePaths: [WorkerKind: [String]] = [:]
    /// The names of what the service can do, each behind a zero byte.
    private let names: [UInt8]

    init(socket: RecordSocket, service: any WorkerService) {
        self.socket = socket
        self.service = service
        names = service.names.flatMap { [0] + Array($0.utf8) }
    }

    func run() -> Never {
        // Libraries ask for the time of day, for which the time zone's file is read once.
        tzset()
        MemoryPool.shared.endSweeping(byteLimit: Self.keptByteCount)
        halcyon_reset_crash_signals()
        // Where files may have no size, writing a cache of fonts fails, and does not end this process.
        signal(SIGXFSZ, SIG_IGN)
        halcyon_prefer_for_memory_shortage(Self.shortageValue)
        while true {
            waitForEvent()
            switch socket.receive(waits: false, descriptorCapacity: 2) {
            case .record(let record, let descriptors) where record.kind == .fork:
                fork(record, descriptors)
            case .record(let record, let descriptors) where record.kind == .status && descriptors.isEmpty:
                tellStatus(of: record.header.identifier)
            case .record(let record, let descriptors) where record.kind == .prepare && descriptors.isEmpty:
                guard let kind = WorkerKind(rawValue: record.header.code) else { end() }
                prepare(for: kind)
                if !socket.send(record) { end() }
            case .nothing: break
            case .record, .nonsense, .end: end()
            }
        }
    }

    /// Waits for a record of the program, or for the end of a worker.
    private func waitForEvent() {
        var events = [pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)]
        events += children.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        guard poll(&events, nfds_t(events.count), -1) > 0 else { return }
        let ended = zip(events.dropFirst(), children).filter { $0.0.revents != 0 }.map(\.1.identifier)
        for identifier in ended { collect(identifier) }
    }

    /// Ends all workers with the program: one in an endless loop would not see its socket closed.
    private func end() -> Never {
        for child in children { _ = halcyon_process_signal(child.descriptor, SIGKILL) }
        var code: Int32 = 0
        var status: Int32 = 0
        for child in children { _ = halcyon_process_end(child.descriptor, true, &code, &status) }
        _exit(0)
    }

    // MARK: Forking

    private func fork(_ record: Record, _ descriptors: [Int32]) {
        defer { descriptors.forEach { close($0) } }
        var answer = Record(.forked, identifier: record.header.identifier)
        guard let kind = WorkerKind(rawValue: record.header.code) else { end() }
        guard descriptors.count == 2 else {
            answer.header.code = EMFILE
            _ = socket.send(answer)
            return
        }
        prepare(for: kind)
        let process = halcyon_fork()
        if process == 0 { work(record, kind, socket: descriptors[0], memory: descriptors[1]) }
        guard process > 0 else {
            answer.header.code = errno
            _ = socket.send(answer)
            return
        }
        // The number is still the child's: it is waited for here only.
        let descriptor = halcyon_process_descriptor(process)
        guard descriptor >= 0 else {
            answer.header.code = errno
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
            _ = socket.send(answer)
            return
        }
        children.append(Child(identifier: record.header.identifier, descriptor: descriptor))
        answer.header.status = process
        answer.payload = names
        if !socket.send(answer, descriptors: [descriptor]) { end() }
    }

    private func prepare(for kind: WorkerKind) {
        guard readablePaths[kind] == nil else { return }
        readablePaths[kind] = service.prepare(for: kind)
        waitForOneThread()
    }

    /// Waits until threads that a library started to prepare itself have ended: a forked process has the forking thread only,
    /// and the locks that the others held would stay locked.
    private func waitForOneThread() {
        var pause = timespec(tv_sec: 0, tv_nsec: 1_000_000)
        for _ in 0..<2_000 {
            if halcyon_thread_count(process) <= 1 { return }
            nanosleep(&pause, nil)
        }
    }

    /// Runs in the new process.
    private func work(_ record: Record, _ kind: WorkerKind, socket worker: Int32, memory: Int32) -> Never {
        guard halcyon_end_with_parent(process) else { _exit(EXIT_FAILURE) }
        halcyon_prefer_for_memory_shortage(Self.shortageValueOfWorkers)
        // With the zygote's socket a worker could pass for another.
        guard halcyon_close_others(worker, memory) else { _exit(EXIT_FAILURE) }
        guard let byte = halcyon_map(memory, 1, false) else { _exit(EXIT_FAILURE) }
        close(memory)
        let result = confine(record, kind, worker)
        let socket = RecordSocket(owning: worker)
        guard socket.send(Record(.hello, identifier: record.header.identifier, payload: result.bytes)) else {
            _exit(EXIT_FAILURE)
        }
        let cancellation = CancellationByte(byte.assumingMemoryBound(to: UInt8.self))
        WorkerLoop(socket: socket, cancellation: cancellation, service: service).run()
    }

    private func confine(_ record: Record, _ kind: WorkerKind, _ socket: Int32) -> HalcyonConfinementResult {
        var confinement = HalcyonConfinement()
        confinement.steps = record.header.flags
        confinement.filter = kind.filter
        confinement.is_strict = record.header.status != 0
        confinement.memory = record.header.byte_count
        confinement.address_space = kind.addressSpace(memory: record.header.byte_count)
        confinement.processor_seconds = record.header.capacity
        confinement.socket = socket
        let paths = (readablePaths[kind] ?? []).map { strdup($0) }
        defer { paths.forEach { free($0) } }
        return paths.map { UnsafePointer($0) }.withUnsafeBufferPointer { paths in
            confinement.readable_paths = paths.baseAddress
            confinement.readable_path_count = paths.count
            return halcyon_confine(&confinement)
        }
    }

    // MARK: Ends

    private func collect(_ identifier: UInt64) {
        guard let index = children.firstIndex(where: { $0.identifier == identifier }) else { return }
        var code: Int32 = 0
        var status: Int32 = 0
        guard halcyon_process_end(children[index].descriptor, false, &code, &status) != 0 else { return }
        close(children.remove(at: index).descriptor)
        if ends.count == Self.endCapacity { ends.removeFirst() }
        ends.append(End(identifier: identifier, code: code, status: status))
    }

    private func tellStatus(of identifier: UInt64) {
        collect(identifier)
        var answer = Record(.status, identifier: identifier)
        if let index = ends.firstIndex(where: { $0.identifier == identifier }) {
            let end = ends.remove(at: index)
            answer.header.code = end.code
            answer.header.status = end.status
        }
        if !socket.send(answer) { self.end() }
    }
}

extension WorkerKind {
    /// The bytes that a worker may map: three times its memory, for that memory and two buffers that are shared, and a bound
    /// for libraries, fonts and stacks of threads; of videos also for the file, which is mapped as a whole.
    fileprivate func addressSpace(memory: UInt64) -> UInt64 {
        memory == 0 ? 0 : 3 * min(memory, 1 << 48) + (self == .videos ? 256 << 30 : 8 << 30)
    }

    /// The filter of system calls.
    fileprivate var filter: HalcyonFilter {
        switch self {
        case .stills, .videos: HALCYON_FILTER_STILLS
        case .stillsWithThreads: HALCYON_FILTER_STILLS_WITH_THREADS
        case .drawings: HALCYON_FILTER_DRAWINGS
        }
    }
}
