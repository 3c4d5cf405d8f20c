internal import Glibc

/// Memory that its holder frees, or gives back to the ``MemoryPool`` it is from.
///
/// A large block is mapped by itself and goes back to the system when it is freed. malloc does the same only until the
/// first one is freed: glibc then raises its threshold, up to 32 MiB, and takes the next ones from arenas, which small
/// blocks that live longer keep from shrinking. 300 loads of 24 MB of pixels each, of which 64 MB stayed in use, left
/// 1,073 MB resident.
///
/// Unchecked: a raw pointer, which the block's one holder passes on or frees.
package struct MemoryBlock: @unchecked Sendable {
    /// Aligned to 64 bytes.
    package let pointer: UnsafeMutableRawPointer
    /// At least as many bytes as were asked for.
    package let capacity: Int

    /// Blocks of this many bytes and more are mapped.
    package static let mappedByteCount = 256 << 10
    /// The size of a large page on x86-64, and on arm64 with pages of 4 KiB.
    private static let largePageByteCount = 2 << 20

    /// Memory with arbitrary contents; `nil` where it cannot be had.
    package init?(byteCount: Int) {
        let rounded = (byteCount + 63) & ~63
        guard rounded >= Self.mappedByteCount, !Self.isInstrumented else {
            capacity = rounded
            guard let pointer = aligned_alloc(64, capacity) else { return nil }
            self.pointer = pointer
            return
        }
        let page = Int(getpagesize())
        capacity = (rounded + page - 1) & ~(page - 1)
        let address = mmap(nil, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let address, address != MAP_FAILED else { return nil }
        // To touch 8 MB for the first time takes 4.8 ms in pages of 4 KiB, and 0.3 ms in pages of 2 MiB. Where the
        // system has none to give, that is no error.
        if capacity >= Self.largePageByteCount { _ = madvise(address, capacity, MADV_HUGEPAGE) }
        pointer = address
    }

    /// Memory of another owner, which is never freed.
    init(lent pointer: UnsafeMutableRawPointer, capacity: Int) {
        self.pointer = pointer
        self.capacity = capacity
    }

    /// Gives the memory back to malloc or to the system.
    package func free() {
        if capacity >= Self.mappedByteCount, !Self.isInstrumented {
            munmap(pointer, capacity)
        } else {
            Glibc.free(pointer)
        }
    }

    /// A Boolean value that indicates whether this is a build with AddressSanitizer, which checks the bounds of blocks
    /// of malloc alone.
    package static let isInstrumented = dlsym(nil, "__asan_init") != nil
}
