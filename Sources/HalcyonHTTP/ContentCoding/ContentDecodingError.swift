/// Why a coded body has no content.
enum ContentDecodingError: Error, Hashable {
    /// In words.
    case malformed(String)
    /// A content coding under another one takes more than the body may.
    case tooLarge
    case outOfMemory
}
