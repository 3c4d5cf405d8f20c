internal import FoundationEssentials
internal import HalcyonFiles

/// The bytes of one body as they come: in memory, or on their way into a file.
struct BodyGathering {
    /// The most that is reserved on a server's word alone.
    private static let largestReservation = 16 << 20

    private var gathered = GatheredBytes()
    private(set) var writer: BodyWriter?
    /// Bytes of the body so far, those of an earlier transfer included.
    private(set) var receivedBytes = 0
    /// A Boolean value that indicates whether the bytes that come are not the body's.
    private var ignoresBytes = false
    private let memoryThreshold: Int

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
        self.ignoresBytes = ignoresBytes
        receivedBytes = heldBytes
    }

    /// Takes bytes. `makeWriter` is called once there are, or will be, more than fit memory.
    mutating func append(
        _ bytes: UnsafeRawBufferPointer,
        expected: Int?,
        makeWriter: () -> BodyWriter
    ) throws(TransferError) -> TransferDemand {
        guard !ignoresBytes, !bytes.isEmpty else { return .proceed }
        receivedBytes += bytes.count
        if writer == nil, max(receivedBytes, expected ?? 0) > memoryThreshold {
            let writer = makeWriter()
            self.writer = writer
            if !gathered.isEmpty {
                let earlier = gathered
                gathered = GatheredBytes()
                let result = earlier.withUnsafeBytes { bytes in
                    Result { () throws(TransferError) in try writer.append(bytes) }
                }
                _ = try result.get()
            }
        }
        guard let writer else {
            gathered.append(bytes)
            return .proceed
        }
        return try writer.append(bytes)
    }
}
