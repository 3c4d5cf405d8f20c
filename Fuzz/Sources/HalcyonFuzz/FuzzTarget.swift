import FoundationEssentials
import HalcyonRaster

@testable import HalcyonCodecs
@testable import HalcyonSystem

/// What is done with the bytes that libFuzzer makes up.
enum FuzzTarget: Sendable {
    /// Decodes as one format, at its own size, the first and a later frame, that one with 16 bits a sample.
    case decode(any ImageDecoder)
    /// Decodes as one format at a reduced size.
    case thumbnail(any ImageDecoder)
    /// Decodes as a video, whatever container it is, frames at several times.
    case video
    /// Tells the format and reads headers.
    case info
    /// Composes frames in and out of order.
    case frames
    /// Decodes in pieces, as while the bytes arrive.
    case incremental
    /// Decodes any format into sRGB and into the colours of the file, with 8 and with 16 bits a sample.
    case color
    /// Reads the metadata of any format.
    case fileMetadata
    /// Reads and decodes any format within the default limits, for runs in which memory is bounded.
    case allLimits
    /// Encodes a bitmap that the input describes, and decodes the result.
    case roundTrip
    /// Reads what a server sends beside the body.
    case field(FieldTarget)
    /// Reads what lies on disk, or beside pixels.
    case stored(StoredTarget)
    /// Reads short text from servers, pages and files.
    case text(TextTarget)
    /// Reads what a program and its workers send each other.
    case worker(WorkerTarget)

    /// Low, so that a run gets through many inputs, and so that memory that is taken in spite of them stands out.
    static let limits = DecodeLimits(pixelCount: 1 << 20, sideLength: 1 << 14, frameCount: 200, memory: 64 << 20)

    /// Lower still, as each input is decoded six times, with conversions.
    private static let colorLimits = DecodeLimits(
        pixelCount: 1 << 18,
        sideLength: limits.sideLength,
        frameCount: limits.frameCount,
        memory: limits.memory
    )

    /// - Returns: `nil` where the target is unknown, or its format has no decoder in this build.
    init?(name: String) {
        func decoder(_ format: ImageFormat) -> (any ImageDecoder)? {
            ImageCodecs.standard.decoders.first { $0.format == format }
        }
        if let target = FieldTarget(rawValue: name) {
            self = .field(target)
            return
        }
        if let target = StoredTarget(rawValue: name) {
            self = .stored(target)
            return
        }
        if let target = TextTarget(rawValue: name) {
            self = .text(target)
            return
        }
        if let target = WorkerTarget(rawValue: name) {
            self = .worker(target)
            return
        }
        switch name {
        case "video":
            guard decoder(.mp4) != nil else { return nil }
            self = .video
        case "info":
            self = .info
        case "frames":
            self = .frames
        case "incremental":
            self = .incremental
        case "color":
            self = .color
        case "file-metadata":
            self = .fileMetadata
        case "all-limits":
            self = .allLimits
        case "roundtrip":
            self = .roundTrip
        case "jpeg-thumbnail":
            guard let decoder = decoder(.jpeg) else { return nil }
            self = .thumbnail(decoder)
        default:
            guard let decoder = decoder(ImageFormat(rawValue: name)) else { return nil }
            self = .decode(decoder)
        }
    }

    /// The images and errors of the input at hand, as one number. Unchecked: libFuzzer has one thread.
    private nonisolated(unsafe) static var digest = Hasher()

    /// Any ``CodecError`` is an answer. What ends the process is a finding: a wrong access to memory, a trap, too much
    /// memory or time, an error of another type, a result that breaks the contract of decoders, pixels that depend on
    /// what the memory held before.
    func run(_ data: Data) {
        switch self {
        case .field, .stored, .text, .worker: return attemptAll(data)
        default: break
        }
        let digests = [0xa5, 0x5a].map { (byte: UInt8) in
            MemoryPool.fillMemory(with: byte)
            Self.digest = Hasher()
            attemptAll(data)
            return Self.digest.finalize()
        }
        precondition(digests[0] == digests[1], "an image that depends on what the memory held before")
    }

    private func attemptAll(_ data: Data) {
        switch self {
        case .decode(let decoder):
            attempt { _ = try decoder.info(of: data, limits: Self.limits) }
            attempt { check(try decode(data, decoder, frame: 0)) }
            attempt { check(try decode(data, decoder, frame: 2, keepsSixteenBits: true)) }
            if decoder.format == .ico {
                attempt { check(try decode(data, decoder, target: PixelSize(16, 16))) }
            }
        case .thumbnail(let decoder):
            attempt { check(try decode(data, decoder, target: PixelSize(48, 32))) }
            attempt { check(try decode(data, decoder, target: PixelSize(160, 120), usesEmbeddedThumbnail: true)) }
        case .video:
            for frame in [
                VideoFrame(), VideoFrame(at: .seconds(1.1), tolerance: .exact), VideoFrame(at: .fraction(0.6)),
                VideoFrame(at: .seconds(9), tolerance: .nextKeyFrame),
            ] {
                var options = DecodeOptions(limits: Self.limits, videoFrame: frame)
                options.keepsSixteenBits = frame.tolerance == .exact
                attempt { check(try ImageCodecs.standard.decode(data, options: options)) }
            }
        case .info:
            attempt { _ = try ImageCodecs.standard.info(of: data, limits: Self.limits) }
            for decoder in ImageCodecs.standard.decoders {
                attempt { _ = try decoder.info(of: data, limits: Self.limits) }
            }
        case .frames:
            attempt { try composeFrames(data) }
        case .incremental:
            attempt { try decodePieces(data) }
        case .color:
            for (color, keepsSixteenBits) in [(ColorHandling.sRGB, false), (.sRGB, true), (.asStored, true)] {
                let options = DecodeOptions(color: color, keepsSixteenBits: keepsSixteenBits, limits: Self.colorLimits)
                attempt {
                    let image = try ImageCodecs.standard.decode(data, options: options)
                    precondition(color == .asStored || image.colorProfile == nil, "colours that were not converted")
                    check(image)
                }
            }
        case .fileMetadata:
            attempt { check(try ImageCodecs.standard.metadata(of: data)) }
            for decoder in ImageCodecs.standard.decoders {
                attempt { check(try decoder.metadata(of: data)) }
            }
        case .allLimits:
            let codecs = ImageCodecs.standard
            attempt { _ = try codecs.info(of: data) }
            attempt { _ = try codecs.metadata(of: data) }
            attempt { _ = try codecs.decode(data, options: DecodeOptions(targetSize: PixelSize(100, 100))) }
            attempt { _ = try codecs.decode(data, options: DecodeOptions(frame: 1, largestSideLength: 100)) }
        case .roundTrip:
            attempt { try RoundTrip(data)?.run() }
        case .field(let target):
            target.run(data)
        case .stored(let target):
            target.run(data)
        case .text(let target):
            target.run(data)
        case .worker(let target):
            target.run(data)
        }
    }

    private func decode(
        _ data: Data,
        _ decoder: any ImageDecoder,
        frame: Int = 0,
        target: PixelSize? = nil,
        keepsSixteenBits: Bool = false,
        usesEmbeddedThumbnail: Bool = false
    ) throws -> DecodedImage {
        let options = DecodeOptions(
            targetSize: target,
            frame: frame,
            keepsSixteenBits: keepsSixteenBits,
            usesEmbeddedThumbnail: usesEmbeddedThumbnail,
            limits: Self.limits
        )
        return try decoder.decode(data, options: options, isCancelled: { false })
    }

    private func composeFrames(_ data: Data) throws {
        let decoder = try ImageCodecs.standard.decoder(for: data)
        let count = try decoder.info(of: data, limits: Self.limits).frameCount
        for keepsSixteenBits in [false, true] {
            let options = DecodeOptions(keepsSixteenBits: keepsSixteenBits, limits: Self.limits)
            var cursor = try decoder.cursor(for: data, options: options)
            for index in [0, 1, 2, 3, 1, count - 1, 0, count] {
                attempt { check(try cursor.bitmap(ofFrame: index, isCancelled: { false })) }
            }
        }
    }

    /// The last byte is the length of the pieces.
    private func decodePieces(_ bytes: Data) throws {
        let length = Int(bytes.last ?? 0) + 1
        let options = DecodeOptions(targetSize: length % 3 == 0 ? PixelSize(40, 30) : nil, limits: Self.limits)
        let decoder = IncrementalDecoder(options: options, readsThumbnail: true)
        var last = IncrementalProgress()
        for start in stride(from: 0, to: bytes.count, by: length) {
            try decoder.append(bytes[start..<min(start + length, bytes.count)])
            while try decoder.advance() {}
            let progress = decoder.progress
            precondition(progress.coverage >= last.coverage && progress.passCount >= last.passCount)
            // A preview at each quarter, so that long inputs do not take long.
            guard progress.passCount > last.passCount || progress.coverage >= last.coverage + 0.25 else { continue }
            last = progress
            if let image = try decoder.image() { check(image) }
        }
        decoder.end()
        while try decoder.advance() {}
        if let image = try decoder.image() { check(image) }
    }

    private func attempt(_ body: () throws -> Void) {
        do {
            try body()
        } catch let error as CodecError {
            Self.digest.combine(error)
        } catch {
            fatalError("an error of another type: \(error)")
        }
    }

    private func check(_ metadata: ImageMetadata) {
        _ = metadata.exif.map { EXIF.orientation(in: $0) }
        _ = metadata.iccProfile.map { (ICCProfile.description(of: $0), ICCProfile.colorSpace(of: $0)) }
    }

    private func check(_ image: DecodedImage) {
        check(image.bitmap)
    }

    private func check(_ bitmap: Bitmap) {
        precondition(bitmap.size.area <= Self.limits.pixelCount, "\(bitmap.size) pixels in spite of the limit")
        precondition(!bitmap.isOpaque || !bitmap.containsTransparency(), "a bitmap that is not as opaque as it says")
        bitmap.withUnsafeBytes { pixels in
            for row in 0..<bitmap.height {
                let start = row * bitmap.bytesPerRow
                let bytes = pixels[start..<start + bitmap.width * bitmap.bytesPerPixel]
                Self.digest.combine(bytes: UnsafeRawBufferPointer(rebasing: bytes))
            }
        }
    }
}
