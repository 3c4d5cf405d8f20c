#if SVG
internal import FoundationEssentials

/// The elements of a document as they stand in its text, for changing attributes that librsvg does not follow.
///
/// As much of XML as that takes: a document with entities of its own, which may hold elements that are not seen here,
/// and one whose elements do not close each other, has none.
struct SVGMarkup {
    struct Attribute {
        /// With its prefix.
        let name: String
        /// The place of name and value.
        let place: Range<Int>
        /// The place of the value, between its quotation marks.
        let value: Range<Int>
    }

    struct Element {
        /// The name without its prefix.
        let name: String
        /// The place of the name, with its prefix.
        let start: Int
        /// The index of the element around it; `nil` for the root.
        let parent: Int?
        let attributes: [Attribute]
        /// The place behind the last attribute.
        let attributesEnd: Int
        /// The place between its tags; `nil` for an element of one tag.
        fileprivate(set) var content: Range<Int>?
        /// The place from its start tag's beginning to its end tag's end.
        fileprivate(set) var place: Range<Int>
    }

    /// The greatest text that is looked through, in bytes: elements take several times as much memory.
    private static let maximumByteCount = 8 << 20
    /// libxml2 reads no deeper documents, unless it is told to.
    private static let maximumDepth = 256

    let bytes: [UInt8]
    /// In the order of the document.
    private(set) var elements: [Element] = []
    private var edits: [(place: Range<Int>, text: String)] = []

    /// - Returns: `nil` where the document has none of some words, or is not one to be changed.
    init?(_ text: Data, ifAnyOf words: [String]) {
        guard text.count <= Self.maximumByteCount, words.contains(where: { text.holds($0) }), !text.holds("<!ENTITY")
        else {
            return nil
        }
        bytes = Array(text)
        guard readElements() else { return nil }
    }

    /// The text with the changes.
    var text: Data {
        guard !edits.isEmpty else { return Data(bytes) }
        var (result, copied) = (Data(), 0)
        for edit in edits.sorted(by: { $0.place.lowerBound < $1.place.lowerBound })
        where edit.place.lowerBound >= copied {
            result += bytes[copied..<edit.place.lowerBound]
            result += Array(edit.text.utf8)
            copied = edit.place.upperBound
        }
        return result + bytes[copied...]
    }

    /// Returns the value of an attribute as it stands there.
    func value(of attribute: Attribute) -> String { String(decoding: bytes[attribute.value], as: UTF8.self) }

    /// Returns the value of an attribute of an element; `nil` without it.
    func value(_ name: String, of element: Element) -> String? {
        element.attributes.first { $0.name == name }.map(value)
    }

    /// Returns the value of a property, which stands in the style of an element or in an attribute of its name.
    func property(_ name: String, of element: Element) -> String? {
        let declarations = value("style", of: element)?.split(separator: ";") ?? []
        for declaration in declarations.reversed() {
            let parts = declaration.split(separator: ":", maxSplits: 1)
            if parts.count == 2, Self.trimmed(parts[0]) == name {
                return Self.trimmed(parts[1])
            }
        }
        return value(name, of: element)
    }

    /// Takes an attribute away.
    mutating func remove(_ attribute: Attribute) {
        edits.append((attribute.place, ""))
    }

    /// Returns the name of an element with its prefix.
    func qualifiedName(of element: Element) -> String {
        String(decoding: bytes[element.start...].prefix { $0 > 0x20 && !"/>".utf8.contains($0) }, as: UTF8.self)
    }

    /// Returns whether an attribute is text in UTF-8; a document may have another encoding.
    func isText(_ attribute: Attribute) -> Bool {
        String(validating: bytes[attribute.place], as: UTF8.self) != nil
    }

    /// Gives an attribute another value, which has neither quotation marks nor markup unless the old one has. One that
    /// is not in UTF-8 stays, since a part of the old value could not be written again.
    mutating func replace(_ attribute: Attribute, by value: String) {
        guard isText(attribute) else { return }
        edits.append((attribute.value, value))
    }

    /// Puts markup in place of an element and of what is in it.
    mutating func replace(_ element: Element, by markup: String) {
        edits.append((element.place, markup))
    }

    /// Gives an attribute another value, or adds it. `value` has neither quotation marks nor markup.
    mutating func set(_ name: String, to value: String, of element: Element) {
        if let attribute = element.attributes.first(where: { $0.name == name }) {
            replace(attribute, by: value)
        } else {
            edits.append((element.attributesEnd..<element.attributesEnd, " \(name)=\"\(value)\""))
        }
    }

    /// Sets a property in the style of an element, which wins over attributes and style sheets.
    mutating func setProperty(_ name: String, to value: String, of element: Element) {
        if let style = element.attributes.first(where: { $0.name == "style" }) {
            edits.append((style.value.upperBound..<style.value.upperBound, ";\(name):\(value)"))
        } else {
            set("style", to: "\(name):\(value)", of: element)
        }
    }

    /// Puts markup behind the start tag of an element; nowhere, if the element has no other tag.
    mutating func insert(_ markup: String, atStartOf element: Element) {
        guard let start = element.content?.lowerBound else { return }
        edits.append((start..<start, markup))
    }

    static func trimmed(_ text: some StringProtocol) -> String {
        let start = text.drop(while: \.isWhitespace)
        return String(start.prefix(start.count - start.reversed().prefix(while: \.isWhitespace).count))
    }

    /// Reads tags until the bytes end. Returns whether every element is closed.
    private mutating func readElements() -> Bool {
        var (open, position) = ([Int](), 0)
        while let start = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
            if let end = endOfOther(start) {
                position = end
                continue
            }
            if bytes[(start + 1)...].first == UInt8(ascii: "/") {
                guard let last = open.popLast(), let end = end(of: ">", from: start) else { return false }
                elements[last].content = elements[last].place.upperBound..<start
                elements[last].place = elements[last].place.lowerBound..<end
                position = end
                continue
            }
            guard var element = element(at: start + 1, parent: open.last),
                let end = end(of: ">", from: element.attributesEnd)
            else { return false }
            element.place = start..<end
            elements.append(element)
            if bytes[end - 2] != UInt8(ascii: "/") {
                guard open.count < Self.maximumDepth else { return false }
                open.append(elements.count - 1)
            }
            position = end
        }
        return open.isEmpty && !elements.isEmpty
    }

    /// Returns the end of a comment, a section of plain text, an instruction or a document type; `nil` for a tag.
    private func endOfOther(_ start: Int) -> Int? {
        let rest = bytes[start...]
        for (opening, closing) in [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"), ("<!", ">")]
        where rest.starts(with: opening.utf8) {
            return end(of: closing, from: start + opening.utf8.count) ?? bytes.count
        }
        return nil
    }

    private func element(at start: Int, parent: Int?) -> Element? {
        let tag = bytes[start...].prefix { $0 > 0x20 && !"/>".utf8.contains($0) }
        var (attributes, attributesEnd, position) = ([Attribute](), tag.endIndex, tag.endIndex)
        while true {
            guard let next = bytes[position...].firstIndex(where: { $0 > 0x20 }) else { return nil }
            guard !"/>".utf8.contains(bytes[next]) else { break }
            guard let equals = bytes[next...].firstIndex(of: UInt8(ascii: "=")),
                let open = bytes[(equals + 1)...].firstIndex(where: { $0 > 0x20 }), "\"'".utf8.contains(bytes[open]),
                let close = bytes[(open + 1)...].firstIndex(of: bytes[open])
            else {
                return nil
            }
            let name = String(decoding: bytes[next..<equals].prefix { $0 > 0x20 }, as: UTF8.self)
            attributes.append(Attribute(name: name, place: next..<close + 1, value: open + 1..<close))
            (attributesEnd, position) = (close + 1, close + 1)
        }
        let name = String(decoding: tag.split(separator: UInt8(ascii: ":")).last ?? [], as: UTF8.self)
        return Element(
            name: name,
            start: start,
            parent: parent,
            attributes: attributes,
            attributesEnd: attributesEnd,
            place: start..<attributesEnd
        )
    }

    private func end(of text: String, from start: Int) -> Int? {
        let text = Array(text.utf8)
        var position = start
        while let found = bytes[position...].firstIndex(of: text[0]) {
            if bytes[found...].starts(with: text) { return found + text.count }
            position = found + 1
        }
        return nil
    }
}

extension Data {
    /// Returns whether the bytes of some text are somewhere in these.
    fileprivate func holds(_ text: String) -> Bool {
        let sought = Array(text.utf8)
        return withUnsafeBytes { bytes in
            // `firstRange(of:)` takes many times as long.
            var rest = bytes[...]
            while let first = rest.firstIndex(of: sought[0]) {
                if rest[first...].starts(with: sought) { return true }
                rest = rest[(first + 1)...]
            }
            return false
        }
    }
}
#endif
