internal import FoundationEssentials
internal import HalcyonRaster

/// The frames of an AVIF file, read by one decoder that stays open.
final class AVIFFrameCursor: FrameCursor {
    private var reader: AVIFReader?
    private let options: DecodeOptions
    /// The file at an address that does not change, because libavif keeps pointers into it.
    private let bytes: PixelBuffer

    init(_ data: Data, options: DecodeOptions, threadCount: Int) throws(CodecError) {
        guard !data.isEmpty else {
            throw .empty
        }
        let container = AVIFContainer(data, frameCount: max(1, options.limits.frameCount))
        do {
            bytes = try PixelBuffer(byteCount: container.data.count)
        } catch {
            throw .bitmap(error)
        }
        let target = UnsafeMutableRawBufferPointer(start: bytes.pointer, count: bytes.byteCount)
        container.data.copyBytes(to: target)
        self.options = options
        reader = try AVIFReader(
            UnsafeRawBufferPointer(target),
            of: container,
            extent: .whole,
            limits: options.limits,
            threadCount: threadCount
        )
    }

    deinit {
        // Before the bytes that it reads.
        reader = nil
    }

    func bitmap(ofFrame index: Int, isCancelled: @Sendable () -> Bool) throws -> Bitmap {
        guard let reader else {
            preconditionFailure("the reader lives as long as the cursor")
        }
        return try reader.bitmap(ofFrame: index, options: options, isCancelled: isCancelled)
    }
}
