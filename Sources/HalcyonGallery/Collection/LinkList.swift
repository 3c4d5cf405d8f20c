internal import Glibc
internal import HalcyonSystem

/// A text with one link or path a line. Empty lines and those that begin with `#` are left out.
enum LinkList {
    /// The greatest number of bytes of such a file.
    static let byteLimit = 16 << 20

    /// Returns the lines, without white space at their ends.
    static func lines(of text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).compactMap { line in
            let trimmed = line.drop(while: \.isWhitespace)
            guard let end = trimmed.lastIndex(where: { !$0.isWhitespace }), trimmed.first != "#" else { return nil }
            return String(trimmed[...end])
        }
    }

    /// Returns the lines of a file; `nil` if it cannot be read or is too long.
    static func lines(ofFile path: String) -> [String]? {
        guard let handle = FilePath.withCString(path, { fopen($0, "r") }) else { return nil }
        defer { fclose(handle) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = fread(&buffer, 1, buffer.count, handle)
            guard count > 0 else {
                return ferror(handle) == 0 ? lines(of: String(decoding: bytes, as: UTF8.self)) : nil
            }
            guard bytes.count + count <= byteLimit else { return nil }
            bytes.append(contentsOf: buffer[..<count])
        }
    }
}
