internal import FoundationEssentials
internal import HalcyonCodecs

/// The references of a document: the values of its `href` attributes, with any prefix, wherever they stand.
struct SVGReferences: Sequence, IteratorProtocol {
    enum Reference {
        case plain([UInt8])
        /// Put together from entities, so that the text is not known here.
        case hidden
    }

    private let bytes: [UInt8]
    private var position = 0
    /// The place at which the value of the last reference starts in the text.
    var startOfLastValue: Int { position }

    init(_ text: Data) {
        bytes = Array(text)
    }

    mutating func next() -> Reference? {
        while let start = startOfValue() {
            let quote = bytes[start - 1]
            let end = bytes[start...].firstIndex(of: quote) ?? bytes.count
            position = start
            let (value, hasEntities) = SVGCharacterReferences.replaced(in: Array(bytes[start..<end]))
            return hasEntities ? .hidden : .plain(value)
        }
        return nil
    }

    /// Moves behind the next `href`, and returns where its value starts.
    private mutating func startOfValue() -> Int? {
        let name = Array("href".utf8)
        while position + name.count < bytes.count {
            guard bytes[position] == name[0], bytes[position..<position + name.count].elementsEqual(name) else {
                position += 1
                continue
            }
            position = afterSpace(position + name.count)
            guard position < bytes.count, bytes[position] == UInt8(ascii: "=") else {
                continue
            }
            let quote = afterSpace(position + 1)
            if quote < bytes.count, bytes[quote] == UInt8(ascii: "\"") || bytes[quote] == UInt8(ascii: "'") {
                return quote + 1
            }
        }
        return nil
    }

    private func afterSpace(_ place: Int) -> Int {
        bytes[Swift.min(place, bytes.count)...].firstIndex { $0 > 0x20 } ?? bytes.count
    }
}

/// Characters written as numbers or by the names that XML defines itself (XML 1.0 clause 4.1 and 4.6).
enum SVGCharacterReferences {
    private static let names: [String: UInt8] = [
        "amp": UInt8(ascii: "&"), "lt": UInt8(ascii: "<"), "gt": UInt8(ascii: ">"), "quot": UInt8(ascii: "\""),
        "apos": UInt8(ascii: "'"),
    ]
    private static let maximumLength = 16

    /// The text with its characters in place, and whether there are references to other entities.
    ///
    /// A character outside ASCII becomes "?", since nothing that is looked for has such characters.
    static func replaced(in text: [UInt8]) -> (bytes: [UInt8], hasEntities: Bool) {
        guard text.contains(UInt8(ascii: "&")) else {
            return (text, false)
        }
        var (bytes, hasEntities) = ([UInt8](), false)
        bytes.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            guard text[index] == UInt8(ascii: "&") else {
                bytes.append(text[index])
                index += 1
                continue
            }
            let rest = text[(index + 1)...].prefix(maximumLength)
            guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else {
                hasEntities = true
                bytes.append(text[index])
                index += 1
                continue
            }
            let name = String(decoding: rest[..<end], as: UTF8.self)
            if let character = character(name) {
                bytes.append(character)
            } else {
                hasEntities = true
                bytes += text[index...end]
            }
            index = end + 1
        }
        return (bytes, hasEntities)
    }

    /// The text with characters of ASCII in place that are written as numbers, as they stand in the value of an entity:
    /// others, and names, mean the same once the entity is where it is referred to.
    static func replacedInASCII(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var (bytes, position) = ([UInt8](), text.startIndex)
        while position < text.endIndex {
            let rest = text[position...].prefix(maximumLength)
            if rest.starts(with: "&#".utf8), let end = rest.firstIndex(of: UInt8(ascii: ";")),
                let character = character(String(decoding: rest[(position + 1)..<end], as: UTF8.self)),
                character != UInt8(ascii: "?")
            {
                bytes.append(character)
                position = end + 1
            } else {
                bytes.append(text[position])
                position += 1
            }
        }
        return bytes
    }

    private static func character(_ name: String) -> UInt8? {
        guard name.hasPrefix("#") else {
            return names[name]
        }
        let isHexadecimal = name.hasPrefix("#x")
        let value = Int(name.dropFirst(isHexadecimal ? 2 : 1), radix: isHexadecimal ? 16 : 10)
        return value.map { UInt8(exactly: $0).flatMap { $0 < 0x80 ? $0 : nil } ?? UInt8(ascii: "?") }
    }
}
