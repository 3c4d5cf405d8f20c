internal import FoundationEssentials
internal import HalcyonCodecs

/// A length as `width` and `height` of the root element state it (CSS Values 4 section 5).
enum SVGLength: Equatable {
    case pixels(Double)
    /// A fraction of what is shown: 1 for 100 %.
    case fraction(Double)

    /// `nil` where the text is no length, or one of zero or less.
    init?(_ text: String) {
        guard let (number, unit) = Self.parse(text[...]), number > 0, number.isFinite else {
            return nil
        }
        if unit == "%" {
            self = .fraction(number / 100)
        } else if let scale = Self.pixelsPerUnit[unit.lowercased()], (number * scale).isFinite {
            self = .pixels(number * scale)
        } else {
            return nil
        }
    }

    /// CSS pixels, of which 96 make an inch. The font that em, rem and ex refer to has the initial size, 16 pixels.
    private static let pixelsPerUnit: [String: Double] = [
        "": 1, "px": 1, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4, "q": 96 / 101.6, "pt": 96 / 72.0, "pc": 16,
        "em": 16, "rem": 16, "ex": 8, "ch": 8,
    ]

    /// The numbers of a list such as that of `viewBox`, separated by white space or commas.
    /// A sign or another point may take the place of a separator. `nil` where the text is no such list.
    static func numbers(_ text: String) -> [Double]? {
        var numbers: [Double] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            var rest = part.drop(while: \.isWhitespace)
            guard !rest.isEmpty else {
                return nil
            }
            while !rest.isEmpty {
                guard let end = endOfNumber(rest), let number = Double(rest[..<end]), number.isFinite else {
                    return nil
                }
                numbers.append(number)
                rest = rest[end...].drop(while: \.isWhitespace)
            }
        }
        return numbers
    }

    /// Returns the end of the longest number that the text begins with, if another one can follow there.
    private static func endOfNumber(_ text: Substring) -> Substring.Index? {
        var previous: Character?
        var hasPoint = false
        for index in text.indices {
            let character = text[index]
            if character.isWhitespace { return index }
            guard "+-.0123456789eE".contains(character) else {
                return nil
            }
            if let previous, "+-".contains(character), previous != "e", previous != "E" {
                return index
            }
            if character == "." {
                guard !hasPoint else {
                    return index
                }
                hasPoint = true
            }
            previous = character
        }
        return text.endIndex
    }

    /// Splits "12.5e1mm" into 125 and "mm"; "1em" is 1 and "em".
    private static func parse(_ text: Substring) -> (number: Double, unit: String)? {
        let text = text.drop(while: \.isWhitespace)
        var end = text.startIndex
        var number: Double?
        // The longest beginning that is a number. What is longer than any sensible one is none.
        for index in text.indices.prefix(64) {
            let next = text.index(after: index)
            let isNumeric = "+-.0123456789eE".contains(text[index])
            guard isNumeric else { break }
            if let value = Double(text[..<next]) {
                (number, end) = (value, next)
            }
        }
        var unit = text[end...]
        while unit.last?.isWhitespace == true { unit.removeLast() }
        return number.map { ($0, String(unit)) }
    }
}
