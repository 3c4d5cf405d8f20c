import Foundation

/// A folder of a test's own, which goes with it.
final class TestFiles {
    let folder = NSTemporaryDirectory() + "halcyon-views-\(UUID().uuidString)"

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Writes a file.
    ///
    /// - Returns: Its path.
    func write(_ data: Data, to name: String) throws -> String {
        let path = folder + "/" + name
        try data.write(to: URL(fileURLWithPath: path))
        return path
    }

    /// Writes a file whose name need not be UTF-8.
    ///
    /// - Returns: The bytes of its path.
    func write(_ data: Data, to name: [UInt8]) throws -> [UInt8] {
        let path = Array(folder.utf8) + [UInt8(ascii: "/")] + name
        let plain = try write(data, to: UUID().uuidString)
        guard rename(plain, path.map { CChar(truncatingIfNeeded: $0) } + [0]) == 0 else {
            throw CocoaError(.fileWriteUnknown)
        }
        return path
    }
}
