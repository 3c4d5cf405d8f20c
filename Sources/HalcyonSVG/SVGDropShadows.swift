internal import FoundationEssentials
internal import HalcyonCodecs

/// Puts in place of `feDropShadow` the elements that it is short for (Filter Effects 1, section 9.11).
///
/// librsvg 2.54 passes over the element; a filter of nothing else would leave nothing of what it is applied to.
enum SVGDropShadows {
    private static let name = "feDropShadow"
    /// The most shadows that are spelled out, which takes many times their bytes.
    private static let maximumCount = 10_000

    /// A Boolean value that indicates whether librsvg draws them itself. 2.60 does.
    static var areKnown: Bool { !CodecLibrary.rsvg.isOlder(than: .init(2, 60)) }

    /// Spells out the shadows of a document.
    static func spellOut(in markup: inout SVGMarkup) {
        guard markup.holds(anyOf: [name]) else { return }
        let elements = markup.elements.filter { $0.name == name }
        guard elements.count <= maximumCount else { return }
        for (number, element) in elements.enumerated() {
            guard let shadow = Shadow(element, markup) else { continue }
            markup.replace(element, by: shadow.spelledOut(number: number))
        }
    }

    /// One such element.
    private struct Shadow {
        /// The prefix of its name, with the colon.
        private let prefix: String
        /// Values with their quotation marks.
        private var values: [String: String] = [:]
        /// The attributes that state its colour: all that are not named below.
        private var others = ""

        /// `nil` where an attribute is not in UTF-8.
        init?(_ element: SVGMarkup.Element, _ markup: SVGMarkup) {
            guard element.attributes.allSatisfy(markup.isText) else { return nil }
            prefix = String(markup.qualifiedName(of: element).dropLast(name.count))
            for attribute in element.attributes {
                let value = markup.value(of: attribute)
                let quote = value.contains("\"") ? "'" : "\""
                add(attribute.name, quote + value + quote)
            }
        }

        private mutating func add(_ name: String, _ value: String) {
            if SVGDropShadows.geometry.contains(name) || name == SVGDropShadows.interpolation {
                values[name] = value
            } else {
                others += " \(name)=\(value)"
            }
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
