internal import FoundationEssentials
internal import HalcyonCodecs

/// Puts the values of a document's own entities in their place, so that its text is what is drawn: what stands in an
/// entity is bounded and changed as what stands outside of one, and attributes have no values but those in the text.
///
/// Of the document type only the namespaces stay that it gives elements; entities from elsewhere are not there.
struct SVGEntities {
    /// The most references that are followed, and how deep.
    private static let maximumCount = 100_000
    private static let maximumDepth = 20
    /// The most bytes of declarations, which every element is given.
    private static let maximumKeptCount = 4_096

    private var values: [String: [UInt8]] = [:]
    /// Declarations of namespaces.
    private var kept: [UInt8] = []
    private var result: [UInt8] = []
    private var count = 0
    private let maximumByteCount: Int

    private init(maximumByteCount: Int) {
        self.maximumByteCount = maximumByteCount
    }

    /// - Throws: ``CodecError/limitExceeded(_:_:)``, ``CodecError/corrupt(_:reason:)``.
    static func expanded(_ text: Data, maximumByteCount: Int) throws(CodecError) -> Data {
        let bytes = Array(text)
        guard let start = startOfDocumentType(in: bytes), let end = XMLText.endOfDeclaration(bytes[start...]) else {
            return text
        }
        var entities = SVGEntities(maximumByteCount: maximumByteCount)
        entities.readSubset(bytes[start..<end])
        entities.result += bytes[..<start]
        if !entities.kept.isEmpty {
            entities.result += Array("<!DOCTYPE svg [".utf8) + entities.kept + Array("]>".utf8)
        }
        if entities.values.isEmpty {
            entities.result += bytes[end...]
        } else {
            try entities.append(bytes[end...], depth: 0)
        }
        return Data(entities.result)
    }

    private static func startOfDocumentType(in bytes: [UInt8]) -> Int? {
        var position = 0
        while let start = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
            if let closing = XMLText.closingOfOther(bytes[start...]) {
                guard let end = XMLText.end(of: closing, in: bytes[start...]) else { return nil }
                position = end
            } else {
                return bytes[start...].starts(with: "<!DOCTYPE".utf8) ? start : nil
            }
        }
        return nil
    }

    private mutating func readSubset(_ type: ArraySlice<UInt8>) {
        guard var position = type.firstIndex(of: UInt8(ascii: "[")) else { return }
        while let start = type[position...].firstIndex(of: UInt8(ascii: "<")) {
            if let closing = XMLText.closingOfOther(type[start...]) {
                guard let end = XMLText.end(of: closing, in: type[start...]) else { return }
                position = end
                continue
            }
            let (words, end) = Self.words(of: type[start...])
            position = end
            if words.first?.text == "<!ENTITY", words.count == 3, words[2].isLiteral, words[1].text != "%" {
                let value = SVGCharacterReferences.replacedInASCII(words[2].bytes)
                if values[words[1].text] == nil { values[words[1].text] = value }
            } else if words.first?.text == "<!ATTLIST", Self.statesNamespacesAlone(words),
                kept.count + end - start <= Self.maximumKeptCount
            {
                kept += type[start..<end]
            }
        }
    }

    private static func statesNamespacesAlone(_ words: [Word]) -> Bool {
        words.indices.allSatisfy { index in
            guard words[index].isLiteral else { return true }
            let type = words[index - 1].text == "#FIXED" ? index - 2 : index - 1
            return type > 1 && words[type - 1].text.hasPrefix("xmlns") && !words[index].text.contains("&")
        }
    }

    private struct Word {
        let bytes: ArraySlice<UInt8>
        let isLiteral: Bool
        var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    /// The words of a declaration, the opening among them, and the place behind it.
    private static func words(of text: ArraySlice<UInt8>) -> (words: [Word], end: Int) {
        var (words, position) = ([Word](), text.startIndex)
        while position < text.endIndex, text[position] != UInt8(ascii: ">") {
            let byte = text[position]
            if byte <= 0x20 {
                position += 1
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                let close = text[(position + 1)...].firstIndex(of: byte) ?? text.endIndex - 1
                words.append(Word(bytes: text[position + 1..<max(close, position + 1)], isLiteral: true))
                position = max(close, position) + 1
            } else {
                let word = text[position...].prefix { $0 > 0x20 && !">\"'".utf8.contains($0) }
                words.append(Word(bytes: word, isLiteral: false))
                position = word.endIndex
            }
        }
        return (words, min(position + 1, text.endIndex))
    }

    /// Appends content with the values of its entities.
    private mutating func append(_ text: ArraySlice<UInt8>, depth: Int) throws(CodecError) {
        var position = text.startIndex
        while position < text.endIndex {
            let rest = text[position...]
            if text[position] == UInt8(ascii: "<") {
                let isSection = rest.starts(with: "<![CDATA[".utf8)
                if let closing = isSection ? "]]>" : XMLText.closingOfOther(rest) {
                    let end = XMLText.end(of: closing, in: rest) ?? text.endIndex
                    result += text[position..<end]
                    position = end
                } else {
                    position = try appendTag(rest, depth: depth)
                }
            } else if let (value, end) = try reference(rest, depth: depth) {
                try append(value[...], depth: depth + 1)
                position = end
            } else {
                result.append(text[position])
                position += 1
            }
        }
    }

    /// Appends a tag, and returns its end.
    private mutating func appendTag(_ text: ArraySlice<UInt8>, depth: Int) throws(CodecError) -> Int {
        var (position, quote) = (text.startIndex, UInt8?.none)
        while position < text.endIndex {
            let byte = text[position]
            if let current = quote, let (value, end) = try reference(text[position...], depth: depth) {
                try appendValue(value, quote: current, depth: depth + 1)
                position = end
                continue
            }
            result.append(byte)
            position += 1
            if byte == quote {
                quote = nil
            } else if quote == nil {
                if byte == UInt8(ascii: ">") { return position }
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { quote = byte }
            }
        }
        return position
    }

    /// Appends the value of an entity inside of an attribute, where quotation marks and markup are only characters.
    private mutating func appendValue(_ text: [UInt8], quote: UInt8, depth: Int) throws(CodecError) {
        var position = 0
        while position < text.count {
            if let (value, end) = try reference(text[position...], depth: depth) {
                try appendValue(value, quote: quote, depth: depth + 1)
                position = end
                continue
            }
            switch text[position] {
            case UInt8(ascii: "<"): result += Array("&lt;".utf8)
            case quote: result += Array((quote == UInt8(ascii: "'") ? "&apos;" : "&quot;").utf8)
            default: result.append(text[position])
            }
            position += 1
        }
    }

    /// Returns the value of the entity that a text begins with a reference to, and the end of the reference.
    private mutating func reference(
        _ text: ArraySlice<UInt8>,
        depth: Int
    ) throws(CodecError) -> (value: [UInt8], end: Int)? {
        guard text.first == UInt8(ascii: "&"), let end = text.prefix(256).firstIndex(of: UInt8(ascii: ";")),
            let value = values[String(decoding: text[(text.startIndex + 1)..<end], as: UTF8.self)]
        else { return nil }
        count += 1
        guard count <= Self.maximumCount, depth < Self.maximumDepth else {
            throw .corrupt(.svg, reason: "entities that multiply, or contain each other")
        }
        guard result.count + value.count <= maximumByteCount else {
            throw .limitExceeded(.svg, .memory(result.count + value.count, maximum: maximumByteCount))
        }
        return (value, end + 1)
    }
}
