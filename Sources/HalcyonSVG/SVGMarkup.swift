internal import FoundationEssentials
internal import HalcyonCodecs

/// The elements of a document as they stand in its text, read once, for bounding what librsvg would take for them.
///
/// The text has no entities of its own any more; what is no markup here is none to libxml2 either.
struct SVGMarkup {
    struct Attribute {
        /// With its prefix.
        let name: String
        /// The place of name and value; empty for one that was added.
        fileprivate let place: Range<Int>
        /// The place of the value as it stood, between its quotation marks.
        fileprivate let original: Range<Int>
        /// What takes the place of the value.
        fileprivate(set) var replacement: String?
        fileprivate var isRemoved = false
        /// The indices of the element and of the attribute in it.
        fileprivate let owner: Int32
        fileprivate let index: Int32
    }

    struct Element {
        /// The name without its prefix.
        let name: String
        /// The place of the name, with its prefix.
        let start: Int
        let index: Int
        /// The index of the element around it; `nil` for the root.
        let parent: Int?
        /// Those that are there still.
        var attributes: some Sequence<Attribute> { allAttributes.lazy.filter { !$0.isRemoved } }
        fileprivate var allAttributes: [Attribute]
        /// The place behind the last attribute.
        let attributesEnd: Int
        /// The place between its tags; `nil` for an element of one tag.
        fileprivate(set) var content: Range<Int>?
        /// The place from its start tag's beginning to its end tag's end.
        fileprivate(set) var place: Range<Int>
        /// Markup, or the text of a style sheet, in place of the element or of what it holds.
        fileprivate var replacement: (place: Range<Int>, text: String)?
    }

    /// libxml2 reads no deeper documents, unless it is told to.
    private static let maximumDepth = 256
    /// The most attributes of an element: libxml2 compares each with all others.
    private static let maximumAttributeCount = 1_000
    /// librsvg's own bound.
    private static let maximumElementCount = 1_000_000

    let bytes: [UInt8]
    /// In the order of the document.
    private(set) var elements: [Element] = []
    /// A Boolean value that indicates whether the text ended inside of an element, which was closed, or that of a drawing
    /// in it.
    var isCutShort = false
    /// What closes the elements that the text leaves open, from the place on at which it ends.
    private var ending: (place: Int, text: String)?
    /// Instructions that could bring in style sheets.
    private var instructions: [Range<Int>] = []
    /// What librsvg needs for the document, about, in bytes: before a path is drawn it is in memory twice.
    private var byteCount: Int

    /// - Parameter isClosedWhereCut: Whether a document that ends inside of an element is closed there.
    /// - Throws: ``CodecError/limitExceeded(_:_:)``, ``CodecError/truncated(_:)``, ``CodecError/corrupt(_:reason:)``.
    init(_ text: Data, limits: DecodeLimits, isClosedWhereCut: Bool) throws(CodecError) {
        bytes = Array(text)
        byteCount = 3 * bytes.count
        try readElements(limits, isClosedWhereCut: isClosedWhereCut)
    }

    /// Returns whether some of the words are in the text.
    func holds(anyOf words: [String]) -> Bool { words.contains { bytes.holds($0) } }

    /// The text with the changes.
    var text: Data {
        var edits: [(place: Range<Int>, text: String)] = instructions.map { ($0, "") }
        for element in elements {
            if let replacement = element.replacement {
                edits.append(replacement)
            }
            for attribute in element.allAttributes {
                if attribute.place.isEmpty {
                    guard !attribute.isRemoved, let value = attribute.replacement else { continue }
                    edits.append((attribute.place, " \(attribute.name)=\"\(value)\""))
                } else if attribute.isRemoved {
                    edits.append((attribute.place, ""))
                } else if let value = attribute.replacement {
                    edits.append((attribute.original, value))
                }
            }
        }
        if let ending {
            edits.append((ending.place..<bytes.count, ending.text))
        }
        guard !edits.isEmpty else { return Data(bytes) }
        var (result, copied) = (Data(), 0)
        result.reserveCapacity(bytes.count)
        for edit in edits.sorted(by: { $0.place.lowerBound < $1.place.lowerBound })
        where edit.place.lowerBound >= copied {
            result += bytes[copied..<edit.place.lowerBound]
            result += Array(edit.text.utf8)
            copied = edit.place.upperBound
        }
        return result + bytes[copied...]
    }

    /// Returns the value of an attribute as it stands there.
    func value(of attribute: Attribute) -> String {
        attribute.replacement ?? String(decoding: bytes[attribute.original], as: UTF8.self)
    }

    /// Returns the value of an attribute with spaces in place of other white space, as XML reads it.
    func normalizedValue(of attribute: Attribute) -> String {
        let value = value(of: attribute)
        guard value.utf8.contains(where: { $0 < 0x20 }) else { return value }
        return String(decoding: value.utf8.map { $0 < 0x20 ? 0x20 : $0 }, as: UTF8.self)
    }

    /// Returns the value of an attribute of an element; `nil` without it.
    func value(_ name: String, of element: Element) -> String? {
        element.allAttributes.first { $0.name == name && !$0.isRemoved }.map(value)
    }

    /// Returns the bytes that the value of an attribute takes as it stands; 0 without it.
    func byteCount(of name: String, in element: Element) -> Int {
        element.allAttributes.first { $0.name == name }?.original.count ?? 0
    }

    /// Returns all that an element refers to: with any prefix, since the one that librsvg follows may have any.
    func references(of element: Element) -> [String] {
        element.attributes.filter { $0.name == "href" || $0.name.hasSuffix(":href") }.map(value)
    }

    /// Returns the text between the tags of an element; `nil` where there is none.
    func content(of element: Element) -> String? {
        guard let content = element.content, !content.isEmpty else { return nil }
        if let replacement = element.replacement, replacement.place == content { return replacement.text }
        return String(decoding: bytes[content], as: UTF8.self)
    }

    /// Returns the style sheet that is the text of an element: what stands in its comments is no part of it.
    func sheet(of element: Element) -> String? {
        guard let content = element.content, !content.isEmpty else { return nil }
        var text = bytes[content]
        if let replacement = element.replacement, replacement.place == content {
            text = Array(replacement.text.utf8)[...]
        }
        var (sheet, position) = ([UInt8](), text.startIndex)
        while position < text.endIndex {
            let rest = text[position...]
            let markup = [("<![CDATA[", "]]>"), ("<!--", "-->"), ("<", ">")].first { rest.starts(with: $0.0.utf8) }
            guard let (opening, closing) = markup else {
                let plain = rest.prefix { $0 != UInt8(ascii: "<") }
                let characters = String(decoding: plain, as: UTF8.self)
                sheet += Array(SVGValueBounds.withoutReferences(characters).utf8)
                position = plain.endIndex
                continue
            }
            let end = XMLText.end(of: closing, in: rest)
            if opening.hasSuffix("[") {
                sheet += rest[..<(end ?? rest.endIndex)].dropFirst(opening.utf8.count).dropLast(end == nil ? 0 : 3)
            }
            position = end ?? text.endIndex
        }
        return String(decoding: sheet, as: UTF8.self)
    }

    /// Puts a style sheet in place of that of an element.
    mutating func setSheet(_ sheet: String, of element: Element) {
        guard let content = element.content else { return }
        let text = "<![CDATA[" + sheet.replacing("]]>", with: "]] >") + "]]>"
        elements[element.index].replacement = (content, text)
    }

    /// Takes an attribute away.
    mutating func remove(_ attribute: Attribute) {
        elements[Int(attribute.owner)].allAttributes[Int(attribute.index)].isRemoved = true
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
        elements[Int(attribute.owner)].allAttributes[Int(attribute.index)].replacement = value
    }

    /// Puts markup in place of an element and of what is in it.
    mutating func replace(_ element: Element, by markup: String) {
        elements[element.index].replacement = (element.place, markup)
    }

    /// Gives an attribute another value, or adds it. `value` has neither quotation marks nor markup.
    mutating func set(_ name: String, to value: String, of element: Element) {
        if let attribute = elements[element.index].attributes.first(where: { $0.name == name }) {
            return replace(attribute, by: value)
        }
        let end = element.attributesEnd
        let attribute = Attribute(
            name: name,
            place: end..<end,
            original: end..<end,
            replacement: value,
            owner: Int32(element.index),
            index: Int32(elements[element.index].allAttributes.count)
        )
        elements[element.index].allAttributes.append(attribute)
    }

    static func trimmed(_ text: some StringProtocol) -> String {
        let start = text.drop(while: \.isWhitespace)
        return String(start.prefix(start.count - start.reversed().prefix(while: \.isWhitespace).count))
    }

    /// Reads tags until the bytes end.
    private mutating func readElements(_ limits: DecodeLimits, isClosedWhereCut: Bool) throws(CodecError) {
        var (open, position, attributeCount) = ([Int](), 0, 0)
        while let start = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
            if let end = endOfOther(start) {
                guard end <= bytes.count else { break }
                position = end
                continue
            }
            if start + 1 < bytes.count, bytes[start + 1] == UInt8(ascii: "/") {
                guard let end = end(of: ">", from: start) else { break }
                guard let last = open.popLast() else { throw .corrupt(.svg, reason: "an end without a beginning") }
                elements[last].content = elements[last].place.upperBound..<start
                elements[last].place = elements[last].place.lowerBound..<end
                position = end
                continue
            }
            guard var element = try element(at: start + 1, parent: open.last),
                let end = end(of: ">", from: element.attributesEnd)
            else { break }
            element.place = start..<end
            attributeCount += element.allAttributes.count
            elements.append(element)
            guard elements.count <= Self.maximumElementCount else {
                throw .unsupported(.svg, reason: "more than 1,000,000 elements")
            }
            try limits.checkMemory(byteCount, elements.count * 1_600, attributeCount * 250, of: .svg)
            if bytes[end - 2] != UInt8(ascii: "/") {
                guard open.count < Self.maximumDepth else {
                    throw .unsupported(.svg, reason: "more than \(Self.maximumDepth) elements inside of each other")
                }
                open.append(elements.count - 1)
            }
            position = end
        }
        guard !elements.isEmpty else { throw .truncated(.svg) }
        guard !open.isEmpty else { return }
        guard isClosedWhereCut else { throw .truncated(.svg) }
        close(open, at: position)
    }

    /// Closes the elements that the text leaves open, behind the last whole tag.
    private mutating func close(_ open: [Int], at position: Int) {
        isCutShort = true
        for index in open {
            elements[index].content = elements[index].place.upperBound..<position
            elements[index].place = elements[index].place.lowerBound..<position
        }
        ending = (position, open.reversed().map { "</\(qualifiedName(of: elements[$0]))>" }.joined())
    }

    /// Returns the end of a comment, a section of plain text, an instruction or a document type, or a place behind the
    /// text where it does not end; `nil` for a tag.
    private mutating func endOfOther(_ start: Int) -> Int? {
        let rest = bytes[start...]
        for (opening, closing) in [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")]
        where rest.starts(with: opening.utf8) {
            let end = end(of: closing, from: start + opening.utf8.count) ?? bytes.count + 1
            if opening == "<?", rest.starts(with: "<?xml-stylesheet".utf8), end <= bytes.count {
                instructions.append(start..<end)
            }
            return end
        }
        guard rest.starts(with: "<!".utf8) else { return nil }
        return XMLText.endOfDeclaration(rest) ?? bytes.count + 1
    }

    /// Returns the element whose name starts there; `nil` where the text ends in it.
    private mutating func element(at start: Int, parent: Int?) throws(CodecError) -> Element? {
        let tag = bytes[start...].prefix { $0 > 0x20 && !"/>".utf8.contains($0) }
        var (attributes, attributesEnd, position) = ([Attribute](), tag.endIndex, tag.endIndex)
        while true {
            guard let next = bytes[position...].firstIndex(where: { $0 > 0x20 }) else { return nil }
            guard bytes[next] != UInt8(ascii: "/"), bytes[next] != UInt8(ascii: ">") else { break }
            guard let equals = bytes[next...].firstIndex(of: UInt8(ascii: "=")),
                let open = bytes[(equals + 1)...].firstIndex(where: { $0 > 0x20 })
            else { return nil }
            guard bytes[open] == UInt8(ascii: "\"") || bytes[open] == UInt8(ascii: "'") else {
                throw .corrupt(.svg, reason: "an attribute without quotation marks")
            }
            guard let close = bytes[(open + 1)...].firstIndex(of: bytes[open]) else { return nil }
            let name = String(decoding: bytes[next..<equals].prefix { $0 > 0x20 }, as: UTF8.self)
            attributes.append(
                Attribute(
                    name: name,
                    place: next..<close + 1,
                    original: open + 1..<close,
                    owner: Int32(elements.count),
                    index: Int32(attributes.count)
                )
            )
            guard attributes.count <= Self.maximumAttributeCount else {
                throw .unsupported(.svg, reason: "an element with more than \(Self.maximumAttributeCount) attributes")
            }
            if name == "d" || name == "points" {
                byteCount += 50 * Self.countOfNumbers(bytes[open + 1..<close])
            }
            (attributesEnd, position) = (close + 1, close + 1)
        }
        return Element(
            name: String(decoding: tag.split(separator: UInt8(ascii: ":")).last ?? [], as: UTF8.self),
            start: start,
            index: elements.count,
            parent: parent,
            allAttributes: attributes,
            attributesEnd: attributesEnd,
            place: start..<attributesEnd
        )
    }

    /// Returns about how many numbers there are, and letters, which stand for as much.
    private static func countOfNumbers(_ text: ArraySlice<UInt8>) -> Int {
        var (count, isInNumber) = (0, false)
        for byte in text {
            let isDigit = byte &- 0x30 < 10
            if byte >= 0x40 || (isDigit && !isInNumber) { count += 1 }
            isInNumber = isDigit || byte == UInt8(ascii: ".")
        }
        return count
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

extension [UInt8] {
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
