internal import HalcyonSystem

/// The parts of a key on disk.
package struct ParsedDiskKey {
    package let original: String
    package let isProcessed: Bool
    /// A Boolean value that indicates whether it is for some requests only, such as those with one credential.
    package let hasScope: Bool

    /// See ``ImageKey/processedDiskKey`` for the form.
    package init(_ key: String) {
        let end = key.utf8.firstIndex(of: 0) ?? key.utf8.endIndex
        let name = key.utf8[..<end]
        let scope = Self.scopeStart(in: name)
        original = Self.unescaped(name[..<(scope ?? end)])
        hasScope = scope != nil
        let suffix = key.utf8[end...].dropFirst()
        isProcessed = end != key.utf8.endIndex && !suffix.starts(with: Self.slotMark.utf8)
    }

    /// The letter that begins, after a byte 0, the number of a further representation of an original. No variant is
    /// written with this letter.
    static let slotMark = "v"

    /// The mark between a name and a scope. No name is written with it: a byte 1 in it is followed by another byte.
    static let scopeMark = "\u{1}s"

    private static func scopeStart(in name: Substring.UTF8View) -> Substring.UTF8View.Index? {
        name.indices.first { name[$0...].starts(with: scopeMark.utf8) }
    }

    /// Returns a name without the byte 0: it and the byte 1 become two bytes each. A prefix of a name stays one.
    static func escaped(_ name: String) -> String {
        guard name.utf8Contains(0) || name.utf8Contains(1) else { return name }
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
