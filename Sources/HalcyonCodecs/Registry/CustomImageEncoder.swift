public import FoundationEssentials
public import HalcyonRaster

/// An encoder with a closure, for a format of the program's own or in place of a built-in one.
public struct CustomImageEncoder: ImageEncoder {
    /// A function that encodes; see ``ImageEncoder/encode(_:options:)``.
    public typealias Encode = @Sendable (_ bitmap: Bitmap, _ options: EncodeOptions) throws(CodecError) -> Data

    /// The format.
    public let format: ImageFormat
    /// The name of what the closure writes, with each value that it uses, such as "scan-2".
    public let cacheIdentity: String
    private let encode: Encode

    /// Creates an encoder.
    ///
    /// - Parameters:
    ///   - format: The format that it writes.
    ///   - cacheIdentity: The name of what the closure writes, with each value that it uses: encoders with equal names
    ///     are taken to write equal bytes. It stands in the disk cache as it is.
    ///   - encode: Returns the bytes of a bitmap.
    public init(format: ImageFormat, cacheIdentity: String, encode: @escaping Encode) {
        self.format = format
        self.cacheIdentity = cacheIdentity
        self.encode = encode
    }

    /// Returns the result of the closure.
    public func encode(_ bitmap: Bitmap, options: EncodeOptions) throws(CodecError) -> Data {
        try encode(bitmap, options)
    }
}
