internal import CJPEGXLShim
internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster

/// A file on its way through libjxl's decoder. A class, because the decoder needs one owner that frees it.
///
/// libjxl is asked to end between slices of the bytes, and before each of the tasks into which it divides its work: a few
/// bytes may stand for many pixels.
final class JPEGXLStream {
    let decoder: OpaquePointer
    /// The code stream, without its container.
    private var data: Data
    private let sliceByteCount: Int
    private let eventMask: Int32
    /// The bytes that libjxl is done with.
    private var position = 0
    private let tasks = JPEGXLTasks()

    private static let minimumSliceByteCount = 16_384
    private static let maximumSliceCount = 64

    /// - Parameters:
    ///   - data: The file.
    ///   - events: What ``next(isCancelled:)`` is to stop at.
    ///   - keepsOrientation: Whether pixels come as they are stored. Default: `true`.
    ///   - composesFrames: Whether frames that are only drawn on are passed over. Default: `true`.
    init(
        _ data: Data,
        events: [JxlDecoderStatus],
        keepsOrientation: Bool = true,
        composesFrames: Bool = true
    ) throws(CodecError) {
        guard !data.isEmpty else {
            throw .empty
        }
        guard CodecLibrary.jpegXL.isInstalled else {
            throw .unsupported(.jxl, reason: "libjxl is not installed")
        }
        let data = try JPEGXLContainer.codeStream(of: data)
        guard let decoder = libjxl.JxlDecoderCreate(nil) else {
            throw .bitmap(.outOfMemory(byteCount: 0))
        }
        self.decoder = decoder
        self.data = data
        sliceByteCount = max(Self.minimumSliceByteCount, data.count / Self.maximumSliceCount)
        eventMask = events.reduce(0) { $0 | Int32(bitPattern: $1.rawValue) }
        guard libjxl.JxlDecoderSubscribeEvents(decoder, eventMask) == JXL_DEC_SUCCESS,
            libjxl.JxlDecoderSetKeepOrientation(decoder, keepsOrientation ? 1 : 0) == JXL_DEC_SUCCESS,
            libjxl.JxlDecoderSetCoalescing(decoder, composesFrames ? 1 : 0) == JXL_DEC_SUCCESS,
            libjxl.JxlDecoderSetParallelRunner(decoder, JPEGXLTasks.run, Unmanaged.passUnretained(tasks).toOpaque())
                == JXL_DEC_SUCCESS
        else {
            throw .unsupported(.jxl, reason: "this version of libjxl")
        }
    }

    deinit {
        libjxl.JxlDecoderDestroy(decoder)
    }

    /// Goes on with the same file, of which there is more.
    ///
    /// Linear in the number of boxes, and in the number of bytes of an image in several boxes.
    func replaceFile(with data: Data) throws(CodecError) {
        self.data = try JPEGXLContainer.codeStream(of: data)
    }

    /// Has libjxl write the pixels here: rows of RGBA that begin at multiples of 64 bytes, as those of a bitmap do.
    ///
    /// - Parameters:
    ///   - pixels: The memory. libjxl does not say which pixels it has written, so that all must be there before.
    ///   - size: The size of the image, turned if libjxl turns it.
    /// - Throws: ``CodecError/corrupt(_:reason:)`` for an image of another size.
    func setOutput(
        _ pixels: UnsafeMutableRawBufferPointer,
        of size: PixelSize,
        bytesPerRow: Int,
        depth: SampleDepth
    ) throws(CodecError) {
        var format = halcyon_jpegxl_pixel_format(4, depth == .sixteen, 64)
        var count = 0
        var basics = JxlBasicInfo()
        // The last row may end with its last pixel. Another size would be that of another header.
        guard libjxl.JxlDecoderGetBasicInfo(decoder, &basics) == JXL_DEC_SUCCESS,
            PixelSize(Int(basics.xsize), Int(basics.ysize)) == size,
            libjxl.JxlDecoderImageOutBufferSize(decoder, &format, &count) == JXL_DEC_SUCCESS,
            count <= pixels.count, count > pixels.count - bytesPerRow,
            libjxl.JxlDecoderSetImageOutBuffer(decoder, &format, pixels.baseAddress, pixels.count) == JXL_DEC_SUCCESS
        else {
            throw .corrupt(.jxl, reason: "two sizes in one file")
        }
    }

    /// The frames that follow, by their headers.
    ///
    /// - Parameter basics: The header of the image, once libjxl is behind it.
    func frames(_ basics: JxlBasicInfo) -> JPEGXLFrameWalk {
        JPEGXLFrameWalk(data, from: position, basics)
    }

    /// Goes on as if the file ended at a byte of the code stream.
    func cut(toByteCount count: Int) {
        data = data.prefix(max(count, position))
    }

    /// Goes back to the first byte; libjxl remembers where frames begin.
    func rewind() {
        libjxl.JxlDecoderRewind(decoder)
        // libjxl 0.7 forgets them, whatever its documentation says.
        _ = libjxl.JxlDecoderSubscribeEvents(decoder, eventMask)
        position = 0
    }

    /// Draws what has been read of a frame where ``setOutput(_:of:bytesPerRow:depth:)`` said.
    ///
    /// - Returns: Whether there is anything to draw.
    func flush() -> Bool {
        libjxl.JxlDecoderFlushImage(decoder) == JXL_DEC_SUCCESS
    }

    /// Decodes up to the next event, `nil` at the end of the file.
    ///
    /// - Throws: ``CodecError/truncated(_:)``, ``CodecError/corrupt(_:reason:)``, or `CancellationError`.
    func next(isCancelled: () -> Bool) throws -> JxlDecoderStatus? {
        while true {
            if isCancelled() {
                throw CancellationError()
            }
            let count = min(sliceByteCount, data.count - position)
            let (status, rest) = tasks.asking(isCancelled) { process(count) }
            position += count - rest
            if tasks.wereEnded { throw CancellationError() }
            switch status {
            case JXL_DEC_SUCCESS:
                return nil
            case JXL_DEC_ERROR:
                throw CodecError.corrupt(.jxl, reason: "what stands before byte \(position)")
            case JXL_DEC_NEED_MORE_INPUT:
                // libjxl keeps back fewer than 20 bytes of a slice, so that each one brings it further.
                guard position + rest < data.count else {
                    throw CodecError.truncated(.jxl)
                }
            default:
                return status
            }
        }
    }

    /// Shows libjxl the next bytes, and takes them back, because they stay in place for the time of the call only.
    private func process(_ count: Int) -> (status: JxlDecoderStatus, rest: Int) {
        data.withUnsafeBytes { bytes in
            let slice = UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
            guard
                libjxl.JxlDecoderSetInput(decoder, slice.baseAddress?.assumingMemoryBound(to: UInt8.self), slice.count)
                    == JXL_DEC_SUCCESS
            else {
                return (JXL_DEC_ERROR, count)
            }
            let status = libjxl.JxlDecoderProcessInput(decoder)
            return (status, libjxl.JxlDecoderReleaseInput(decoder))
        }
    }
}

/// Runs the tasks of libjxl one after another, and asks before each whether it is to be the last.
private final class JPEGXLTasks {
    private var isCancelled: () -> Bool = { false }
    /// Whether libjxl was told to end.
    private(set) var wereEnded = false

    /// Calls a function that may run tasks.
    func asking<Result>(_ isCancelled: () -> Bool, _ body: () -> Result) -> Result {
        wereEnded = false
        return withoutActuallyEscaping(isCancelled) { isCancelled in
            self.isCancelled = isCancelled
            defer { self.isCancelled = { false } }
            return body()
        }
    }

    /// The function that libjxl calls, with an object of this type.
    static let run: JxlParallelRunner = { tasks, image, prepare, run, start, end in
        guard let tasks, let prepare, let run, prepare(image, 1) == 0 else { return -1 }
        // The stream, which is in the middle of a call of libjxl, keeps it.
        let owner = Unmanaged<JPEGXLTasks>.fromOpaque(tasks).takeUnretainedValue()
        for task in start..<max(start, end) {
            guard !owner.isCancelled() else {
                owner.wereEnded = true
                return -1
            }
            run(image, task, 0)
        }
        return 0
    }
}
