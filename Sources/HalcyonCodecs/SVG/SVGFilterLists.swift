#if SVG
internal import FoundationEssentials

/// Lists of filter functions (Filter Effects 1, section 5) in which some references lead nowhere.
///
/// Browsers pass over those and apply the others; librsvg applies none.
enum SVGFilterLists {
    /// The text of a document with spaces in place of such references, where a list has other functions.
    static func withoutMissingReferences(_ text: Data) -> Data {
        guard let markup = SVGMarkup(text, ifAnyOf: ["url("]) else { return text }
        let lists = markup.elements.flatMap { Self.lists(of: $0, in: markup.bytes) }.filter { $0.count > 1 }
        guard !lists.isEmpty else { return text }
        let filters = Set(
            markup.elements.lazy.filter { $0.name == "filter" }.flatMap(\.attributes).filter { $0.name == "id" }
                .map { Array(markup.bytes[$0.value]) }
        )
        var bytes = markup.bytes
        for list in lists {
            let missing = list.filter { range in
                target(of: bytes[range]).map { !filters.contains($0) } ?? false
            }
            guard missing.count < list.count else { continue }
            for range in missing {
                for place in range { bytes[place] = 0x20 }
            }
        }
        return Data(bytes)
    }

    /// The places of the functions of each list of an element: in its attributes, or in the style sheet that it is.
    private static func lists(of element: SVGMarkup.Element, in bytes: [UInt8]) -> [[Range<Int>]] {
        var result: [[Range<Int>]] = []
        for attribute in element.attributes {
            if attribute.name == "filter" {
                result.append(functions(bytes[attribute.value]).list)
            } else if attribute.name == "style" {
                result += lists(in: bytes[attribute.value])
            }
        }
        if element.name == "style", let sheet = element.content {
            result += lists(in: bytes[sheet])
        }
        return result
    }

    /// The places of the functions of each list in declarations.
    private static func lists(in text: ArraySlice<UInt8>) -> [[Range<Int>]] {
        let name = Array("filter".utf8)
        var (lists, position) = ([[Range<Int>]](), text.startIndex)
        while let start = text[position...].firstIndex(of: name[0]) {
            position = start + 1
            guard text[start...].starts(with: name), start == text.startIndex || isDelimiter(text[start - 1]),
                let colon = text[(start + name.count)...].firstIndex(where: { $0 > 0x20 }),
                text[colon] == UInt8(ascii: ":")
            else {
                continue
            }
            let (list, end) = functions(text[(colon + 1)...])
            lists.append(list)
            position = end
        }
        return lists
    }

    /// What may stand before the name of an attribute or of a property.
    private static func isDelimiter(_ byte: UInt8) -> Bool {
        byte <= 0x20 || "\"';{".utf8.contains(byte)
    }

    /// Names with parentheses, as far as there is nothing but space between them, and the end of what has been read.
    private static func functions(_ text: ArraySlice<UInt8>) -> (list: [Range<Int>], end: Int) {
        var (functions, position) = ([Range<Int>](), text.startIndex)
        while true {
            guard let first = text[position...].firstIndex(where: { $0 > 0x20 }),
                let open = text[first...].firstIndex(where: { !isNameByte($0) }),
                open > first, text[open] == UInt8(ascii: "(")
            else {
                return (functions, position)
            }
            guard let close = text[open...].firstIndex(where: { ")<>".utf8.contains($0) }) else {
                return (functions, text.endIndex)
            }
            guard text[close] == UInt8(ascii: ")") else { return (functions, close) }
            position = close + 1
            functions.append(first..<position)
        }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "-")
    }

    /// The identifier in `url(#identifier)`; `nil` for another function.
    private static func target(of function: ArraySlice<UInt8>) -> [UInt8]? {
        let name = Array("url(".utf8)
        guard function.starts(with: name) else {
            return nil
        }
        let quotes = Set("\"' ".utf8)
        let link = function.dropFirst(name.count).dropLast().filter { !quotes.contains($0) }
        return link.first == UInt8(ascii: "#") ? Array(link.dropFirst()) : nil
    }
}
#endif
