#if SVG
internal import FoundationEssentials

/// Puts in place of `feDropShadow` the elements that it is short for (Filter Effects 1, section 9.11).
///
/// librsvg 2.54 passes over the element; a filter of nothing else would leave nothing of what it is applied to.
enum SVGDropShadows {
    private static let name = Array("feDropShadow".utf8)
    private static let entity = Array("!ENTITY".utf8)

    /// A Boolean value that indicates whether librsvg draws them itself. 2.60 does.
    static var areKnown: Bool { !CodecLibrary.rsvg.isOlder(than: .init(2, 60)) }

    /// The text of a document, with the shadows spelled out.
    static func spelledOut(in text: Data) -> Data {
        let bytes = Array(text)
        var (result, copied, count) = ([UInt8](), 0, 0)
        var position = 0
        while let start = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
            position = start + 1
            // The value of an entity may have quotation marks around it that are also used here.
            guard !bytes[position...].starts(with: entity) else { return text }
            guard let element = Element(bytes, at: position) else { continue }
            result += bytes[copied..<start]
            result += element.spelledOut(number: count).utf8
            position = element.end
            copied = position
            count += 1
        }
        return count == 0 ? text : Data(result + bytes[copied...])
    }

    /// One such element.
    private struct Element {
        /// The prefix of its name, with the colon.
        private let prefix: String
        /// Values with their quotation marks.
        private var values: [String: String] = [:]
        /// The attributes that state its colour: all that are not named below.
        private var others = ""
        /// Behind the element.
        private(set) var end: Int

        /// `nil` where there is another element, or none that ends.
        init?(_ bytes: [UInt8], at start: Int) {
            let tag = bytes[start...].prefix { $0 > 0x20 && !"/>".utf8.contains($0) }
            guard tag.suffix(name.count).elementsEqual(name) else { return nil }
            let prefix = tag.dropLast(name.count)
            guard prefix.isEmpty || prefix.last == UInt8(ascii: ":") else { return nil }
            self.prefix = String(decoding: prefix, as: UTF8.self)
            end = tag.endIndex
            while true {
                end = bytes[end...].firstIndex { $0 > 0x20 } ?? bytes.count
                guard end < bytes.count else { return nil }
                if bytes[end] == UInt8(ascii: ">") || bytes[end] == UInt8(ascii: "/") { break }
                guard let equals = bytes[end...].firstIndex(of: UInt8(ascii: "=")),
                    let open = bytes[(equals + 1)...].firstIndex(where: { $0 > 0x20 }),
                    bytes[open] == UInt8(ascii: "\"") || bytes[open] == UInt8(ascii: "'"),
                    let close = bytes[(open + 1)...].firstIndex(of: bytes[open])
                else {
                    return nil
                }
                let name = String(decoding: bytes[end..<equals].filter { $0 > 0x20 }, as: UTF8.self)
                add(name, String(decoding: bytes[open...close], as: UTF8.self))
                end = close + 1
            }
            guard skipContent(bytes) else { return nil }
        }

        private mutating func add(_ name: String, _ value: String) {
            if SVGDropShadows.geometry.contains(name) || name == SVGDropShadows.interpolation {
                values[name] = value
            } else {
                others += " \(name)=\(value)"
            }
        }

        /// Moves behind the element, which may have descriptions and animations in it.
        private mutating func skipContent(_ bytes: [UInt8]) -> Bool {
            if bytes[end] == UInt8(ascii: "/") {
                end += 2
                return end <= bytes.count && bytes[end - 1] == UInt8(ascii: ">")
            }
            let closing = Array("</\(prefix)feDropShadow".utf8)
            while end + closing.count < bytes.count {
                if bytes[end] == closing[0], bytes[end...].starts(with: closing) {
                    guard let last = bytes[end...].firstIndex(of: UInt8(ascii: ">")) else { return false }
                    end = last + 1
                    return true
                }
                end += 1
            }
            return false
        }

        /// The blurred and moved alpha of the input, in the shadow's colour, below the input.
        func spelledOut(number: Int) -> String {
            let names = ["input", "blur", "color", "shadow"].map { "\"halcyon-\($0)-\(number)\"" }
            func primitive(_ name: String, _ attributes: String) -> String {
                let interpolation = values[interpolation].map { " \(SVGDropShadows.interpolation)=\($0)" } ?? ""
                return "<\(prefix)\(name)\(interpolation)\(attributes)"
            }
            func stated(_ names: [String]) -> String {
                names.compactMap { name in values[name].map { " \(name)=\($0)" } }.joined()
            }
            return [
                primitive("feOffset", stated(["in"]) + " dx=\"0\" dy=\"0\" result=\(names[0])/>"),
                primitive("feGaussianBlur", " in=\(names[0]) stdDeviation=\(values["stdDeviation"] ?? "\"2\"")/>"),
                primitive(
                    "feOffset",
                    " dx=\(values["dx"] ?? "\"2\"") dy=\(values["dy"] ?? "\"2\"") result=\(names[1])/>"
                ),
                primitive("feFlood", "\(others) result=\(names[2])/>"),
                primitive("feComposite", " operator=\"in\" in=\(names[2]) in2=\(names[1]) result=\(names[3])/>"),
                primitive("feMerge", stated(["x", "y", "width", "height", "result"]) + ">"),
                "<\(prefix)feMergeNode in=\(names[3])/><\(prefix)feMergeNode in=\(names[0])/></\(prefix)feMerge>",
            ].joined()
        }

        private var interpolation: String { SVGDropShadows.interpolation }
    }

    private static let interpolation = "color-interpolation-filters"
    private static let geometry: Set<String> = [
        "in", "result", "x", "y", "width", "height", "dx", "dy", "stdDeviation",
    ]
}
#endif
