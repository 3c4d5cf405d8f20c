internal import HalcyonCodecs
internal import HalcyonSystem

/// The files that ended a worker, by their content, which are not decoded again for a time.
struct RefusedInputs {
    private struct Entry {
        let byteCount: Int
        let digest: String
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
    mutating func mayContain(byteCount: Int, now: Int64) -> Bool {
        entries.removeAll { $0.end <= now }
        return entries.contains { $0.byteCount == byteCount }
    }

    func loss(byteCount: Int, digest: String, now: Int64) -> WorkerLoss? {
        entries.first { $0.byteCount == byteCount && $0.digest == digest && $0.end > now }?.loss
    }

    mutating func insert(byteCount: Int, digest: String, loss: WorkerLoss, now: Int64) {
        entries.removeAll { $0.byteCount == byteCount && $0.digest == digest }
        if entries.count >= capacity { entries.removeFirst() }
        entries.append(Entry(byteCount: byteCount, digest: digest, loss: loss, end: now + duration))
    }
}

extension WorkerInput {
    /// The SHA-256 of the bytes, so that no file can be made that is taken for another; `nil` if the file cannot be read.
    func digest() -> String? {
        var hash = SHA256()
        switch self {
        case .bytes(let bytes):
            for start in stride(from: 0, to: bytes.count, by: Self.partByteCount) {
                hash.update(Array(bytes[start..<min(bytes.count, start + Self.partByteCount)]))
            }
        case .file(let descriptor, let byteCount):
            var position = 0
            while position < byteCount {
                guard
                    let part = FilePart.read(
                        descriptor,
                        at: position,
                        upTo: min(Self.partByteCount, byteCount - position)
                    )
                else { return nil }
                if part.isEmpty { break }
                hash.update(part)
                position += part.count
            }
        }
        return hash.finish()
    }

    private static let partByteCount = 1 << 18
}
