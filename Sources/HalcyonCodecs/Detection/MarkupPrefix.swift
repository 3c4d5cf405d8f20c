package import FoundationEssentials

/// The beginning of a document in angle brackets: SVG, HTML or other XML.
struct MarkupPrefix {
    /// The name of the first element, in lower case, without a namespace prefix; `nil` if it is not reached.
    private var rootName: String?
    private var documentType: String?
    /// A Boolean value that indicates whether the bytes end before the first element.
    private(set) var isUnfinished = false

    /// `nil` where the bytes are no markup.
    init?(_ prefix: Data) {
        let text = UTF16Text.utf8(prefix) ?? prefix
        var scanner = Scanner(text)
        _ = scanner.skip("\u{feff}")
        scanner.skipSpace()
        var isMarkup = false
        while scanner.rest.first == UInt8(ascii: "<") {
            isMarkup = true
            if let closing = XMLText.closingOfOther(scanner.rest) {
                guard scanner.skip(to: XMLText.end(of: closing, in: scanner.rest)) else { break }
            } else if scanner.rest.starts(with: "<!".utf8) {
                let end = XMLText.endOfDeclaration(scanner.rest)
                _ = scanner.skip("<!")
                let declaration = scanner.name()
                scanner.skipSpace()
                if declaration == "doctype" {
                    documentType = scanner.name()
                }
                guard scanner.skip(to: end) else { break }
            } else {
                _ = scanner.skip("<")
                let name = scanner.name()
                guard let first = name.utf8.first, UInt8(ascii: "a")...UInt8(ascii: "z") ~= first else {
                    return nil
                }
                rootName = name.split(separator: ":").last.map(String.init)
                break
            }
            scanner.skipSpace()
        }
        isUnfinished = scanner.rest.isEmpty && rootName == nil
        guard isMarkup else {
            return nil
        }
    }

    var isSVG: Bool { rootName == "svg" || (rootName == nil && documentType == "svg") }

    var isHTML: Bool {
        documentType == "html" || rootName.map(Self.elementsOfHTML.contains) == true
    }

    /// Elements that pages start with which leave out what HTML allows to leave out.
    private static let elementsOfHTML: Set<String> = [
        "a", "b", "body", "br", "center", "div", "font", "h1", "h2", "head", "html", "iframe", "meta", "p", "script",
        "style", "table", "title",
    ]
}

/// What may stand in XML besides elements.
package enum XMLText {
    /// Returns the end of a declaration that a text begins with, with an internal subset in square brackets if it has
    /// one; `nil` where the text ends before.
    package static func endOfDeclaration(_ text: ArraySlice<UInt8>) -> Int? {
        var (position, depth) = (text.startIndex + 1, 0)
        while position < text.endIndex {
            switch text[position] {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                guard let close = text[(position + 1)...].firstIndex(of: text[position]) else { return nil }
                position = close
            case UInt8(ascii: "<"):
                if let closing = closingOfOther(text[position...]) {
                    guard let end = end(of: closing, in: text[position...]) else { return nil }
                    position = end - 1
                }
            case UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ">") where depth <= 0: return position + 1
            default: break
            }
            position += 1
        }
        return nil
    }

    /// Returns what ends a comment or an instruction that a text begins with; `nil` for something else.
    package static func closingOfOther(_ text: ArraySlice<UInt8>) -> String? {
        text.starts(with: "<!--".utf8) ? "-->" : text.starts(with: "<?".utf8) ? "?>" : nil
    }

    /// Returns the end of a comment, an instruction or something else that a text begins with; `nil` where it has none.
    package static func end(of closing: String, in text: ArraySlice<UInt8>) -> Int? {
        let closing = Array(closing.utf8)
        var position = text.startIndex + (closing.count == 3 ? 4 : closing.count)
        while position < text.endIndex, let found = text[position...].firstIndex(of: closing[0]) {
            if text[found...].starts(with: closing) { return found + closing.count }
            position = found + 1
        }
        return nil
    }
}

private struct Scanner {
    private(set) var rest: ArraySlice<UInt8>

    init(_ text: Data) {
        rest = Array(text)[...]
    }

    mutating func skipSpace() {
        rest = rest.drop { $0 == 0x20 || (0x09...0x0d).contains($0) }
    }

    /// Steps over `text` if the rest starts with it.
    mutating func skip(_ text: String) -> Bool {
        guard rest.starts(with: text.utf8) else {
            return false
        }
        rest = rest.dropFirst(text.utf8.count)
        return true
    }

    /// Steps behind a place, or to the end where there is none; returns whether there is one.
    mutating func skip(to end: Int?) -> Bool {
        rest = rest[(end ?? rest.endIndex)...]
        return end != nil
    }

    mutating func name() -> String {
        let name = rest.prefix { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        rest = rest.dropFirst(name.count)
        return String(decoding: name, as: UTF8.self).lowercased()
    }
}

/// Documents in UTF-16 that say so by a byte order mark.
package enum UTF16Text {
    /// The text in UTF-8, without the mark; `nil` where there is no mark. What is no text becomes U+FFFD, and half a
    /// unit at the end is left out.
    package static func utf8(_ data: Data) -> Data? {
        let isBigEndian = data.starts(with: [0xfe, 0xff])
        guard isBigEndian || data.starts(with: [0xff, 0xfe]) else {
            return nil
        }
        var units: [UInt16] = []
        units.reserveCapacity(data.count / 2)
        var high: UInt8?
        for byte in data.dropFirst(2) {
            if let first = high {
                units.append(isBigEndian ? UInt16(first) << 8 | UInt16(byte) : UInt16(byte) << 8 | UInt16(first))
                high = nil
            } else {
                high = byte
            }
        }
        return Data(String(decoding: units, as: UTF16.self).utf8)
    }
}
