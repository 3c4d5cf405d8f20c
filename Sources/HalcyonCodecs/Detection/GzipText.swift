internal import CZlib
package import FoundationEssentials
internal import HalcyonSystem

/// Inflates the gzip files (RFC 1952) that compressed SVG comes as.
package enum GzipText {
    package enum Outcome {
        case complete(Data)
        /// The input ended, or there are more bytes than asked for; what there is so far.
        case partial(Data, isCutShort: Bool)
        case damaged
        /// There is no memory for so many bytes.
        case outOfMemory(byteCount: Int)
    }

    package static func isCompressed(_ data: Data) -> Bool {
        data.starts(with: [0x1f, 0x8b, 8])
    }

    /// Inflates at most so many bytes.
    package static func inflate(_ data: Data, maximumByteCount: Int) -> Outcome {
        var stream = z_stream()
        // 16: with gzip's header and checksum. The macro of zlib that fills in the version is not visible here.
        let size = Int32(MemoryLayout<z_stream>.size)
        guard inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, size) == Z_OK else {
            return .damaged
        }
        defer { inflateEnd(&stream) }
        return data.withUnsafeBytes { bytes in
            // zlib only reads through this pointer.
            stream.next_in = UnsafeMutablePointer(mutating: bytes.assumingMemoryBound(to: UInt8.self).baseAddress)
            stream.avail_in = UInt32(clamping: bytes.count)
            return run(&stream, maximumByteCount: maximumByteCount)
        }
    }

    private static let chunkByteCount = 65_536

    private static func run(_ stream: inout z_stream, maximumByteCount: Int) -> Outcome {
        var output = GatheredBytes()
        var chunk = [UInt8](repeating: 0, count: min(chunkByteCount, maximumByteCount))
        while output.count < maximumByteCount {
            let capacity = min(chunk.count, maximumByteCount - output.count)
            let (status, count) = chunk.withUnsafeMutableBufferPointer { chunk in
                stream.next_out = chunk.baseAddress
                stream.avail_out = UInt32(capacity)
                let status = CZlib.inflate(&stream, Z_NO_FLUSH)
                return (status, capacity - Int(stream.avail_out))
            }
            guard output.makeRoom(for: count) else { return .outOfMemory(byteCount: output.count + count) }
            chunk.withUnsafeBytes { output.append(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            switch status {
            case Z_STREAM_END:
                return .complete(output.data)
            case Z_OK where count > 0:
                continue
            case Z_OK, Z_BUF_ERROR:
                return .partial(output.data, isCutShort: true)
            default:
                return .damaged
            }
        }
        return .partial(output.data, isCutShort: false)
    }
}
