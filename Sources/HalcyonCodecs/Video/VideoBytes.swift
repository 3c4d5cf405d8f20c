#if Video
internal import FoundationEssentials
internal import Glibc

/// The bytes of a container: in memory, or in an open file, of which only what is needed is read. Belongs to one
/// thread.
final class VideoBytes {
    private enum Location {
        case memory(UnsafeRawBufferPointer)
        case file(descriptor: Int32)
    }

    private let location: Location
    let count: Int

    /// - Parameter bytes: Borrowed for as long as this object is used.
    init(_ bytes: UnsafeRawBufferPointer) {
        (location, count) = (.memory(bytes), bytes.count)
    }

    /// - Parameters:
    ///   - descriptor: Of a regular file, which stays open as long as this object is used.
    ///   - count: Its number of bytes.
    init(descriptor: Int32, count: Int) {
        (location, self.count) = (.file(descriptor: descriptor), count)
    }

    /// Reads up to as many bytes as there is room for. A file may have become shorter since it was opened.
    ///
    /// - Returns: The number of bytes; 0 at the end, -1 where they cannot be read.
    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard offset >= 0, offset < count, let target = buffer.baseAddress else {
            return 0
        }
        let wanted = min(buffer.count, count - offset)
        switch location {
        case .memory(let bytes):
            // There are bytes, so there is an address.
            guard let start = bytes.baseAddress else { return 0 }
            target.copyMemory(from: start + offset, byteCount: wanted)
            return wanted
        case .file(let descriptor):
            while true {
                let read = pread(descriptor, target, wanted, off_t(offset))
                if read >= 0 || errno != EINTR { return read }
            }
        }
    }

    /// Returns the bytes at an offset, fewer where they end; empty where they cannot be read.
    func bytes(at offset: Int, count: Int) -> Data {
        var data = Data(count: count)
        let read = data.withUnsafeMutableBytes { self.read(at: offset, into: $0) }
        return data.prefix(max(0, read))
    }
}
#endif
