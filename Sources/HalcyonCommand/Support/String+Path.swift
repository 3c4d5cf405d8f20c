/// Paths are split where the system splits them, at the byte. A slash that is followed by a joining mark is another
/// `Character`, but the same byte.
extension String {
    /// The parts of a path between its slashes, without empty ones.
    var pathParts: [Substring] { utf8.split(separator: UInt8(ascii: "/")).map(Substring.init) }

    /// A Boolean value that indicates whether a path ends in a slash, and so can only name a folder.
    var endsInSlash: Bool { utf8.last == UInt8(ascii: "/") }

    /// The folder that contains the file or folder at a path.
    var parentFolder: String {
        guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == utf8.startIndex ? "/" : String(self[..<slash])
    }
}
