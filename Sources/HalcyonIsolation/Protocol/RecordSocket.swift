internal import CIsolation
internal import Glibc
internal import HalcyonCodecs

/// One end of a pair of sockets that carries records, closed with its owner.
///
/// A record is one packet (`SOCK_SEQPACKET`): a header of 64 bytes, and at most 32 kB of bytes behind it.
final class RecordSocket {
    let descriptor: Int32

    init(owning descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    static func pair() throws -> (RecordSocket, RecordSocket) {
        var ends: [Int32] = [-1, -1]
        let error = halcyon_socket_pair(&ends)
        guard error == 0 else { throw IsolationError.unavailable(reason: systemErrorText(error)) }
        return (RecordSocket(owning: ends[0]), RecordSocket(owning: ends[1]))
    }

    /// Sends a record, and returns whether the other end has it.
    func send(_ record: Record, descriptors: [Int32] = []) -> Bool {
        guard record.payload.count <= HALCYON_RECORD_PAYLOAD_CAPACITY else { return false }
        var header = record.header
        header.magic = HALCYON_RECORD_MAGIC
        header.payload_count = UInt32(record.payload.count)
        return halcyon_send(descriptor, &header, record.payload, descriptors, Int32(descriptors.count)) == 0
    }

    /// Receives a record, with as many descriptors as the caller expects at the most.
    func receive(waits: Bool, descriptorCapacity: Int = 0) -> Received {
        var header = HalcyonRecord()
        var descriptors: [Int32] = [-1, -1, -1]
        var count: Int32 = 0
        let payload = [UInt8](unsafeUninitializedCapacity: Int(HALCYON_RECORD_PAYLOAD_CAPACITY)) { buffer, size in
            count = halcyon_receive(
                descriptor,
                waits,
                &header,
                buffer.baseAddress,
                buffer.count,
                &descriptors,
                Int32(descriptorCapacity)
            )
            // Exactly what the packet had behind the header: `halcyon_receive` has compared the two.
            size = count >= 0 ? Int(header.payload_count) : 0
        }
        return switch count {
        case Int32(HALCYON_RECEIVED_END): .end
        case Int32(HALCYON_RECEIVED_NOTHING): .nothing
        case Int32(HALCYON_RECEIVED_NONSENSE): .nonsense
        default: .record(Record(header: header, payload: payload), descriptors: Array(descriptors.prefix(Int(count))))
        }
    }

    enum Received {
        case record(Record, descriptors: [Int32])
        /// The other end is closed.
        case end
        /// There is no record yet.
        case nothing
        /// What was sent is no record.
        case nonsense
    }
}

/// A message between the program, the zygote and a worker.
struct Record {
    var header: HalcyonRecord
    var payload: [UInt8]

    init(header: HalcyonRecord, payload: [UInt8]) {
        self.header = header
        self.payload = payload
    }

    init(_ kind: Kind, identifier: UInt64 = 0, payload: [UInt8] = []) {
        header = HalcyonRecord()
        header.kind = kind.rawValue
        header.identifier = identifier
        self.payload = payload
    }

    var kind: Kind? { Kind(rawValue: header.kind) }

    /// The kinds of records, with the numbers of the C header.
    enum Kind: UInt32 {
        /// A worker's first: the protection that it reached.
        case hello = 1
        /// The program asks for an image.
        case request = 2
        /// A worker asks for a larger buffer, and gets one, or a refusal.
        case needsBuffer = 3
        case buffer = 4
        /// The three answers of a worker.
        case response = 5
        case failure = 6
        case cancelled = 7
        /// The last of a worker, which made a refused system call.
        case trapped = 8
        /// The program asks the zygote for a worker, and gets it.
        case fork = 9
        case forked = 10
        /// The program asks the zygote how a worker ended, and is told.
        case status = 11
        /// The program asks the zygote to load what workers of a kind need, and is told once that is done.
        case prepare = 12
    }

    /// The parts that come with a request, in `flags`.
    struct Parts: OptionSet {
        let rawValue: UInt32

        /// A file to read, once: the first descriptor.
        static let inputFile = Parts(rawValue: 1 << 0)
        /// The buffer of the input, for this request and later ones: the first descriptor.
        static let newInputBuffer = Parts(rawValue: 1 << 1)
        /// The input lies in its buffer.
        static let inputBuffer = Parts(rawValue: 1 << 2)
        /// The buffer of the pixels, for this request and later ones: the last descriptor.
        static let newOutputBuffer = Parts(rawValue: 1 << 3)
    }

    var parts: Parts { Parts(rawValue: header.flags) }
}

extension HalcyonConfinementResult {
    /// The bytes of a worker's first record.
    var bytes: [UInt8] { withUnsafeBytes(of: self) { Array($0) } }

    init?(bytes: [UInt8]) {
        guard bytes.count == MemoryLayout<Self>.size else { return nil }
        self = bytes.withUnsafeBytes { $0.loadUnaligned(as: Self.self) }
    }
}
