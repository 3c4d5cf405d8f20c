internal import FoundationEssentials
internal import HTTPTypes
internal import HalcyonSystem

/// The content of the journal of a partial body; `FORMAT.md` describes it byte by byte.
struct PartialBodyJournal: Equatable {
    /// The point up to which the body is known to be good.
    struct Checkpoint: Equatable {
        var end: Int
        /// The checksum of the bytes since the checkpoint before.
        var checksum: UInt64
    }

    /// The version of the format. Files of another one are not read.
    static let version = 1
    /// "HalcPart"
    private static let magic: UInt64 = 0x7472_6150_636C_6148
    private static let preambleSize = 32
    static let checkpointSize = 24
    /// A head with more than this is not kept.
    static let maximumHeadSize = 64 << 10
    /// A file with more than this is damaged: 8 TiB of body.
    static let maximumSize = 16 << 20

    var key: (original: String, hash: UInt64, check: UInt64)
    var response: PartialResponse
    var checkpoints: [Checkpoint] = []

    static func == (left: Self, right: Self) -> Bool {
        left.key == right.key && left.response == right.response && left.checkpoints == right.checkpoints
    }

    init(_ key: PartialBodyKey, _ response: PartialResponse) {
        self.key = (key.original, key.hash, key.check)
        self.response = response
    }

    func belongs(to key: PartialBodyKey) -> Bool {
        self.key == (key.original, key.hash, key.check)
    }

    /// Returns the bytes that a journal begins with, and the seed of its checkpoints; `nil` if they are too many.
    func head() -> (bytes: [UInt8], seed: UInt64)? {
        var payload = JournalBytes()
        payload.append(key.hash)
        payload.append(key.check)
        payload.append(UInt64(bitPattern: Int64(response.totalBytes ?? -1)))
        for text in [key.original, response.url, response.validator] { payload.append(text) }
        payload.append(UInt64(response.headers.count))
        for field in response.headers {
            payload.append(field.name.rawName)
            payload.append(field.value)
        }
        guard payload.bytes.count <= Self.maximumHeadSize else { return nil }
        let seed = Self.hash(payload.bytes)
        var head = JournalBytes()
        head.append(Self.magic)
        head.append(UInt64(Self.version))
        head.append(UInt64(payload.bytes.count))
        head.append(seed)
        return (head.bytes + payload.bytes, seed)
    }

    static func bytes(of checkpoint: Checkpoint, seed: UInt64) -> [UInt8] {
        var record = JournalBytes()
        record.append(UInt64(checkpoint.end))
        record.append(checkpoint.checksum)
        record.append(hash(record.bytes, seed: seed))
        return record.bytes
    }

    /// Reads a journal; `nil` if anything in it is wrong. A checkpoint at its end that was not written in whole is left
    /// out: that is how a killed process leaves it. `size` is the number of bytes understood.
    init?(_ bytes: [UInt8], size: inout Int, seed: inout UInt64) {
        var reader = JournalBytes(bytes)
        guard reader.number() == Self.magic, reader.number() == UInt64(Self.version),
            let length = reader.count(atMost: Self.maximumHeadSize), let checksum = reader.number(),
            let payload = reader.take(length), Self.hash(Array(payload)) == checksum
        else { return nil }
        seed = checksum
        var fields = JournalBytes(Array(payload))
        guard let hash = fields.number(), let check = fields.number(), let total = fields.number(),
            let original = fields.text(), let effectiveURL = fields.text(), let validator = fields.text(),
            let headers = Self.headers(&fields), fields.isAtEnd
        else { return nil }
        let totalBytes = Int(Int64(bitPattern: total))
        key = (original, hash, check)
        response = PartialResponse(
            url: effectiveURL,
            headers: headers,
            validator: validator,
            totalBytes: totalBytes < 0 ? nil : totalBytes
        )
        size = Self.preambleSize + length
        while let record = reader.take(Self.checkpointSize) {
            var numbers = JournalBytes(Array(record))
            guard let end = numbers.count(atMost: .max), let sum = numbers.number(), let hash = numbers.number(),
                hash == Self.hash(Array(record.prefix(16)), seed: seed), end > checkpoints.last?.end ?? 0
            else { return nil }
            checkpoints.append(Checkpoint(end: end, checksum: sum))
            size += Self.checkpointSize
        }
        if let total = response.totalBytes, checkpoints.last?.end ?? 0 > total { return nil }
    }

    private static func headers(_ reader: inout JournalBytes) -> HTTPFields? {
        guard let count = reader.count(atMost: ResponseHead.maximumFieldCount) else { return nil }
        var headers = HTTPFields()
        for _ in 0..<count {
            guard let name = reader.text().flatMap({ HTTPField.Name($0) }), let value = reader.text() else {
                return nil
            }
            headers.append(HTTPField(name: name, value: value))
        }
        return headers
    }

    private static func hash(_ bytes: [UInt8], seed: UInt64 = UInt64(version)) -> UInt64 {
        bytes.withUnsafeBytes { Checksum.hash(of: $0, seed: seed) }
    }
}
