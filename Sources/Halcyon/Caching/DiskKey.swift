/// A name on disk, taken apart again.
package struct DiskKey {
    package let original: String
    package let isProcessed: Bool

    /// See ``ImageKey/processedDiskKey`` for the form.
    package init(_ key: String) {
        let end = key.utf8.firstIndex(of: 0) ?? key.utf8.endIndex
        original = Self.unescaped(key.utf8[..<end])
        let suffix = key.utf8[end...].dropFirst()
        isProcessed = end != key.utf8.endIndex && !suffix.starts(with: Self.slotMark.utf8)
    }

    /// Begins, behind a byte 0, the number of a further representation of an original. No variant is written with this
    /// letter.
    static let slotMark = "v"

    /// A name without the byte 0: it and the byte 1 become two bytes each. Beginnings stay beginnings.
    static func escaped(_ name: String) -> String {
        guard name.utf8.contains(where: { $0 < 2 }) else { return name }
        return String(decoding: name.utf8.flatMap { $0 < 2 ? [1, $0 + 0x30] : [$0] }, as: UTF8.self)
    }

    private static func unescaped(_ name: Substring.UTF8View) -> String {
        var bytes: [UInt8] = []
        var isEscaped = false
        for byte in name {
            if byte == 1, !isEscaped {
                isEscaped = true
                continue
            }
            bytes.append(isEscaped ? byte &- 0x30 : byte)
            isEscaped = false
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
