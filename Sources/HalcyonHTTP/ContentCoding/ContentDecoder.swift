/// Undoes the content codings of one body, as bytes arrive, in memory of a fixed size: whatever the body stands for, it
/// comes out in pieces of at most ``pieceSize``.
final class ContentDecoder {
    /// The bytes of one piece, which are valid until the decoder is used again.
    static let pieceSize = 32 << 10
    /// How much longer than the content a coded form of it may be.
    private static let slack = 64 << 10

    /// One coding, and what came out of it for the next.
    private struct Step {
        let inflater: Inflater
        let buffer: UnsafeMutableRawBufferPointer
        /// What the next step has not yet taken.
        var pending = UnsafeRawBufferPointer(start: nil, count: 0)
        /// The buffer was full, so that more may come without further input.
        var mayHoldMore = false
    }

    /// The one that was applied last, and has to be undone first, comes first.
    private var steps: [Step]
    /// How much of what is to be given again has been decoded already.
    private var decodedBytes = 0
    /// Coded bytes that may still come.
    private var remainingBytes: Int

    /// For a body to which `codings`, at least one, were applied in this order, and whose content may have
    /// `contentLimit` bytes. The last step's bytes are for the caller to count; what goes in, and what comes out of the
    /// others, is bounded here, because much of it could stand for nothing.
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

    /// Whether the content may end here.
    var isAtEnd: Bool {
        isDrained && steps.allSatisfy(\.inflater.isAtEnd)
    }

    /// Whether all that has come in has gone out.
    private var isDrained: Bool {
        steps.allSatisfy { !$0.mayHoldMore && $0.pending.isEmpty }
    }

    /// Hands on what `bytes` stand for, piece after piece, as long as `deliver` answers true.
    ///
    /// Returns whether that was all. If not, the same bytes have to be given again to get the rest; more may follow them
    /// in the same call, and they may come in parts.
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

    /// The next piece that comes out of a step; `nil` if that takes further input. Takes bytes off `input`, all of them
    /// before it gives `nil`.
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
