internal import CDeflate
internal import FoundationEssentials
internal import HalcyonSystem

/// Puts chunks one behind the other, each with its length and checksum.
struct PNGChunkWriter {
    private var file = GatheredBytes(Data(PNGChunkReader.signature))

    /// All chunks, behind the signature.
    var data: Data { file.data }

    /// Appends a chunk whose payload is `head` and then `payload`.
    ///
    /// - Throws: ``CodecError/bitmap(_:)`` where the memory cannot be allocated.
    mutating func append(_ type: PNGChunkType, _ head: [UInt8] = [], _ payload: Data = Data()) throws(CodecError) {
        var start: [UInt8] = []
        start.append(bigEndian: UInt32(head.count + payload.count))
        start.append(bigEndian: type.rawValue)
        start += head
        try file.add(start)
        try file.add(payload)
        var checksum = start.withUnsafeBytes { start in
            libdeflate_crc32(0, start.baseAddress.map { $0 + 4 }, start.count - 4)
        }
        payload.withUnsafeBytes { payload in
            // Without an address the function begins anew.
            if !payload.isEmpty { checksum = libdeflate_crc32(checksum, payload.baseAddress, payload.count) }
        }
        var end: [UInt8] = []
        end.append(bigEndian: checksum)
        try file.add(end)
    }
}

extension [UInt8] {
    /// Appends a number as PNG stores it.
    mutating func append(bigEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
}
