internal import CXXHash
package import FoundationEssentials

/// XXH3 with 64 bits, of bytes at hand or as they come (https://github.com/Cyan4973/xxHash, specification 0.2.0).
package final class Checksum {
    private let state: OpaquePointer

    package init() {
        // Never null: the allocation is of 576 bytes, and glibc's malloc does not fail for such.
        guard let state = XXH3_createState() else { preconditionFailure("out of memory") }
        self.state = state
        XXH3_64bits_reset(state)
    }

    deinit {
        XXH3_freeState(state)
    }

    package func update(_ bytes: UnsafeRawBufferPointer) {
        guard let address = bytes.baseAddress else { return }
        _ = halcyon_xxh3_update(state, address, bytes.count)
    }

    package var value: UInt64 {
        XXH3_64bits_digest(state)
    }

    package static func hash(of bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
        withUnsafeBytes(of: UInt8(0)) { empty in
            halcyon_xxh3(bytes.baseAddress ?? empty.baseAddress, bytes.count, seed)
        }
    }

    package static func hash(of bytes: Data) -> UInt64 {
        bytes.withUnsafeBytes { hash(of: $0, seed: 0) }
    }

    /// Returns the checksum of an entry: of its metadata, seeded with that of its body, which may be known first or
    /// last.
    package static func entry(body: UInt64, metadata: Data) -> Int64 {
        Int64(bitPattern: metadata.withUnsafeBytes { hash(of: $0, seed: body) })
    }
}
