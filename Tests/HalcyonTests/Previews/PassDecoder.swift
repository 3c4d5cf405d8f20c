import FoundationEssentials
import HalcyonSystem

@testable import Halcyon

/// A format of tests: 64 bytes of header, then one byte for each pass, and "." behind the last. The width of a preview is
/// the number of passes; the image itself has 50 pixels.
struct PassDecoder: IncrementalDecoding {
    /// What the reader did, in order.
    enum Step: Hashable, Sendable {
        case added(Int)
        case made(Int)
    }

    static let header = Data(repeating: UInt8(ascii: "P"), count: 64)
    static let fullWidth = 50

    /// Told of each step before it is taken, on the thread that takes it.
    let observer: @Sendable (Step) -> Void

    let format = ImageFormat(rawValue: "passes")
    /// The format that the images say they have; `nil`: that of the decoder.
    var imageFormat: ImageFormat?
    /// The pixels of all images, in place of those by the number of passes.
    var pattern: Bitmap?
    /// A Boolean value that indicates whether a reader's image, once it is complete, is that of the whole file.
    var matchesWholeDecoding = false
    /// The number of whole files that were decoded.
    let decodeCount = Lock(0)

    var codecs: ImageCodecs { .standard.registering(decoder: self) }

    func recognizes(_ prefix: Data) -> Bool { prefix.starts(with: Self.header) }

    func info(of data: Data, limits: DecodeLimits) -> ImageInfo {
        ImageInfo(format: imageFormat ?? format, size: pattern?.size ?? PixelSize(Self.fullWidth, 4))
    }

    func decode(_ data: Data, options: DecodeOptions, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        decodeCount.withLock { $0 += 1 }
        return image(width: Self.fullWidth)
    }

    func cursor(for data: Data, options: DecodeOptions) throws -> sending any FrameCursor {
        throw CodecError.noSuchFrame(0, frameCount: 0)
    }

    func incrementalReader(for beginning: Data, options: DecodeOptions) throws -> any IncrementalReading {
        let reader = Reader(self)
        try reader.append(beginning.dropFirst(Self.header.count))
        return reader
    }

    func embeddedThumbnail(
        in beginning: Data,
        options: DecodeOptions,
        isCancelled: @Sendable () -> Bool
    ) -> DecodedImage? { image(width: 49) }

    fileprivate func image(width: Int) -> DecodedImage {
        DecodedImage(bitmap: pattern ?? Sample.bitmap(width, 4), info: info(of: Data(), limits: .standard))
    }

    private final class Reader: IncrementalReading {
        private let decoder: PassDecoder
        private var bytes = Data()
        private(set) var progress = IncrementalProgress()
        var matchesWholeDecoding: Bool { decoder.matchesWholeDecoding }

        init(_ decoder: PassDecoder) {
            self.decoder = decoder
        }

        func append(_ bytes: Data) throws {
            decoder.observer(.added(bytes.count))
            self.bytes.append(contentsOf: bytes)
        }

        func end() {}

        func advance(isCancelled: @Sendable () -> Bool) throws -> Bool {
            guard let byte = bytes.popFirst() else { return false }
            if byte == UInt8(ascii: "!") { throw CodecError.corrupt(decoder.format, reason: "a test asked for it") }
            progress.coverage = 1
            progress.isComplete = byte == UInt8(ascii: ".")
            if !progress.isComplete { progress.passCount += 1 }
            return !bytes.isEmpty
        }

        func image(isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
            let width = progress.isComplete ? PassDecoder.fullWidth : progress.passCount
            decoder.observer(.made(width))
            return decoder.image(width: width)
        }
    }
}
