internal import Glibc

/// A key as the index needs it, for the time of one call.
struct DiskKey {
    /// The number of its row.
    let id: Int64
    let text: String
    /// Its UTF-8 bytes; valid during the call that got the key.
    let bytes: UnsafeRawBufferPointer

    /// Returns whether these are the bytes of a text.
    func hasBytes(of text: String) -> Bool {
        var text = text
        return text.withUTF8 { hasBytes(UnsafeRawBufferPointer($0)) }
    }

    /// Returns whether these are the bytes of the key. `memcmp`, because comparing element by element takes 40 ns
    /// instead of 5.
    func hasBytes(_ other: UnsafeRawBufferPointer) -> Bool {
        guard other.count == bytes.count else { return false }
        guard let left = bytes.baseAddress, let right = other.baseAddress else { return other.isEmpty }
        return memcmp(left, right, other.count) == 0
    }
}
