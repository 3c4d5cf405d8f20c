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
}
