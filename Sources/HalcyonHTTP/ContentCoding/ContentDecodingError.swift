/// Why a coded body has no content.
enum ContentDecodingError: Error, Hashable {
    /// In words.
    case malformed(String)
    /// A coded form of the body takes more than the body may.
    case tooLarge
    case outOfMemory
}
