internal import FoundationEssentials
internal import HalcyonCodecs

/// The attributes and styles of a document's root element that state its size (SVG 2 section 8.2).
struct SVGRootElement {
    private(set) var width: SVGLength?
    private(set) var height: SVGLength?
    /// Width and height of the part of the plane that is shown.
    private(set) var viewBox: (width: Double, height: Double)?
    /// A Boolean value that indicates whether a size is stated in words that are not understood here: through an
    /// entity.
    private(set) var hasUnreadableSize = false

    /// - Throws: ``CodecError/truncated(_:)`` where the element does not end.
    init(_ text: Data) throws(CodecError) {
        var scanner = MarkupScanner(text)
        guard let attributes = scanner.attributesOfRoot() else {
            throw scanner.isAtEnd ? .truncated(.svg) : .corrupt(.svg, reason: "its root element")
        }
        var styles: [(name: String, value: String)] = []
        for (name, value) in attributes {
            if value.contains("&"), name != "style" {
                hasUnreadableSize = true
                continue
            }
            switch name {
            case "width": width = SVGLength(value)
            case "height": height = SVGLength(value)
            case "style": styles = SVGValueBounds.declarations(value)
            default:
                // One without an area shows nothing.
                if let numbers = SVGLength.numbers(value), numbers.count == 4, numbers[2] > 0, numbers[3] > 0 {
                    viewBox = (numbers[2], numbers[3])
                }
            }
        }
        // Attributes are weaker than any style. One without a unit is none in CSS, and shares of the page say nothing here.
        for (name, value) in styles {
            guard value.last?.isLetter == true, case .pixels? = SVGLength(value), let length = SVGLength(value) else {
                continue
            }
            if name == "width" { width = length }
            if name == "height" { height = length }
        }
    }
}

/// Finds the root element of a document in UTF-8, or in an encoding that agrees with ASCII.
private struct MarkupScanner {
    private static let names: Set<String> = ["width", "height", "style", "viewBox"]

    private let bytes: [UInt8]
    private var position = 0

    init(_ text: Data) {
        bytes = Array(text)
    }

    var isAtEnd: Bool { position >= bytes.count }

    /// The attributes in their order, or `nil`.
    mutating func attributesOfRoot() -> [(name: String, value: String)]? {
        while skip(past: "<") {
            if starts(with: "!--") {
                position = XMLText.end(of: "-->", in: bytes[(position - 1)...]) ?? bytes.count
            } else if starts(with: "?") {
                position = XMLText.end(of: "?>", in: bytes[(position - 1)...]) ?? bytes.count
            } else if starts(with: "!") {
                position = XMLText.endOfDeclaration(bytes[(position - 1)...]) ?? bytes.count
            } else {
                _ = name()
                return attributes()
            }
        }
        return nil
    }

    private mutating func attributes() -> [(name: String, value: String)]? {
        var attributes: [(name: String, value: String)] = []
        while true {
            skipSpace()
            guard !isAtEnd else { return nil }
            if starts(with: ">") || starts(with: "/") {
                return attributes
            }
            let name = name()
            skipSpace()
            guard !name.isEmpty, starts(with: "=") else { return nil }
            position += 1
            skipSpace()
            guard !isAtEnd else { return nil }
            let quote = bytes[position]
            guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
            position += 1
            let start = position
            guard skip(past: quote == UInt8(ascii: "'") ? "'" : "\"") else { return nil }
            guard Self.names.contains(name) else { continue }
            let value = String(decoding: bytes[start..<position - 1], as: UTF8.self)
            attributes.append((name, value))
        }
    }

    private mutating func name() -> String {
        let start = position
        while !isAtEnd, !isSpace(bytes[position]), !"=/>".utf8.contains(bytes[position]) {
            position += 1
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func skipSpace() {
        while !isAtEnd, isSpace(bytes[position]) {
            position += 1
        }
    }

    private func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0d).contains(byte)
    }

    private func starts(with text: StaticString) -> Bool {
        text.withUTF8Buffer { bytes[position...].starts(with: $0) }
    }

    /// Moves behind the next `text`, or to the end of the bytes.
    private mutating func skip(past text: StaticString) -> Bool {
        let first = text.withUTF8Buffer { $0[0] }
        while let found = bytes[position...].firstIndex(of: first) {
            position = found
            if starts(with: text) {
                position += text.utf8CodeUnitCount
                return true
            }
            position += 1
        }
        position = bytes.count
        return false
    }
}
