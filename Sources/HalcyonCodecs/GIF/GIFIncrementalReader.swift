internal import FoundationEssentials

/// Reads the first frame of a GIF once it is there as a whole.
final class GIFIncrementalReader: IncrementalReading {
    private var bytes: Data
    private let options: DecodeOptions
    /// The number of bytes at which the file is looked through again. It grows by a share of the bytes, so that they are
    /// looked through a few times and not once for each piece.
    private var nextAttempt = 0
    private var isEnded = false
    private var frame: DecodedImage?

    init(_ beginning: Data, options: DecodeOptions) {
        bytes = beginning
        self.options = options
    }

    var progress: IncrementalProgress {
        frame == nil ? IncrementalProgress() : IncrementalProgress(passCount: 1, coverage: 1, isComplete: true)
    }

    func append(_ bytes: Data) {
        if frame == nil { self.bytes.append(bytes) }
    }

    func end() {
        isEnded = true
    }

    func advance(isCancelled: @Sendable () -> Bool) throws -> Bool {
        guard isEnded || bytes.count >= nextAttempt else { return false }
        nextAttempt = bytes.count + max(1, bytes.count / 8)
        let hasFrame = try bytes.withUnsafeBytes { bytes in
            try GIFFile(bytes, limits: options.limits).frames.first?.isCutShort == false
        }
        guard hasFrame || isEnded else { return false }
        frame = try GIFDecoder().decode(bytes, options: options, isCancelled: isCancelled)
        bytes = Data()
        return false
    }

    func image(isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        // Called only once there is one.
        guard let frame else { throw CodecError.truncated(.gif) }
        return frame
    }
}
