public import FoundationEssentials

/// A decoder with closures, for a format of the program's own.
///
/// ```swift
/// let decoder = CustomImageDecoder(format: ImageFormat(rawValue: "scan")) { prefix in
///     prefix.starts(with: Data("SCAN".utf8))
/// } info: { data, _ in
///     try ScanHeader(data).info
/// } decode: { data, options, isCancelled in
///     try Scan(data, limits: options.limits).image(isCancelled: isCancelled)
/// }
/// let codecs = ImageCodecs.standard.registering(decoder: decoder)
/// ```
public struct CustomImageDecoder: ImageDecoder {
    /// A function that tells the format; see ``ImageDecoder/recognizes(_:)``.
    public typealias Recognize = @Sendable (_ prefix: Data) -> Bool
    /// A function that reads the header; see ``ImageDecoder/info(of:limits:)``.
    public typealias Info = @Sendable (_ data: Data, _ limits: DecodeLimits) throws(CodecError) -> ImageInfo
    /// A function that decodes; see ``ImageDecoder/decode(_:options:isCancelled:)``.
    public typealias Decode =
        @Sendable (_ data: Data, _ options: DecodeOptions, _ isCancelled: @Sendable () -> Bool) throws -> DecodedImage

    /// The format.
    public let format: ImageFormat
    private let recognize: Recognize
    private let readInfo: Info
    private let decode: Decode

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - format: The format that it reads.
    ///   - recognizes: Returns whether the first bytes of a file, up to 64, belong to the format.
    ///   - info: Returns what the header states. The bytes may be the beginning of a file only.
    ///   - decode: Returns one frame, upright and premultiplied. It checks the limits of its options before it takes
    ///     memory, and asks between rows whether it is cancelled.
    public init(
        format: ImageFormat,
        recognizes: @escaping Recognize,
        info: @escaping Info,
        decode: @escaping Decode
    ) {
        self.format = format
        recognize = recognizes
        readInfo = info
        self.decode = decode
    }

    /// Returns the result of the closure.
    public func recognizes(_ prefix: Data) -> Bool { recognize(prefix) }

    /// Returns the result of the closure.
    public func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        try readInfo(data, limits)
    }

    /// Returns the result of the closure.
    public func decode(
        _ data: Data,
        options: DecodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> DecodedImage {
        try decode(data, options, isCancelled)
    }
}
