internal import CDeflate
internal import FoundationEssentials

/// Puts chunks one behind the other, each with its length and checksum.
struct PNGChunkWriter {
    private(set) var data = Data(PNGChunkReader.signature)

    /// Appends a chunk whose payload is `head` and then `payload`.
    mutating func append(_ type: PNGChunkType, _ head: [UInt8] = [], _ payload: [UInt8] = []) {
        var start: [UInt8] = []
        start.append(bigEndian: UInt32(head.count + payload.count))
        start.append(bigEndian: type.rawValue)
        start += head
        data.append(contentsOf: start)
        data.append(contentsOf: payload)
        let checksum = start.withUnsafeBytes { start in
            libdeflate_crc32(0, start.baseAddress.map { $0 + 4 }, start.count - 4)
        }
        var end: [UInt8] = []
        end.append(bigEndian: libdeflate_crc32(checksum, payload, payload.count))
        data.append(contentsOf: end)
    }
}

extension [UInt8] {
    /// Appends a number as PNG stores it.
    mutating func append(bigEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
}
