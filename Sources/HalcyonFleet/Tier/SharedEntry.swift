internal import FoundationEssentials
internal import HalcyonStore
internal import HalcyonSystem

/// An entry as an engine keeps it.
///
/// ```
/// offset  bytes
///      0      4  "HCY1": the version of this form
///      4      4  length of the metadata
///      8     16  version of the entry, two numbers
///     24     16  position in the log of removals that the process had heard of, time and sequence
///     40      8  identity of that log
///     48      8  lifetime in milliseconds
///     56      8  time that making the entry took, in microseconds; 0: not known
///     64      8  1 if the digest is known
///     72      8  digest of the original
///     80      8  XXH3 of all other bytes
///     88         metadata (validators and response time among them), then the body
/// ```
///
/// Numbers are little endian. Other bytes are no entry.
struct SharedEntry: Sendable {
    static let headByteCount = 88

    var version: TierVersion
    var position: RemovalPosition
    var log: UInt64
    var lifetime: Duration
    var makingTime: Duration
    var digest: UInt64?
    var metadata: Data
    var body: Data

    private static let mark = Array("HCY1".utf8)

    /// The bytes of the entry.
    var encoded: Data {
        var data = Data(capacity: Self.headByteCount + metadata.count + body.count)
        func append(_ number: some FixedWidthInteger) {
            withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
        }
        data.append(contentsOf: Self.mark)
        append(UInt32(metadata.count))
        append(version.first)
        append(version.second)
        append(position.time)
        append(position.sequence)
        append(log)
        append(lifetime.whole(.milliseconds(1)))
        append(makingTime.whole(.microseconds(1)))
        append(UInt64(digest == nil ? 0 : 1))
        append(digest ?? 0)
        append(Self.checksum(of: data, metadata, body))
        data.append(metadata)
        data.append(body)
        return data
    }

    private static func checksum(of head: Data, _ metadata: Data, _ body: Data) -> UInt64 {
        let checksum = Checksum()
        for part in [head, metadata, body] { part.withUnsafeBytes { checksum.update($0) } }
        return checksum.value
    }

    init(
        version: TierVersion,
        position: RemovalPosition,
        log: UInt64,
        lifetime: Duration,
        makingTime: Duration,
        digest: UInt64?,
        metadata: Data,
        body: Data
    ) {
        self.version = version
        self.position = position
        self.log = log
        self.lifetime = lifetime
        self.makingTime = makingTime
        self.digest = digest
        self.metadata = metadata
        self.body = body
    }

    /// Reads an entry; `nil` for bytes that are none, or damaged.
    init?(_ data: Data) {
        guard data.count >= Self.headByteCount, data.prefix(4).elementsEqual(Self.mark) else { return nil }
        func number<Number: FixedWidthInteger>(at offset: Int) -> Number {
            data.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self)) }
        }
        let metadataLength = Int(number(at: 4) as UInt32)
        guard metadataLength <= data.count - Self.headByteCount else { return nil }
        let start = data.startIndex
        let metadata = data[(start + Self.headByteCount)..<(start + Self.headByteCount + metadataLength)]
        let body = data[(start + Self.headByteCount + metadataLength)...]
        guard number(at: 80) as UInt64 == Self.checksum(of: data.prefix(80), metadata, body) else { return nil }
        version = TierVersion(number(at: 8), number(at: 16))
        position = RemovalPosition(time: number(at: 24), sequence: number(at: 32))
        log = number(at: 40)
        lifetime = .milliseconds(number(at: 48) as Int64)
        makingTime = .microseconds(number(at: 56) as Int64)
        digest = number(at: 64) as UInt64 == 1 ? number(at: 72) : nil
        self.metadata = Data(metadata)
        self.body = Data(body)
    }

    /// A version as a part of rows, by which the engine compares them.
    static func row(_ version: TierVersion) -> Data {
        var data = Data()
        for number in [version.first, version.second] {
            withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
        }
        return data
    }

    /// A digest as a part of rows, and as a digest that a removal keeps.
    static func row(_ digest: UInt64?) -> Data {
        guard let digest else { return Data([0]) }
        var data = Data([1])
        withUnsafeBytes(of: digest.littleEndian) { data.append(contentsOf: $0) }
        return data
    }
}

extension TierVersion {
    /// A version that no other entry has.
    static func new() -> TierVersion {
        TierVersion(.random(in: .min ... .max), .random(in: .min ... .max))
    }
}

extension Duration {
    /// Returns the number of whole units, at most `Int64.max`.
    func whole(_ unit: Duration) -> Int64 {
        let count = (self / unit).rounded(.down)
        return count >= 9e18 ? .max : Int64(count)
    }
}
