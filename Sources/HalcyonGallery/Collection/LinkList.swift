internal import Glibc
internal import HalcyonSystem

/// A text with one link or path a line. Empty lines and those that begin with `#` are left out.
enum LinkList {
    /// The greatest number of bytes of such a file.
    static let byteLimit = 16 << 20

    /// Returns the lines, without white space at their ends. Their bytes need not be UTF-8, as those of paths need not.
    static func lines(of bytes: some Collection<UInt8>) -> [[UInt8]] {
        bytes.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }.compactMap { line in
            let trimmed = line.drop(while: isBlank)
            guard let first = trimmed.first, first != UInt8(ascii: "#") else { return nil }
            return Array(trimmed.reversed().drop(while: isBlank).reversed())
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || (9...13).contains(byte) }

    /// Returns the lines of a file; `nil` if it cannot be read or is too long.
    static func lines(ofFile path: String) -> [[UInt8]]? {
        guard let handle = FilePath.withCString(path, { fopen($0, "r") }) else { return nil }
        defer { fclose(handle) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = fread(&buffer, 1, buffer.count, handle)
            guard count > 0 else {
                return ferror(handle) == 0 ? lines(of: bytes) : nil
            }
            guard bytes.count + count <= byteLimit else { return nil }
            bytes.append(contentsOf: buffer[..<count])
        }
    }
}
