internal import Glibc

/// Has malloc fill the memory that it hands out, for code that shows memory it has not written.
///
/// libde265 leaves the parts of a picture whose data are damaged as they are, and tells nobody: of 348 damaged HEIC files
/// 30 showed what the heap had held before, the pixels of other images among it.
package enum HeapFilling {
    private struct State {
        var byte: UInt8?
        var userCount = 0
    }

    private static let state = Lock(State())
    /// Grey, in the planes of pictures.
    private static let grey: UInt8 = 0x80

    /// Fills all memory with a byte, for tests; `nil`, the default, leaves it as it is.
    package static func set(_ byte: UInt8?) {
        state.withLock { state in
            state.byte = byte
            apply(state)
        }
    }

    /// Runs code whose memory is grey where it has not written to it. Meanwhile that of other threads is, too: no more
    /// than a few percent of the time of decoding.
    package static func whileFilled<Result>(_ body: () -> Result) -> Result {
        state.withLock { state in
            state.userCount += 1
            if state.userCount == 1 { apply(state) }
        }
        defer {
            state.withLock { state in
                state.userCount -= 1
                if state.userCount == 0 { apply(state) }
            }
        }
        return body()
    }

    private static func apply(_ state: State) {
        typealias Setting = @convention(c) (CInt, CInt) -> CInt
        // Swift's module of the C library lacks the header of `mallopt`. Other libraries than glibc have no such setting.
        guard let address = dlsym(nil, "mallopt") else { return }
        let perturbation: CInt = -6
        // glibc hands out memory that holds the complement; 0 leaves it as it is.
        let byte = state.userCount > 0 ? grey : state.byte
        _ = unsafeBitCast(address, to: Setting.self)(perturbation, CInt(byte.map { ~$0 } ?? 0))
    }
}
