public import FoundationEssentials
package import HalcyonRaster

/// Decodes an image while its bytes arrive: JPEG by scans or rows, PNG by passes or rows, WebP by rows, JPEG XL first
/// at an eighth of its resolution, and the first frame of a GIF once it is there.
///
/// Every byte is decoded once, however few come at a time. An orientation that a file states behind its pixels turns
/// the image once it is there. A WebP announces whether it has one, and is not shown before; a PNG does not.
///
/// ```swift
/// let decoder = IncrementalDecoder()
/// for try await bytes in chunks {
///     try decoder.append(bytes)
///     while try decoder.advance() {}
///     if let image = try decoder.image() { show(image) }
/// }
/// ```
///
/// A decoder is used by one thread at a time. After an error it throws the same error again.
public final class IncrementalDecoder {
    /// The first bytes that are needed to tell a format.
    private static let detectionByteCount = 64

    private let codecs: ImageCodecs
    private let options: DecodeOptions
    private let targetSize: (@Sendable (ImageInfo) throws -> PixelSize?)?
    /// The bytes so far, until there is a reader.
    private var beginning = Data()
    /// The number of bytes at which the header is read again. It grows by a share of the bytes, so that a long header
    /// is read a few times and not once for each piece.
    private var nextAttempt = IncrementalDecoder.detectionByteCount
    private var reader: (any IncrementalReading)?
    private var isEnded = false
    private var failure: (any Error)?
    /// The number of bytes that were added.
    public private(set) var byteCount = 0
    /// The smaller image that the file embeds; `nil` if there is none, or none was asked for.
    public private(set) var embeddedThumbnail: DecodedImage?
    private let readsThumbnail: Bool

    /// A decoder of one image.
    ///
    /// - Parameters:
    ///   - codecs: Those among which the format is looked up. Default: ``ImageCodecs/standard``.
    ///   - options: As for a whole file; ``DecodeOptions/frame`` must be 0.
    ///   - readsThumbnail: A Boolean value that indicates whether ``embeddedThumbnail`` is read. Default: `false`.
    public convenience init(
        codecs: ImageCodecs = .standard,
        options: DecodeOptions = DecodeOptions(),
        readsThumbnail: Bool = false
    ) {
        self.init(codecs: codecs, options: options, readsThumbnail: readsThumbnail, targetSize: nil)
    }

    /// - Parameter targetSize: Returns the target size for the header, in place of that of the options; `nil`: theirs. Called
    ///   before the image takes memory, and again if more of the header is needed. An error ends the decoding.
    package init(
        codecs: ImageCodecs,
        options: DecodeOptions,
        readsThumbnail: Bool = false,
        targetSize: (@Sendable (ImageInfo) throws -> PixelSize?)?
    ) {
        self.codecs = codecs
        self.options = options
        self.readsThumbnail = readsThumbnail
        self.targetSize = targetSize
    }

    /// The part of the image that has been read.
    public var progress: IncrementalProgress { reader?.progress ?? IncrementalProgress() }

    /// A Boolean value that indicates whether the header has been read.
    public var hasHeader: Bool { reader != nil }

    /// A Boolean value that indicates whether the image, once it is complete, is the one that
    /// ``ImageCodecs/decode(_:options:isCancelled:)`` makes of the same bytes with the same options, in every pixel;
    /// `false` before the header has been read. It may become `false` while bytes are read.
    ///
    /// A baseline JPEG that is decoded at reduced size takes another way as a whole, a PNG is checked for damage, and a
    /// GIF for the frames behind the first.
    public var matchesWholeDecoding: Bool {
        // What is scaled down to a bound may take other steps.
        guard let reader, options.bitmapLimit == nil else { return false }
        return reader.matchesWholeDecoding
    }

    /// Adds bytes; decodes nothing. Bytes behind the end of the image, or after ``end()``, are ignored.
    ///
    /// - Throws: ``CodecError``.
    public func append(_ bytes: Data) throws {
        try attempt {
            byteCount += bytes.count
            // No reader is to keep what it never reads.
            if isEnded || progress.isComplete { return }
            if let reader { return try reader.append(bytes) }
            beginning.append(bytes)
        }
    }

    /// Says that no more bytes come: what is missing is an error of ``advance(isCancelled:)``.
    public func end() {
        isEnded = true
        reader?.end()
    }

    /// Releases what has been read. Every later call but ``end()`` throws `CancellationError`.
    package func close() {
        reader = nil
        beginning = Data()
        failure = CancellationError()
    }

    /// Reads up to the end of the next scan or pass, or of the bytes at hand.
    ///
    /// - Returns: Whether there may be more to read without more bytes.
    /// - Throws: ``CodecError``, among them ``CodecError/unsupported(_:reason:)`` for a format that is read only once
    ///   all of it is there; `CancellationError`, after which the decoder cannot be used any more.
    public func advance(isCancelled: @Sendable () -> Bool = { false }) throws -> Bool {
        try attempt {
            if isCancelled() { throw CancellationError() }
            if let reader { return try !reader.progress.isComplete && reader.advance(isCancelled: isCancelled) }
            guard isEnded || beginning.count >= nextAttempt else { return false }
            do {
                reader = try makeReader(isCancelled: isCancelled)
                beginning = Data()
                if isEnded { reader?.end() }
                return true
            } catch let error as CodecError where error.isOfMissingBytes && !isEnded {
                nextAttempt = beginning.count + max(1, beginning.count / 8)
                return false
            }
        }
    }

    /// Returns the image as far as it has been read, in the colours that the options ask for; `nil` before there is any
    /// of it. Pixels that are missing are transparent.
    ///
    /// Linear in the number of pixels.
    ///
    /// - Throws: ``CodecError``, `CancellationError`.
    public func image(isCancelled: @Sendable () -> Bool = { false }) throws -> DecodedImage? {
        try attempt {
            guard let reader, reader.progress.coverage > 0 else { return nil }
            return try shown(reader.image(isCancelled: isCancelled), isCancelled: isCancelled)
        }
    }

    private func shown(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        let limited =
            try options.bitmapLimit.map { try image.reduced(to: $0, options.limits, isCancelled: isCancelled) } ?? image
        return try limited.converted(options.color, isCancelled: isCancelled)
    }

    private func makeReader(isCancelled: @Sendable () -> Bool) throws -> any IncrementalReading {
        let decoder = try codecs.decoder(for: beginning, hint: options.typeHint)
        guard let decoder = decoder as? any IncrementalDecoding else {
            throw CodecError.unsupported(decoder.format, reason: "it is decoded once all of it is there")
        }
        guard options.frame == 0 else {
            throw CodecError.unsupported(decoder.format, reason: "only the first frame is decoded while bytes arrive")
        }
        var options = options
        if targetSize != nil || options.bitmapLimit != nil {
            let info = try decoder.info(of: beginning, limits: options.limits)
            if let targetSize { options.targetSize = try targetSize(info) }
            options.limitTargetSize(for: info)
        }
        let reader = try decoder.incrementalReader(for: beginning, options: options)
        if readsThumbnail {
            // A damaged one is left out, as the image itself may be sound.
            let thumbnail = try? decoder.embeddedThumbnail(in: beginning, options: options, isCancelled: isCancelled)
            embeddedThumbnail = try thumbnail.flatMap { try shown($0, isCancelled: isCancelled) }
        }
        return reader
    }

    private func attempt<Result>(_ body: () throws -> Result) throws -> Result {
        if let failure { throw failure }
        do {
            return try body()
        } catch {
            failure = error
            reader = nil
            beginning = Data()
            throw error
        }
    }
}

extension CodecError {
    /// A Boolean value that indicates whether more bytes may help.
    fileprivate var isOfMissingBytes: Bool {
        switch self {
        case .empty, .truncated: true
        default: false
        }
    }
}

extension DecodeOptions {
    /// Asks for no larger image than the bound on the bitmap allows.
    fileprivate mutating func limitTargetSize(for info: ImageInfo) {
        guard let limit = bitmapLimit else { return }
        let depth = keepsSixteenBits && info.bitDepth > 8 ? SampleDepth.sixteen : .eight
        let size = displaySize(of: info)
        let bound = limit.reduced(size, depth: depth)
        guard bound != size else { return }
        targetSize = targetSize.map { PixelSize(min($0.width, bound.width), min($0.height, bound.height)) } ?? bound
    }
}
