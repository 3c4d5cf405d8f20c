extension String {
    /// The number of columns of a terminal that the text takes: two for East Asian wide characters and pictographs,
    /// none for what combines with the character before it (Unicode Standard Annex 11).
    var columnCount: Int { reduce(0) { $0 + $1.columnCount } }

    /// The text with its control characters replaced. Names come from any source, and a terminal would obey them.
    var withoutControls: String {
        guard unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else { return self }
        let scalars = unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }
        return String(String.UnicodeScalarView(scalars))
    }

    /// Returns the beginning of the text, with "…" in place of the rest, where it takes more columns than these.
    func abbreviated(toColumns limit: Int) -> String {
        guard columnCount > limit else { return self }
        var room = limit - 1
        let beginning = prefix { character in
            room -= character.columnCount
            return room >= 0
        }
        return beginning + "…"
    }
}

extension Character {
    /// See ``Swift/String/columnCount``.
    fileprivate var columnCount: Int {
        guard let first = unicodeScalars.first else { return 0 }
        if isASCII { return 1 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        if first.properties.isEmojiPresentation || unicodeScalars.contains("\u{FE0F}") { return 2 }
        return Self.wideRanges.contains { $0.contains(first.value) } ? 2 : 1
    }

    /// Blocks whose characters are wide ("W" and "F" in EastAsianWidth.txt), without the pictographs.
    private static let wideRanges: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
        0x17000...0x18CFF, 0x1B000...0x1B2FF, 0x20000...0x3FFFD,
    ]
}
