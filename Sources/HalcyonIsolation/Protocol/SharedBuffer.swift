internal import CIsolation
internal import Glibc
internal import HalcyonCodecs

/// Memory that the program makes and shares with one worker. Its size never changes, so that reading it cannot fail.
final class SharedBuffer {
    /// The open file that is passed to the worker.
    let descriptor: Int32
    let address: UnsafeMutableRawPointer
    let byteCount: Int

    /// - Parameters:
    ///   - byteCount: The size; rounded up to whole pages.
    ///   - isReadOnly: Whether the worker can only read it. Holds from Linux 5.1 on; before, a worker could change its own input,
    ///     which the program does not read back.
    init(byteCount: Int, isReadOnly: Bool = false) throws {
        let size = max(1, byteCount + 4_095) / 4_096 * 4_096
        descriptor = halcyon_shared_memory("halcyon", size)
        guard descriptor >= 0 else { throw IsolationError.cannotShare(reason: systemErrorText(errno)) }
        guard let address = halcyon_map(descriptor, size, true) else {
            let error = errno
            close(descriptor)
            throw IsolationError.cannotShare(reason: systemErrorText(error))
        }
        halcyon_shared_memory_seal(descriptor, isReadOnly)
        self.address = address
        self.byteCount = size
    }

    deinit {
        munmap(address, byteCount)
        close(descriptor)
    }

    /// Gives the memory back to the system, and leaves the buffer in place.
    func releasePages() {
        _ = halcyon_shared_memory_release(descriptor, byteCount)
    }
}
