internal import FoundationEssentials
internal import HalcyonCodecs

/// Lists of filter functions (Filter Effects 1, section 5) in which some references lead nowhere.
///
/// Browsers pass over those and apply the others; librsvg applies none.
enum SVGFilterLists {
    /// Puts spaces in place of such references of a document, where a list has other functions.
    static func removeMissingReferences(from markup: inout SVGMarkup) {
        guard markup.holds(anyOf: ["url("]) else { return }
        let filters = Set(
            markup.elements.lazy.filter { $0.name == "filter" }
                .compactMap { [markup] in markup.value("id", of: $0).map { Array($0.utf8) } }
        )
        for index in markup.elements.indices {
            let element = markup.elements[index]
            for attribute in element.attributes where attribute.name == "filter" || attribute.name == "style" {
                var value = Array(markup.value(of: attribute).utf8)
                let lists = attribute.name == "filter" ? [functions(value[...]).list] : lists(in: value[...])
                if removeMissing(from: lists, in: &value, filters) {
                    markup.replace(attribute, by: String(decoding: value, as: UTF8.self))
                }
            }
            if element.name == "style", let content = markup.content(of: element), !content.contains("\u{fffd}") {
                var sheet = Array(content.utf8)
                if removeMissing(from: lists(in: sheet[...]), in: &sheet, filters) {
                    markup.replaceContent(of: element, by: String(decoding: sheet, as: UTF8.self))
                }
            }
        }
    }

    /// Returns whether there was something to remove.
    private static func removeMissing(
        from lists: [[Range<Int>]],
        in text: inout [UInt8],
        _ filters: Set<[UInt8]>
    ) -> Bool {
        var isChanged = false
        for list in lists where list.count > 1 {
            let missing = list.filter { target(of: text[$0]).map { !filters.contains($0) } ?? false }
            guard !missing.isEmpty, missing.count < list.count else { continue }
            isChanged = true
            for place in missing.joined() { text[place] = 0x20 }
        }
        return isChanged
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
