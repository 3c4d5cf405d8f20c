internal import Glibc

extension String {
    /// Returns the number of UTF-8 bytes before the first that has this value; `nil` if none has.
    ///
    /// The view `utf8` searches a byte at a time, which takes 40 times as long for a URL.
    package func utf8Offset(of byte: UInt8) -> Int? {
        var text = self
        return text.withUTF8 { bytes in
            guard let start = bytes.baseAddress, let found = memchr(start, Int32(byte), bytes.count) else { return nil }
            return UnsafeRawPointer(start).distance(to: UnsafeRawPointer(found))
        }
    }

    /// Returns whether one of the UTF-8 bytes has this value.
    package func utf8Contains(_ byte: UInt8) -> Bool { utf8Offset(of: byte) != nil }
}
