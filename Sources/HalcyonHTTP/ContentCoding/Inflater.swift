internal import CZlib

/// Undoes one content coding, as bytes arrive.
///
/// - gzip: any number of members. Header, checksum and length of each are checked.
/// - deflate: the zlib format with its checksum, or a raw stream, which has none.
/// - No bytes at all stand for no bytes.
///
/// Servers send less and more, and browsers take both: checksum and length may be missing as a whole behind the last block,
/// and what follows the end, unless it begins another member, does not count.
final class Inflater {
    private enum State {
        /// Nothing has come, or the first byte of a stream in the coding `deflate`, whose second one shows its format.
        case beginning(UInt8?)
        case inside
        /// A member has ended well, or the only stream; after it came nothing, or the first byte of another member.
        case ended(hasFirstByte: Bool)
        /// Something else has come after that.
        case over
    }

    // Bits that zlib.h states for `inflate`.
    private static let isInLastBlock: Int32 = 64
    private static let isBetweenBlocks: Int32 = 128

    private let coding: ContentCoding
    private let outputLimit: Int
    private var outputBytes = 0
    private var state = State.beginning(nil)
    /// The state of zlib, at an address of its own: zlib's state points back to this, so it must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private var isInitialized = false
    /// `true` behind the last block, before any byte of the checksum.
    private var hasAllBlocks = false

    /// Creates a decoder that fails once its output has more than `outputLimit` bytes.
    init(_ coding: ContentCoding, outputLimit: Int) {
        self.coding = coding
        self.outputLimit = outputLimit
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
    }

    deinit {
        if isInitialized { inflateEnd(stream) }
        stream.deallocate()
    }

    /// A Boolean value that indicates whether the content may end here.
    var isAtEnd: Bool {
        switch state {
        case .beginning(let first): first == nil
        case .inside: hasAllBlocks
        case .ended, .over: true
        }
    }

    /// Takes bytes off `input` and writes their content to `output`, until the one is empty or the other full.
    ///
    /// Returns the number of bytes written. If `output` is full, there may be more to write, whether `input` is empty
    /// or not.
    func decode(
        _ input: inout UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(ContentDecodingError) -> Int {
        var written = 0
        while true {
            switch state {
            case .beginning(let first):
                guard let next = input.first else { return written }
                try begin(first, next, &input, into: output)
            case .inside:
                let room = UnsafeMutableRawBufferPointer(rebasing: output[written...])
                written += try inflate(&input, into: room)
                guard case .inside = state else { continue }
                // Between two blocks, zlib may have more of what it took.
                guard stream.pointee.data_type & Self.isBetweenBlocks != 0, written < output.count else {
                    return written
                }
            case .ended(let hasFirstByte):
                guard let next = input.first else { return written }
                switch (hasFirstByte, next) {
                // The two bytes that begin a member (RFC 1952, section 2.3.1).
                case (false, 0x1F) where coding == .gzip:
                    input = UnsafeRawBufferPointer(rebasing: input.dropFirst())
                    state = .ended(hasFirstByte: true)
                case (true, 0x8B): try beginMember(into: output)
                default: state = .over
                }
            case .over:
                input = UnsafeRawBufferPointer(rebasing: input[input.endIndex...])
                return written
            }
        }
    }

    /// Reads the next byte of the first two.
    private func begin(
        _ first: UInt8?,
        _ next: UInt8,
        _ input: inout UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(ContentDecodingError) {
        guard coding == .deflate else {
            try initialize(windowBits: 16 + MAX_WBITS)
            return
        }
        guard let first else {
            input = UnsafeRawBufferPointer(rebasing: input.dropFirst())
            state = .beginning(next)
            return
        }
        // RFC 1950, section 2.2: method 8, and the two bytes are a multiple of 31.
        let hasHeader = first & 0x0F == 8 && (Int(first) << 8 | Int(next)) % 31 == 0
        try initialize(windowBits: hasHeader ? MAX_WBITS : -MAX_WBITS)
        try inflate(first, into: output)
    }

    /// Begins another member of a gzip stream, whose first byte has come.
    private func beginMember(into output: UnsafeMutableRawBufferPointer) throws(ContentDecodingError) {
        inflateReset(stream)
        state = .inside
        try inflate(0x1F, into: output)
    }

    /// Takes the first byte of a stream, for which none gives output.
    private func inflate(
        _ first: UInt8,
        into output: UnsafeMutableRawBufferPointer
    ) throws(ContentDecodingError) {
        _ = try withUnsafeBytes(of: first) { bytes throws(ContentDecodingError) in
            var bytes = bytes
            return try inflate(&bytes, into: output)
        }
    }

    private func initialize(windowBits: Int32) throws(ContentDecodingError) {
        let code = inflateInit2_(stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard code == Z_OK else { throw .outOfMemory }
        isInitialized = true
        state = .inside
    }

    private func inflate(
        _ input: inout UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(ContentDecodingError) -> Int {
        // zlib counts in 32 bits; pieces of a body and the buffers here are far shorter.
        let given = min(input.count, 1 << 30)
        let room = min(output.count, 1 << 30)
        // zlib only reads there; its type is not const.
        stream.pointee.next_in = input.baseAddress.map {
            UnsafeMutableRawPointer(mutating: $0).assumingMemoryBound(to: UInt8.self)
        }
        stream.pointee.avail_in = UInt32(given)
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(room)
        if given > 0 { hasAllBlocks = false }
        // As far as the next block.
        let code = CZlib.inflate(stream, Z_BLOCK)
        let behindLast = Self.isBetweenBlocks | Self.isInLastBlock
        if stream.pointee.data_type & behindLast == behindLast { hasAllBlocks = true }
        input = UnsafeRawBufferPointer(rebasing: input[(given - Int(stream.pointee.avail_in))...])
        let written = room - Int(stream.pointee.avail_out)
        guard written <= outputLimit - outputBytes else { throw .tooLarge }
        outputBytes += written
        switch code {
        case Z_STREAM_END: state = .ended(hasFirstByte: false)
        case Z_OK, Z_BUF_ERROR: break  // The latter only says that there was nothing to do.
        case Z_MEM_ERROR: throw .outOfMemory
        default: throw .malformed(reason)
        }
        return written
    }

    private var reason: String {
        guard let message = stream.pointee.msg else { return "the \(coding) stream is damaged" }
        return "the \(coding) stream is damaged: \(String(cString: message))"
    }
}
