import Glibc

/// Extended attributes of files, by the calls of the C library that Swift's module of it lacks.
enum ExtendedAttribute {
    private typealias Set =
        @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeRawPointer, Int, Int32) -> Int32
    private typealias Get =
        @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutableRawPointer, Int) -> Int

    /// Returns whether the file system took it.
    static func set(_ name: String, of path: String, to value: [UInt8]) -> Bool {
        // The types are those of setxattr(2) and getxattr(2).
        guard let symbol = dlsym(nil, "setxattr") else { return false }
        return unsafeBitCast(symbol, to: Set.self)(path, name, value, value.count, 0) == 0
    }

    /// `nil` for a file without it.
    static func value(_ name: String, of path: String) -> [UInt8]? {
        guard let symbol = dlsym(nil, "getxattr") else { return nil }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = unsafeBitCast(symbol, to: Get.self)(path, name, &bytes, bytes.count)
        return count < 0 ? nil : Array(bytes.prefix(count))
    }
}
