internal import Glibc

/// Reading a part of an open file without moving its position.
enum FilePart {
    /// Returns the bytes, none at the end of the file; `nil` if it cannot be read.
    static func read(_ descriptor: Int32, at position: Int, upTo count: Int) -> [UInt8]? {
        var size = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            repeat {
                size = pread(descriptor, buffer.baseAddress, count, off_t(position))
            } while size < 0 && errno == EINTR
            initialized = max(0, size)
        }
        return size < 0 ? nil : bytes
    }
}
