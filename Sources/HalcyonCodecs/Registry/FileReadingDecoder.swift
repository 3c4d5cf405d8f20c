package import FoundationEssentials

/// A decoder that can read a file of any size where it is, only as much of it as it needs.
package protocol FileReadingDecoder: ImageDecoder {
    /// Returns a decoder of the image in a file. Reading blocks. It takes any bytes, and finds the format in the file.
    ///
    /// The bytes that it is given are not those of the file but a name of its state, so that the image is that of the
    /// state that the caller knows.
    ///
    /// - Parameters:
    ///   - path: The path of a regular file.
    ///   - state: Returns the name of the state of an open file.
    func reading(
        fileAt path: String,
        state: @escaping @Sendable (_ descriptor: Int32) throws -> Data
    ) -> any ImageDecoder

    /// The file that this decoder reads; `nil` if it reads bytes.
    var file: (any FileOfDecoder)? { get }

    /// Returns the decoder of bytes of a format.
    func decoder(of format: ImageFormat) -> any ImageDecoder
}

/// A file that a decoder reads where it is.
package protocol FileOfDecoder: Sendable {
    /// Opens the file in a known state, and closes it when `body` has ended. Reading it blocks.
    ///
    /// - Parameters:
    ///   - state: The name of the state.
    ///   - body: Is given an open file, the number of its bytes, and its format.
    /// - Throws: The errors of opening and of `body`; ``CodecError/corrupt(_:reason:)`` if the state of the file is another
    ///   one, or is another one after `body`; ``CodecError/unknownFormat(detected:)``.
    func withFile<Result>(
        in state: Data,
        _ body: (_ descriptor: Int32, _ byteCount: Int, _ format: ImageFormat) throws -> Result
    ) throws -> Result
}
