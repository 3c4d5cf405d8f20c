internal import Halcyon
internal import HalcyonSystem

/// Adds a column of a colour of its own, so that an image shows the processors it has gone through, in their order.
struct MarkProcessor: ImageProcessing {
    let mark: UInt8
    /// The holds that keep the processor from ending; not part of its identity.
    let holds: ProcessorHolds

    static func == (left: MarkProcessor, right: MarkProcessor) -> Bool { left.mark == right.mark }

    func hash(into hasher: inout Hasher) {
        hasher.combine(mark)
    }

    func encodeParameters(into encoder: inout CacheKeyEncoder) {
        encoder.encode(Int(mark))
    }

    /// Returns the colour of a mark, premultiplied.
    static func color(_ mark: UInt8) -> [UInt8] { [mark, ~mark, 77, 255] }

    func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        try holds.wait(mark, isCancelled: isCancelled)
        let source = image.bitmap
        var result = try Bitmap(size: PixelSize(source.width + 1, source.height), isOpaque: source.isOpaque)
        let row = result.bytesPerRow
        result.withUnsafeMutableBytes { target in
            source.withUnsafeBytes { bytes in
                for y in 0..<source.height {
                    let line = UnsafeRawBufferPointer(
                        rebasing: bytes[(y * source.bytesPerRow)...].prefix(source.width * 4)
                    )
                    UnsafeMutableRawBufferPointer(rebasing: target[(y * row)...]).copyMemory(from: line)
                    target.setPixel(Self.color(mark), at: y * row + source.width * 4)
                }
            }
        }
        return image.replacingBitmap(result)
    }
}

/// The processors that wait until a program lets them go on.
final class ProcessorHolds: Sendable {
    /// A Boolean value that indicates whether the processors that this task runs end at once.
    @TaskLocal static var areIgnored = false

    private let held = Lock<Set<UInt8>>([])

    func hold(_ mark: UInt8) {
        _ = held.withLock { $0.insert(mark) }
    }

    func release() {
        held.withLock { $0 = [] }
    }

    /// Blocks a worker, as a slow processor does.
    fileprivate func wait(_ mark: UInt8, isCancelled: @Sendable () -> Bool) throws {
        while !Self.areIgnored, held.withLock({ $0.contains(mark) }) {
            if isCancelled() { throw CancellationError() }
            Sleep.microseconds(100)
        }
    }
}
