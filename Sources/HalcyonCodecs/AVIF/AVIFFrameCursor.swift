internal import FoundationEssentials
internal import HalcyonRaster

/// The frames of an AVIF file, read by one decoder that stays open.
final class AVIFFrameCursor: FrameCursor {
    private var reader: AVIFReader?
    private let options: DecodeOptions
    /// The file at an address that does not change, because libavif keeps pointers into it.
    private let bytes: UnsafeMutableRawBufferPointer

    init(_ data: Data, options: DecodeOptions, threadCount: Int) throws(CodecError) {
        guard !data.isEmpty else {
            throw .empty
        }
        let container = AVIFContainer(data)
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: data.count, alignment: 16)
        container.data.copyBytes(to: bytes)
        do {
            reader = try AVIFReader(
                UnsafeRawBufferPointer(bytes),
                of: container,
                extent: .whole,
                limits: options.limits,
                threadCount: threadCount
            )
        } catch {
            bytes.deallocate()
            throw error
        }
        self.bytes = bytes
        self.options = options
    }

    deinit {
        reader = nil
        bytes.deallocate()
    }

    func bitmap(ofFrame index: Int, isCancelled: @Sendable () -> Bool) throws -> Bitmap {
        guard let reader else {
            preconditionFailure("the reader lives as long as the cursor")
        }
        return try reader.bitmap(ofFrame: index, options: options, isCancelled: isCancelled)
    }
}
