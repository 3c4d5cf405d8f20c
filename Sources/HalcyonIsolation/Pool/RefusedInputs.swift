internal import Glibc
internal import HalcyonCodecs
internal import HalcyonSystem

/// The files that ended a worker, by their content, which are not decoded again for a time.
struct RefusedInputs {
    /// The work that a file is refused for.
    struct Work: Equatable {
        /// The frame of an animation; `nil` for the file as such.
        var frame: Int?
        /// The bytes of memory that the worker had.
        var memory: Int

        /// Whether a worker that ended with this work is a reason to refuse other work: one that has no more memory, of the
        /// same frame if it was a frame.
        func refuses(_ other: Work) -> Bool {
            other.memory <= memory && (frame == nil || frame == other.frame)
        }
    }

    private struct Entry {
        let byteCount: Int
        let name: String
        let work: Work
        let loss: WorkerLoss
        let end: Int64
    }

    private let capacity: Int
    private let duration: Int64
    /// In the order of their ends.
    private var entries: [Entry] = []

    /// - Parameters:
    ///   - capacity: The number of files; the oldest is forgotten for one more.
    ///   - duration: The time, in nanoseconds.
    init(capacity: Int, duration: Int64) {
        self.capacity = capacity
        self.duration = duration
    }

    /// Whether a file of this size may be among them: its content needs a look only then.
    mutating func mayContain(byteCount: Int, for work: Work, now: Int64) -> Bool {
        entries.removeAll { $0.end <= now }
        return entries.contains { $0.byteCount == byteCount && $0.work.refuses(work) }
    }

    func loss(byteCount: Int, name: String, for work: Work, now: Int64) -> WorkerLoss? {
        entries.first { $0.byteCount == byteCount && $0.name == name && $0.work.refuses(work) && $0.end > now }?.loss
    }

    mutating func insert(byteCount: Int, name: String, work: Work, loss: WorkerLoss, now: Int64) {
        var work = work
        // Frames are composed on each other: a second one that ends a worker says that the others behind it would, too.
        let isOneOfMany = entries.contains { entry in
            entry.byteCount == byteCount && entry.name == name && entry.work.frame != work.frame
        }
        if isOneOfMany { work.frame = nil }
        entries.removeAll { $0.byteCount == byteCount && $0.name == name && work.refuses($0.work) }
        if entries.count >= capacity { entries.removeFirst() }
        entries.append(Entry(byteCount: byteCount, name: name, work: work, loss: loss, end: now + duration))
    }
}

extension WorkerInput {
    /// The name of the content: the SHA-256 of bytes, so that none can be made that are taken for others, and of a file, which
    /// may be of any size, what the system says of it. `nil` if the system says nothing.
    func name() -> String? {
        switch self {
        case .bytes(let bytes):
            var hash = SHA256()
            for start in stride(from: 0, to: bytes.count, by: Self.partByteCount) {
                hash.update(Array(bytes[start..<min(bytes.count, start + Self.partByteCount)]))
            }
            return hash.finish()
        case .file(let descriptor, _):
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { return nil }
            let times = [status.st_mtim, status.st_ctim].map { "\($0.tv_sec).\($0.tv_nsec)" }
            return ["\(status.st_dev)", "\(status.st_ino)", "\(status.st_size)"].joined(separator: ":")
                + ":" + times.joined(separator: ":")
        }
    }

    private static let partByteCount = 1 << 18
}
