internal import CZlib
internal import FoundationEssentials
internal import HalcyonRaster

/// Decompresses a stream whose bytes come piece by piece, with zlib: libdeflate takes whole streams only.
///
/// A class, because zlib's state needs one owner that frees it, and a fixed place in memory.
final class PNGInflateStream {
    private let stream: UnsafeMutablePointer<z_stream>
    private var input = Data()
    private var offset = 0
    /// A Boolean value that indicates whether the stream has ended, so that nothing more comes of it.
    private(set) var isAtEnd = false

    /// - Parameter isBare: A Boolean value that indicates whether it is bare deflate (RFC 1951) and not zlib (RFC 1950).
    init(isBare: Bool) throws(CodecError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // Negative: without zlib's header. The macro of zlib that fills in the version is not visible here.
        let size = Int32(MemoryLayout<z_stream>.size)
        guard inflateInit2_(stream, isBare ? -15 : 15, ZLIB_VERSION, size) == Z_OK else {
            stream.deallocate()
            throw .bitmap(.outOfMemory(byteCount: 64 << 10))
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Gives it the next piece, once the last has been read.
    func add(_ piece: Data) {
        input = piece
        offset = 0
    }

    /// Decompresses what the input gives, up to the size of `output`; returns the number of bytes written.
    ///
    /// - Throws: ``CodecError/corrupt(_:reason:)``.
    func read(into output: UnsafeMutableRawBufferPointer) throws(CodecError) -> Int {
        guard !isAtEnd, !output.isEmpty else { return 0 }
        let outputCount = UInt32(clamping: output.count)
        let (status, unread) = input.withUnsafeBytes { bytes -> (Int32, Int) in
            let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
            let inputCount = UInt32(clamping: rest.count)
            // zlib only reads through this pointer, and keeps none after the call.
            stream.pointee.next_in = UnsafeMutablePointer(
                mutating: rest.assumingMemoryBound(to: UInt8.self).baseAddress
            )
            stream.pointee.avail_in = inputCount
            stream.pointee.next_out = output.assumingMemoryBound(to: UInt8.self).baseAddress
            stream.pointee.avail_out = outputCount
            let status = CZlib.inflate(stream, Z_SYNC_FLUSH)
            return (status, rest.count - Int(inputCount - stream.pointee.avail_in))
        }
        offset = input.count - unread
        stream.pointee.next_in = nil
        let written = Int(outputCount - stream.pointee.avail_out)
        switch status {
        // No progress was possible: it needs more input.
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END: isAtEnd = true
        case Z_MEM_ERROR: throw .bitmap(.outOfMemory(byteCount: 64 << 10))
        default:
            // What came before the damage is used first.
            guard written > 0 else { throw .corrupt(.png, reason: "the stream in IDAT is damaged") }
        }
        return written
    }
}
