internal import CDeflate
internal import CZlib
internal import FoundationEssentials
internal import HalcyonRaster
internal import HalcyonSystem

/// Decompresses a whole stream whose size is known beforehand.
///
/// A class, because libdeflate's working memory needs one owner that frees it.
final class PNGInflater {
    private let decompressor: OpaquePointer

    init() throws(CodecError) {
        guard let decompressor = libdeflate_alloc_decompressor() else {
            throw .bitmap(.outOfMemory(byteCount: 64 << 10))
        }
        self.decompressor = decompressor
    }

    deinit {
        libdeflate_free_decompressor(decompressor)
    }

    enum Outcome {
        case done
        /// The stream is damaged behind the bytes expected, or has more: they may be damaged, too.
        case filled
        /// The stream is damaged, or ends early.
        case damaged
        /// The stream holds fewer bytes than expected.
        case tooShort
    }

    /// Fills `output` from a zlib stream (RFC 1950), or from a bare deflate stream (RFC 1951).
    func inflate(_ input: UnsafeRawBufferPointer, isBare: Bool, into output: UnsafeMutableRawBufferPointer) -> Outcome {
        guard let source = input.baseAddress, let target = output.baseAddress else {
            return .damaged
        }
        let result =
            isBare
            ? libdeflate_deflate_decompress(decompressor, source, input.count, target, output.count, nil)
            : libdeflate_zlib_decompress(decompressor, source, input.count, target, output.count, nil)
        return switch result {
        case LIBDEFLATE_SUCCESS: .done
        case LIBDEFLATE_SHORT_OUTPUT: .tooShort
        default: Self.fills(output, from: input, isBare: isBare) ? .filled : .damaged
        }
    }

    /// Returns whether a stream that is longer than it should be, or damaged, fills `output` before that shows.
    ///
    /// Rows behind the last one and a wrong checksum behind all of them change no pixel, and other decoders pass over
    /// them. libdeflate does not say how far it came; zlib does.
    private static func fills(
        _ output: UnsafeMutableRawBufferPointer,
        from input: UnsafeRawBufferPointer,
        isBare: Bool
    ) -> Bool {
        var stream = z_stream()
        // Negative: without zlib's header. The macro of zlib that fills in the version is not visible here.
        let size = Int32(MemoryLayout<z_stream>.size)
        guard let inputCount = UInt32(exactly: input.count), let outputCount = UInt32(exactly: output.count),
            inflateInit2_(&stream, isBare ? -15 : 15, ZLIB_VERSION, size) == Z_OK
        else {
            return false
        }
        defer { inflateEnd(&stream) }
        // zlib only reads through this pointer.
        stream.next_in = UnsafeMutablePointer(mutating: input.assumingMemoryBound(to: UInt8.self).baseAddress)
        stream.avail_in = inputCount
        stream.next_out = output.assumingMemoryBound(to: UInt8.self).baseAddress
        stream.avail_out = outputCount
        _ = CZlib.inflate(&stream, Z_SYNC_FLUSH)
        return stream.avail_out == 0
    }

    /// Inflates a colour profile, whose size is not known: up to 4 MiB, `nil` where it is damaged or longer.
    ///
    /// - Throws: ``CodecError/bitmap(_:)`` where the memory cannot be allocated.
    static func profile(_ input: UnsafeRawBufferPointer) throws(CodecError) -> Data? {
        guard let source = input.baseAddress else { return nil }
        let inflater = try PNGInflater()
        var capacity = 16 << 10
        while capacity <= ICCProfile.maximumByteCount {
            var result = LIBDEFLATE_BAD_DATA
            let profile = try Data.written(capacity: capacity) { target in
                var count = 0
                result = libdeflate_zlib_decompress(
                    inflater.decompressor,
                    source,
                    input.count,
                    target.baseAddress,
                    target.count,
                    &count
                )
                return count
            }
            switch result {
            case LIBDEFLATE_SUCCESS:
                return profile
            case LIBDEFLATE_INSUFFICIENT_SPACE:
                capacity *= 4
            default:
                return nil
            }
        }
        return nil
    }
}
