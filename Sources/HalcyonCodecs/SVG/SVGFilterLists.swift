#if SVG
internal import FoundationEssentials

/// Lists of filter functions (Filter Effects 1, section 5) in which some references lead nowhere.
///
/// Browsers pass over those and apply the others; librsvg applies none.
enum SVGFilterLists {
    /// The text of a document with spaces in place of such references, where a list has other functions.
    static func withoutMissingReferences(_ text: Data) -> Data {
        var bytes = Array(text)
        // Entities may hold filters that are not seen here.
        guard !bytes.contains("<!ENTITY".utf8), bytes.contains("url(".utf8) else {
            return text
        }
        let lists = lists(in: bytes).filter { $0.count > 1 }
        guard !lists.isEmpty else {
            return text
        }
        let filters = identifiersOfFilters(in: bytes)
        for list in lists {
            let missing = list.filter { range in
                target(of: bytes[range]).map { !filters.contains($0) } ?? false
            }
            guard missing.count < list.count else {
                continue
            }
            for range in missing {
                bytes.replaceSubrange(range, with: repeatElement(0x20, count: range.count))
            }
        }
        return Data(bytes)
    }

    /// The places of the functions of each list, in attributes and in styles.
    private static func lists(in bytes: [UInt8]) -> [[Range<Int>]] {
        let name = Array("filter".utf8)
        var (lists, position) = ([[Range<Int>]](), 0)
        while let start = bytes[position...].firstIndex(of: name[0]) {
            position = start + 1
            guard bytes[start...].starts(with: name), start > 0, isDelimiter(bytes[start - 1]),
                let value = startOfValue(bytes, after: start + name.count)
            else {
                continue
            }
            let list = functions(bytes, from: value)
            lists.append(list)
            position = list.last?.upperBound ?? value
        }
        return lists
    }

    /// What may stand before the name of an attribute or of a property.
    private static func isDelimiter(_ byte: UInt8) -> Bool {
        byte <= 0x20 || "\"';{".utf8.contains(byte)
    }

    /// Behind an equals sign and a quotation mark, or behind a colon.
    private static func startOfValue(_ bytes: [UInt8], after end: Int) -> Int? {
        let sign = afterSpace(bytes, end)
        guard sign < bytes.count else {
            return nil
        }
        if bytes[sign] == UInt8(ascii: ":") {
            return sign + 1
        }
        let quote = afterSpace(bytes, sign + 1)
        guard bytes[sign] == UInt8(ascii: "="), quote < bytes.count,
            bytes[quote] == UInt8(ascii: "\"") || bytes[quote] == UInt8(ascii: "'")
        else {
            return nil
        }
        return quote + 1
    }

    /// Names with parentheses, as far as there is nothing but space between them.
    private static func functions(_ bytes: [UInt8], from start: Int) -> [Range<Int>] {
        var (functions, position) = ([Range<Int>](), start)
        while true {
            let first = afterSpace(bytes, position)
            let open = bytes[first...].firstIndex { !isNameByte($0) } ?? bytes.count
            guard open > first, open < bytes.count, bytes[open] == UInt8(ascii: "("),
                let close = bytes[open...].firstIndex(where: { ")<>".utf8.contains($0) }),
                bytes[close] == UInt8(ascii: ")")
            else {
                return functions
            }
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

    private static func identifiersOfFilters(in bytes: [UInt8]) -> Set<[UInt8]> {
        let (name, attribute) = (Array("filter".utf8), Array("id=".utf8))
        var (identifiers, position) = (Set<[UInt8]>(), 0)
        while let start = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
            position = start + 1
            let tag = bytes[position...].prefix { $0 != UInt8(ascii: ">") }
            guard let end = tag.firstIndex(where: { $0 <= 0x20 }), tag[..<end].hasSuffix(name) else {
                continue
            }
            var place = end
            while let next = tag[place...].firstIndex(where: { $0 <= 0x20 }) {
                place = next + 1
                let rest = tag[place...]
                if rest.starts(with: attribute), let quote = rest.dropFirst(attribute.count).first {
                    identifiers.insert(Array(rest.dropFirst(attribute.count + 1).prefix { $0 != quote }))
                }
            }
        }
        return identifiers
    }

    private static func afterSpace(_ bytes: [UInt8], _ place: Int) -> Int {
        bytes[min(place, bytes.count)...].firstIndex { $0 > 0x20 } ?? bytes.count
    }
}

extension [UInt8] {
    fileprivate func contains(_ text: String.UTF8View) -> Bool {
        let text = Array(text)
        var position = 0
        while let start = self[position...].firstIndex(of: text[0]) {
            if self[start...].starts(with: text) { return true }
            position = start + 1
        }
        return false
    }
}

extension ArraySlice<UInt8> {
    fileprivate func hasSuffix(_ text: [UInt8]) -> Bool {
        suffix(text.count).elementsEqual(text)
    }
}
#endif
