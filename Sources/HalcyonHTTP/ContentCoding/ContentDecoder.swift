/// Undoes the content codings of one body, as bytes arrive, in memory of a fixed size: its content comes out in pieces
/// of at most ``pieceSize``, however long it is.
final class ContentDecoder {
    /// The largest number of bytes of one piece, which are valid until the decoder is used again.
    static let pieceSize = 32 << 10
    /// The number of bytes by which a coded form may be longer than its content.
    private static let slack = 64 << 10

    /// One coding, and its output for the next.
    private struct Step {
        let inflater: Inflater
        let buffer: UnsafeMutableRawBufferPointer
        /// The bytes that the next step has not yet taken.
        var pending = UnsafeRawBufferPointer(start: nil, count: 0)
        /// A Boolean value that indicates whether the buffer was full, so that more may come without further input.
        var mayHoldMore = false
    }

    /// The steps; the coding that was applied last, and has to be undone first, comes first.
    private var steps: [Step]
    /// The number of bytes, of those that are to be passed again, that have been decoded already.
    private var decodedBytes = 0
    /// The number of coded bytes that may still come.
    private var remainingBytes: Int

    /// Creates a decoder for a body to which `codings`, at least one, were applied in this order, and whose content may
    /// have `contentLimit` bytes. The last step's bytes are for the caller to count; the input, and the output of the
    /// other steps, is bounded here, because much of it could stand for nothing.
    init(_ codings: [ContentCoding], contentLimit: Int) {
        precondition(!codings.isEmpty)
        let (limit, overflow) = contentLimit.addingReportingOverflow(Self.slack)
        remainingBytes = overflow ? .max : limit
        steps = codings.indices.reversed().map { index in
            Step(
                inflater: Inflater(codings[index], outputLimit: index == 0 || overflow ? .max : limit),
                buffer: .allocate(byteCount: Self.pieceSize, alignment: 16)
            )
        }
    }

    deinit {
        for step in steps { step.buffer.deallocate() }
    }

    /// A Boolean value that indicates whether the content may end here.
    var isAtEnd: Bool {
        isDrained && steps.allSatisfy(\.inflater.isAtEnd)
    }

    /// A Boolean value that indicates whether all input has been delivered.
    private var isDrained: Bool {
        steps.allSatisfy { !$0.mayHoldMore && $0.pending.isEmpty }
    }

    /// Delivers the content of `bytes`, piece after piece, as long as `deliver` returns `true`.
    ///
    /// Returns whether that was all. If not, the same bytes have to be passed again to get the rest; more may follow
    /// them in the same call, and they may come in parts.
    func decode(
        _ bytes: UnsafeRawBufferPointer,
        deliver: (UnsafeRawBufferPointer) -> Bool
    ) throws(ContentDecodingError) -> Bool {
        var input = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(decodedBytes))
        decodedBytes = max(0, decodedBytes - bytes.count)
        guard input.count <= remainingBytes else { throw .tooLarge }
        let count = input.count
        defer { remainingBytes -= count - input.count }
        while let piece = try next(of: steps.count - 1, &input) {
            guard !deliver(piece) else { continue }
            if input.isEmpty, isDrained { return true }
            decodedBytes += bytes.count - input.count
            return false
        }
        return true
    }

    /// Returns the next piece that comes out of a step; `nil` if that takes further input. Takes bytes off `input`,
    /// all of them before it returns `nil`.
    private func next(
        of index: Int,
        _ input: inout UnsafeRawBufferPointer
    ) throws(ContentDecodingError) -> UnsafeRawBufferPointer? {
        while true {
            let count: Int
            if index == 0 {
                guard !input.isEmpty || steps[0].mayHoldMore else { return nil }
                count = try steps[0].inflater.decode(&input, into: steps[0].buffer)
            } else {
                if steps[index - 1].pending.isEmpty, !steps[index].mayHoldMore {
                    guard let bytes = try next(of: index - 1, &input) else { return nil }
                    steps[index - 1].pending = bytes
                }
                var bytes = steps[index - 1].pending
                count = try steps[index].inflater.decode(&bytes, into: steps[index].buffer)
                steps[index - 1].pending = bytes
            }
            steps[index].mayHoldMore = count == Self.pieceSize
            if count > 0 { return UnsafeRawBufferPointer(rebasing: steps[index].buffer[..<count]) }
        }
    }
}

/// The reason why a coded body has no content.
enum ContentDecodingError: Error, Hashable {
    /// The coded body is invalid, for the reason in words.
    case malformed(String)
    /// A coded form of the body is longer than the body may be.
    case tooLarge
    case outOfMemory
}
