internal import FoundationEssentials
internal import HalcyonSystem

/// The bytes of one body as they come: in memory, or on their way into a file.
struct BodyGathering {
    /// The most that is reserved on a server's word alone.
    private static let largestReservation = 16 << 20

    private var gathered = GatheredBytes()
    private(set) var writer: BodyWriter?
    /// Whether the bytes are in memory, perhaps on their way into a file, too.
    private(set) var isInMemory = true
    /// Bytes of the body so far, those of an earlier transfer included.
    private(set) var receivedBytes = 0
    /// A Boolean value that indicates whether the bytes that come are not the body's.
    private var ignoresBytes = false
    private let memoryThreshold: Int
    /// When what comes goes to a file as well, however short it is; `nil` for never.
    var memoryEnd: ContinuousClock.Instant?

    /// Returns a copy of the bytes in memory from a place on.
    func bytes(from offset: Int) -> Data {
        gathered.withUnsafeBytes { bytes in Data(bytes.dropFirst(offset)) }
    }

    /// The bytes in memory.
    var data: Data { gathered.data }

    init(memoryThreshold: Int) {
        self.memoryThreshold = memoryThreshold
    }

    /// Takes memory for a known length once, unless the body goes to a file anyway.
    mutating func expect(_ count: Int) {
        guard count > 0, count <= memoryThreshold else { return }
        gathered.reserveCapacity(min(count, Self.largestReservation))
    }

    /// Goes on with what `writer` opens, which holds so many bytes already.
    mutating func goOn(with writer: BodyWriter, after heldBytes: Int, ignoresBytes: Bool) {
        self.writer = writer
        isInMemory = false
        self.ignoresBytes = ignoresBytes
        receivedBytes = heldBytes
    }

    /// Counts bytes, and takes them if they fit memory.
    ///
    /// - Parameter makeWriter: Makes a writer that begins with what is in memory, once there is, or will be, more than
    ///   fits there, or ``memoryEnd`` has come. No lock is to be taken by it: this may be called under one.
    /// - Returns: The writer that the bytes are to be passed on to; `nil` if there is nothing to pass on.
    mutating func append(
        _ bytes: UnsafeRawBufferPointer,
        expected: Int?,
        makeWriter: (_ beginning: GatheredBytes) -> BodyWriter
    ) -> BodyWriter? {
        guard !ignoresBytes, !bytes.isEmpty else { return nil }
        receivedBytes += bytes.count
        let isLong = max(receivedBytes, expected ?? 0) > memoryThreshold
        if writer == nil, isLong || memoryEnd.map({ $0 <= .now }) ?? false { writer = makeWriter(gathered) }
        if isLong {
            isInMemory = false
            gathered = GatheredBytes()
        }
        if isInMemory { gathered.append(bytes) }
        return writer
    }
}
