/// The reason why a coded body has no content.
enum ContentDecodingError: Error, Hashable {
    /// The coded body is invalid, for the reason in words.
    case malformed(String)
    /// A coded form of the body is longer than the body may be.
    case tooLarge
    case outOfMemory
}
