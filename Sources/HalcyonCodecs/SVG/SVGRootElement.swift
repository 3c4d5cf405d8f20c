#if SVG
internal import FoundationEssentials

/// The attributes of a document's root element that state its size (SVG 2 section 8.2).
struct SVGRootElement {
    private(set) var width: SVGLength?
    private(set) var height: SVGLength?
    /// Width and height of the part of the plane that is shown.
    private(set) var viewBox: (width: Double, height: Double)?
    /// Whether a size is stated in words that are not understood here: through an entity.
    private(set) var hasUnreadableSize = false

    /// - Throws: ``CodecError/truncated(_:)`` where the element does not end.
    init(_ text: Data) throws(CodecError) {
        var scanner = MarkupScanner(text)
        guard let attributes = scanner.attributesOfRoot() else {
            throw scanner.isAtEnd ? .truncated(.svg) : .corrupt(.svg, reason: "its root element")
        }
        for (name, value) in attributes {
            guard ["width", "height", "viewBox"].contains(name) else {
                continue
            }
            if value.contains("&") {
                hasUnreadableSize = true
                continue
            }
            switch name {
            case "width": width = SVGLength(value)
            case "height": height = SVGLength(value)
            default:
                let numbers = SVGLength.numbers(value)
                if numbers.count == 4, numbers[2] > 0, numbers[3] > 0 {
                    viewBox = (numbers[2], numbers[3])
                }
            }
        }
    }
}

/// Finds the root element of a document in UTF-8, or in an encoding that agrees with ASCII.
private struct MarkupScanner {
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
                _ = skip(past: "-->")
            } else if starts(with: "?") {
                _ = skip(past: "?>")
            } else if starts(with: "!") {
                skipDeclaration()
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
            attributes.append((name, String(decoding: bytes[start..<position - 1], as: UTF8.self)))
        }
    }

    /// A document type, with an internal subset in square brackets if it has one.
    private mutating func skipDeclaration() {
        var depth = 0
        while !isAtEnd {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ">") where depth <= 0: return
            default: break
            }
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
        while !isAtEnd {
            if starts(with: text) {
                position += text.utf8CodeUnitCount
                return true
            }
            position += 1
        }
        return false
    }
}
#endif
