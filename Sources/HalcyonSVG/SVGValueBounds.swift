internal import FoundationEssentials
internal import Glibc
internal import HalcyonCodecs

/// Values that librsvg 2.54 ends the process over, or takes any time for, as they stand in attributes and style sheets.
enum SVGValueBounds {
    /// Properties, in style sheets and as attributes, that ask for more than a shape.
    static let names: Set<String> = [
        "opacity", "mix-blend-mode", "isolation", "mask", "clip-path", "fill", "stroke", "marker", "marker-start",
        "marker-mid", "marker-end", "filter", "font-size", "font", "letter-spacing", "transform",
        "patternTransform",
    ]
    private static let fonts: Set<String> = ["font-size", "font"]
    /// Octaves of noise, each half as strong as the one before.
    private static let maximumOctaveCount = 16.0
    /// The numbers of a kernel.
    private static let maximumKernelCount = 400.0
    private static let lengthsOfKernelUnits = "kernelUnitLength"

    /// Changes such values of a document.
    static func apply(to markup: inout SVGMarkup) {
        for index in markup.elements.indices {
            let element = markup.elements[index]
            switch element.name {
            case "feTurbulence":
                if let count = number("numOctaves", element, markup), count > maximumOctaveCount {
                    markup.set("numOctaves", to: "\(Int(maximumOctaveCount))", of: element)
                }
            case "feConvolveMatrix": boundKernel(of: element, &markup)
            case "feTile" where CodecLibrary.rsvg.isOlder(than: .init(2, 60)): replaceTile(element, &markup)
            // What it would include is not looked at.
            case "include": markup.replace(element, by: "")
            case "style":
                if let sheet = markup.sheet(of: element), let bounded = boundedSheet(sheet) {
                    markup.setSheet(bounded, of: element)
                }
            default: break
            }
            for attribute in element.attributes {
                boundValue(of: attribute, element, &markup) { name, value in bounded(name, value) }
            }
        }
    }

    /// Raises the factors of fonts that depend on the font around them to a power.
    static func limitRelativeFonts(of markup: inout SVGMarkup, exponent: Double) {
        func limited(_ name: String, _ value: String) -> String? {
            guard fonts.contains(name) else { return nil }
            return replacingNumbers(in: value.replacing("larger", with: "120%")) { number, unit in
                guard let factor = relativeUnits[unit], number * factor > 1 else { return nil }
                return pow(number * factor, exponent) / factor
            }
        }
        for index in markup.elements.indices {
            let element = markup.elements[index]
            for attribute in element.attributes {
                boundValue(of: attribute, element, &markup, limited)
            }
            if element.name == "style", let sheet = markup.sheet(of: element),
                let bounded = replacingValues(in: plain(sheet), limited)
            {
                markup.setSheet(bounded, of: element)
            }
        }
    }

    private static func boundValue(
        of attribute: SVGMarkup.Attribute,
        _ element: SVGMarkup.Element,
        _ markup: inout SVGMarkup,
        _ bound: (String, String) -> String?
    ) {
        // Surfaces would be as many times larger; browsers do not follow it either.
        guard attribute.name != lengthsOfKernelUnits else { return markup.remove(attribute) }
        guard attribute.name == "style" || names.contains(attribute.name) else { return }
        let stated = plain(markup.normalizedValue(of: attribute))
        let value = withoutEmbedded(stated)
        let replaced = attribute.name == "style" ? replacingValues(in: value, bound) : bound(attribute.name, value)
        guard let bounded = replaced ?? (value == stated ? nil : value) else { return }
        if markup.isText(attribute) {
            let quoted = bounded.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            markup.replace(attribute, by: quoted.replacing("\"", with: "&quot;").replacing("'", with: "&apos;"))
        } else {
            markup.remove(attribute)
        }
    }

    /// Returns a value or a style sheet that refers to nothing in drawings that it embeds, which are not looked at.
    private static func withoutEmbedded(_ value: String) -> String {
        guard value.utf8.contains(UInt8(ascii: ":")), value.lowercased().contains("url(") else { return value }
        let parts = value.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.dropLast().contains(where: { $0.suffix(4).lowercased() == "data" }) else { return value }
        return parts.map { $0.suffix(4).lowercased() == "data" ? $0 + "-" : $0 }.joined(separator: ":")
    }

    private static func number(_ name: String, _ element: SVGMarkup.Element, _ markup: SVGMarkup) -> Double? {
        numbers(name, element, markup).first
    }

    private static func numbers(_ name: String, _ element: SVGMarkup.Element, _ markup: SVGMarkup) -> [Double] {
        markup.value(name, of: element).map { numbers(in: plain($0)) } ?? []
    }

    /// A kernel of more numbers leaves nothing, as in browsers.
    private static func boundKernel(of element: SVGMarkup.Element, _ markup: inout SVGMarkup) {
        let order = numbers("order", element, markup)
        guard (order.first ?? 3) * (order.last ?? 3) > maximumKernelCount else { return }
        let values = ["order": "1", "kernelMatrix": "0", "divisor": "1", "bias": "0", "preserveAlpha": "false"]
        for (name, value) in values {
            markup.set(name, to: value, of: element)
        }
        for attribute in element.attributes where attribute.name.hasPrefix("target") {
            markup.remove(attribute)
        }
    }

    /// Lets a tile stay one: librsvg 2.54 ends the process where there is nothing of it to be seen.
    private static func replaceTile(_ element: SVGMarkup.Element, _ markup: inout SVGMarkup) {
        let name = markup.qualifiedName(of: element).dropLast("feTile".count) + "feOffset"
        let attributes = element.attributes.filter {
            ["in", "result", "x", "y", "width", "height"].contains($0.name) && markup.isText($0)
        }
        let list = attributes.map { attribute in
            let value = markup.value(of: attribute)
            let quote = value.contains("\"") ? "'" : "\""
            return " \(attribute.name)=\(quote)\(value)\(quote)"
        }
        markup.replace(element, by: "<\(name)\(list.joined())/>")
    }

    /// Returns a style sheet without what is beyond bounds, and without what it would bring in; `nil` where there is
    /// nothing of that kind.
    private static func boundedSheet(_ sheet: String) -> String? {
        let stated = plain(sheet)
        let value = withoutEmbedded(stated)
        let isImport = { (part: Substring) in part.prefix(6).lowercased() == "import" }
        let parts = value.split(separator: "@", omittingEmptySubsequences: false)
        let changed = parts.map { isImport($0) ? "ignored" + $0.dropFirst(6) : $0 }.joined(separator: "@")
        let replaced = replacingValues(in: changed) { name, value in bounded(name, value) }
        return replaced ?? (changed == stated ? nil : changed)
    }

    /// Returns another value of a property where one is beyond bounds.
    private static func bounded(_ name: String, _ value: String) -> String? {
        guard fonts.contains(name) else { return nil }
        return replacingNumbers(in: value) { number, unit in
            let maximum =
                relativeUnits[unit].map { 100 / $0 } ?? SVGDemands.maximumFontSize / (absoluteUnits[unit] ?? 1)
            return number > maximum ? maximum : nil
        }
    }

    private static let relativeUnits = ["%": 0.01, "em": 1, "rem": 1, "ex": 1, "ch": 1]
    private static let absoluteUnits = ["in": 96, "cm": 38, "mm": 3.8, "pt": 1.4, "pc": 16]

    /// Returns the largest factor of a font size that depends on the one around it, but no less than 1.
    static func relativeFontSize(in value: String) -> Double {
        var largest = value.contains("larger") ? 1.2 : 1
        _ = replacingNumbers(in: value) { number, unit in
            largest = max(largest, number * (relativeUnits[unit] ?? 0))
            return nil
        }
        return largest
    }

    /// Returns how much a list of transformations enlarges, at most, but no less than 1.
    static func scale(of value: String) -> Double {
        var scale = 1.0
        for function in value.split(separator: ")") {
            let parts = function.split(separator: "(", maxSplits: 1)
            guard parts.count == 2 else { continue }
            let numbers = numbers(in: String(parts[1]))
            let name = parts[0].trimming { !$0.isLetter }
            switch name {
            case "scale": scale *= max(1, numbers.map(abs).max() ?? 1)
            case "matrix": scale *= max(1, numbers.prefix(4).map { $0 * $0 }.reduce(0, +).squareRoot())
            case "skewX", "skewY": scale *= 1 + abs(tan((numbers.first ?? 0) * .pi / 180))
            default: break
            }
        }
        return scale
    }

    /// Returns the identifiers that `url(#…)` in a value leads to.
    static func references(in value: String) -> [String] {
        guard value.utf8.contains(UInt8(ascii: "(")) else { return [] }
        return value.split(separator: ")").compactMap { part in
            guard let open = part.lastIndex(of: "("), part[..<open].suffix(3).lowercased() == "url" else { return nil }
            let link = part[part.index(after: open)...].trimming { $0.isWhitespace || $0 == "\"" || $0 == "'" }
            let address = unescaped(link)
            return address.hasPrefix("#") ? String(address.dropFirst()) : nil
        }
    }

    /// Returns what a primitive of a filter takes, as a sum of nanoseconds (see ``SVGDemands``).
    ///
    /// - Parameter share: The part of the drawing that is filtered.
    static func work(
        of primitive: SVGMarkup.Element,
        in filter: SVGMarkup.Element,
        _ markup: SVGMarkup,
        share: Float
    ) -> SIMD8<Float> {
        var work = SIMD8<Float>(repeating: 0)
        work[0] = 2
        // These are rarely those of small shapes.
        let largeShare = max(share, 1 / 8)
        func values(_ name: String) -> (Float, Float) {
            let numbers = numbers(name, primitive, markup)
            return (Float(numbers.first ?? 0), Float(numbers.last ?? 0))
        }
        switch primitive.name {
        case "feTurbulence":
            work[0] += (130 + 100 * max(1, values("numOctaves").0)) * largeShare
        case "feConvolveMatrix":
            let order = values("order")
            work[0] += (130 + 7 * max(9, order.0 * order.1)) * largeShare
        case "feMorphology":
            let (x, y) = values("radius")
            let isRelative = markup.value("primitiveUnits", of: filter) == "objectBoundingBox"
            let lane = isRelative ? 3 : 1
            work[0] += 7 * largeShare
            work[lane] += 14 * max(0, x + y) * largeShare
            work[lane + 1] += 28 * max(0, x * y) * largeShare
        case "feDisplacementMap": work[0] += 1_100 * share
        case "feGaussianBlur", "feDropShadow": work[0] += 300 * share
        case "feMerge":
            let count = primitive.content.map { markup.bytes[$0].count { $0 == UInt8(ascii: "<") } } ?? 0
            work[0] += 40 * Float(count) * share
        default: work[0] += 80 * share
        }
        return work
    }

    // MARK: - Text

    /// Returns the names and values of declarations.
    static func declarations(_ text: String) -> [(name: String, value: String)] {
        plain(text).split(separator: ";").compactMap { declaration in
            let parts = declaration.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { return nil }
            return (SVGMarkup.trimmed(parts[0]).lowercased(), SVGMarkup.trimmed(parts[1]))
        }
    }

    /// Returns text with the characters in place that stand as references.
    static func withoutReferences(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
        return String(decoding: SVGCharacterReferences.replaced(in: Array(text.utf8)).bytes, as: UTF8.self)
    }

    /// Returns text of CSS that means the same, without comments, and so that it can be split at its punctuation:
    /// characters that are escaped stand in place, but those of punctuation, and that in strings and addresses, are
    /// escaped in six digits.
    static func plain(_ text: String) -> String {
        guard text.utf8.contains(where: { "&\\*\"'(".utf8.contains($0) }) else { return text }
        let bytes = Array(withoutReferences(text).utf8)
        var (result, position) = ([UInt8](), 0)
        // What ends the string or the address that the position is in.
        var closing: UInt8?
        while position < bytes.count {
            let byte = bytes[position]
            if closing == nil, byte == UInt8(ascii: "/"), bytes[position...].starts(with: "/*".utf8) {
                position += 2
                while position < bytes.count, !bytes[position...].starts(with: "*/".utf8) { position += 1 }
                position += 2
            } else if byte == UInt8(ascii: "\\"), position + 1 < bytes.count {
                let digits = bytes[(position + 1)...].prefix(6).prefix { isHexadecimal($0) }
                if let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16) {
                    let scalar = Unicode.Scalar(value) ?? "?"
                    if scalar.isASCII {
                        appendEscaped(UInt8(scalar.value), to: &result)
                    } else {
                        result += Array(String(Character(scalar)).utf8)
                    }
                    position = digits.endIndex
                    if position < bytes.count, bytes[position] <= 0x20 { position += 1 }
                } else {
                    // In a string, the end of a line that is escaped is nothing.
                    let isEnd = [0x0A, 0x0C, 0x0D].contains(bytes[position + 1])
                    if !isEnd { appendEscaped(bytes[position + 1], to: &result) }
                    position += bytes[position...].dropFirst().starts(with: "\r\n".utf8) ? 3 : 2
                }
            } else if let end = closing {
                // A string ends where its line does.
                if byte == end || (end != UInt8(ascii: ")") && [0x0A, 0x0C, 0x0D].contains(byte)) {
                    closing = nil
                    append(byte, to: &result)
                } else if byte <= 0x20 || byte == UInt8(ascii: ":") {
                    append(byte, to: &result)
                } else {
                    appendEscaped(byte, to: &result)
                }
                position += 1
            } else {
                append(byte, to: &result)
                position += 1
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                    closing = byte
                } else if byte == UInt8(ascii: "("), isAddress(result) {
                    let first = bytes[position...].first { $0 > 0x20 }
                    let isQuoted = first == UInt8(ascii: "\"") || first == UInt8(ascii: "'")
                    if !isQuoted { closing = UInt8(ascii: ")") }
                }
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// One white space behind digits belongs to them.
    private static func append(_ byte: UInt8, to result: inout [UInt8]) {
        if byte <= 0x20, result.suffix(7).first == UInt8(ascii: "\\") { result.append(0x20) }
        result.append(byte)
    }

    private static func appendEscaped(_ byte: UInt8, to result: inout [UInt8]) {
        if isNamePart(byte) || "#.?/+=,%&$@".utf8.contains(byte) {
            result.append(byte)
        } else {
            let digits = String(byte, radix: 16)
            result += Array("\\\(String(repeating: "0", count: 6 - digits.count))\(digits)".utf8)
        }
    }

    /// Returns text with the characters in place that ``plain(_:)`` leaves escaped.
    static func unescaped(_ text: Substring) -> String {
        let parts = text.split(separator: "\\", omittingEmptySubsequences: false)
        return parts.dropFirst().reduce(into: String(parts[0])) { result, part in
            let scalar = UInt32(part.prefix(6), radix: 16).flatMap { Unicode.Scalar($0) }
            let rest = part.dropFirst(6)
            result += scalar.map { String(Character($0)) + rest.dropFirst(rest.first == " " ? 1 : 0) } ?? String(part)
        }
    }

    /// Returns whether some text ends with the beginning of an address.
    private static func isAddress(_ text: [UInt8]) -> Bool {
        let end = text.suffix(5)
        guard end.count >= 4, String(decoding: end.suffix(4), as: UTF8.self).lowercased() == "url(" else {
            return false
        }
        return end.count == 4 || !isNamePart(end[end.startIndex])
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 6
    }

    /// Returns declarations, or a style sheet, with other values; `nil` where none is another.
    private static func replacingValues(in text: String, _ replace: (String, String) -> String?) -> String? {
        guard text.lowercased().contains("font") else { return nil }
        var (result, isChanged) = ("", false)
        for (index, part) in text.split(separator: ";", omittingEmptySubsequences: false).enumerated() {
            if index > 0 { result += ";" }
            // The last declaration of a rule may have no semicolon, and the first stands behind a brace.
            for (place, piece) in part.split(separator: "}", omittingEmptySubsequences: false).enumerated() {
                if place > 0 { result += "}" }
                let start = piece.lastIndex(of: "{").map { piece.index(after: $0) } ?? piece.startIndex
                guard let colon = piece[start...].firstIndex(of: ":"),
                    let value = replace(
                        SVGMarkup.trimmed(piece[start..<colon]).lowercased(),
                        String(piece[piece.index(after: colon)...])
                    )
                else {
                    result += piece
                    continue
                }
                isChanged = true
                result += piece[...colon] + value
            }
        }
        return isChanged ? result : nil
    }

    private static func numbers(in text: String) -> [Double] {
        var numbers: [Double] = []
        _ = replacingNumbers(in: text) { number, _ in
            numbers.append(number)
            return nil
        }
        return numbers
    }

    /// Returns text with other numbers in place; `nil` where none is another.
    ///
    /// - Parameter replace: Takes a number and its unit.
    private static func replacingNumbers(in text: String, _ replace: (Double, String) -> Double?) -> String? {
        let bytes = Array(text.utf8)
        var (result, position, copied) = ("", 0, 0)
        while position < bytes.count {
            guard let end = endOfNumber(in: bytes, from: position) else {
                // What a name holds is no number.
                let name = bytes[position...].prefix { isNamePart($0) }
                position = max(position + 1, name.endIndex)
                continue
            }
            let unit = bytes[end...].prefix { isLetter($0) || $0 == UInt8(ascii: "%") }
            let number = Double(String(decoding: bytes[position..<end], as: UTF8.self)) ?? 0
            if let other = replace(number, String(decoding: unit, as: UTF8.self).lowercased()) {
                result += String(decoding: bytes[copied..<position], as: UTF8.self) + "\(other)"
                copied = end
            }
            position = unit.endIndex
        }
        return copied == 0 ? nil : result + String(decoding: bytes[copied...], as: UTF8.self)
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 || byte >= 0x80 }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        isLetter(byte) || byte &- 0x30 < 10 || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }

    /// Returns the end of a number that starts there.
    private static func endOfNumber(in bytes: [UInt8], from start: Int) -> Int? {
        func digits(_ from: Int) -> Int { bytes[min(from, bytes.count)...].prefix { $0 &- 0x30 < 10 }.endIndex }
        func isOne(_ place: Int, of characters: String) -> Bool {
            place < bytes.count && characters.utf8.contains(bytes[place])
        }
        let first = isOne(start, of: "+-") ? start + 1 : start
        let whole = digits(first)
        var end = whole
        if isOne(whole, of: ".") {
            let fraction = digits(whole + 1)
            if fraction > whole + 1 { end = fraction }
        }
        guard end > first else { return nil }
        if isOne(end, of: "eE") {
            let exponent = isOne(end + 1, of: "+-") ? end + 2 : end + 1
            if digits(exponent) > exponent { end = digits(exponent) }
        }
        return end
    }
}

extension Substring {
    fileprivate func trimming(_ isTrimmed: (Character) -> Bool) -> Substring {
        let start = drop(while: isTrimmed)
        return start.prefix(start.count - start.reversed().prefix(while: isTrimmed).count)
    }
}
