internal import FoundationEssentials
internal import HalcyonCodecs

/// Puts in place of functions that change colours the filters that they are short for (Filter Effects 1, section 8.1),
/// which work on sRGB: librsvg lets the functions work on linear light.
enum SVGFilterFunctions {
    private static let names = ["grayscale", "sepia", "saturate", "hue-rotate", "invert", "brightness", "contrast"]

    /// The most different functions that are replaced: a filter takes many times the bytes of a function.
    private static let maximumCount = 10_000

    /// Puts such filters behind the start of the root element of a document; equal functions share one.
    static func spellOut(in markup: inout SVGMarkup) {
        guard markup.holds(anyOf: names.map { $0 + "(" }), let root = markup.elements.first,
            markup.qualifiedName(of: root) == "svg", root.content != nil
        else {
            return
        }
        var changed = markup
        var filters = ""
        var references: [String: String] = [:]
        for index in markup.elements.indices {
            let element = markup.elements[index]
            for attribute in element.attributes where ["filter", "style"].contains(attribute.name) {
                let value = markup.value(of: attribute)
                guard attribute.name == "filter" || value.contains("filter") else { continue }
                let replaced = replaceFunctions(in: value) { primitive in
                    if let reference = references[primitive] { return reference }
                    guard references.count < maximumCount else { return nil }
                    let name = "halcyon-function-\(references.count + 1)"
                    references[primitive] = "url(#\(name))"
                    filters += "<filter id=\"\(name)\" x=\"-0.5\" y=\"-0.5\" width=\"2\" height=\"2\" "
                    filters += "color-interpolation-filters=\"sRGB\">\(primitive)</filter>"
                    return references[primitive]
                }
                if replaced != value {
                    changed.replace(attribute, by: replaced)
                }
            }
        }
        guard references.count < maximumCount else { return }
        if !filters.isEmpty {
            changed.insert(filters, atStartOf: root)
        }
        markup = changed
    }

    /// Returns a list of functions in which those that change colours are replaced.
    private static func replaceFunctions(in value: String, by reference: (String) -> String?) -> String {
        var (result, rest) = ("", value[...])
        while let open = rest.firstIndex(of: "("), let close = rest[open...].firstIndex(of: ")") {
            let name = String(rest[..<open].reversed().prefix { $0.isLetter || $0 == "-" }.reversed())
            let argument = SVGMarkup.trimmed(rest[rest.index(after: open)..<close])
            let end = rest.index(after: close)
            if names.contains(name), let reference = primitive(name, argument).flatMap(reference) {
                result += rest[..<open].dropLast(name.count) + reference
            } else {
                result += rest[..<end]
            }
            rest = rest[end...]
        }
        return result + rest
    }

    private static func primitive(_ name: String, _ argument: String) -> String? {
        if name == "hue-rotate" {
            guard let degrees = degrees(argument) else { return nil }
            return "<feColorMatrix type=\"hueRotate\" values=\"\(degrees)\"/>"
        }
        guard let amount = amount(argument) else { return nil }
        let (part, rest) = (min(amount, 1), 1 - min(amount, 1))
        switch name {
        case "saturate":
            return "<feColorMatrix type=\"saturate\" values=\"\(amount)\"/>"
        case "grayscale":
            return matrix([0.2126, 0.7152, 0.0722, 0.2126, 0.7152, 0.0722, 0.2126, 0.7152, 0.0722], rest)
        case "sepia":
            return matrix([0.393, 0.769, 0.189, 0.349, 0.686, 0.168, 0.272, 0.534, 0.131], rest)
        case "invert":
            return transfer("type=\"table\" tableValues=\"\(part) \(1 - part)\"")
        case "brightness":
            return transfer("type=\"linear\" slope=\"\(amount)\"")
        default:
            return transfer("type=\"linear\" slope=\"\(amount)\" intercept=\"\(0.5 - amount / 2)\"")
        }
    }

    /// The mixture of a matrix of three by three numbers with the one that changes nothing.
    private static func matrix(_ numbers: [Double], _ unchanged: Double) -> String {
        let rows = (0..<3).map { row in
            (0..<3).map { column in
                let number = numbers[row * 3 + column]
                return "\(number + ((row == column ? 1 : 0) - number) * unchanged)"
            }.joined(separator: " ") + " 0 0"
        }
        return "<feColorMatrix values=\"\(rows.joined(separator: " ")) 0 0 0 1 0\"/>"
    }

    private static func transfer(_ attributes: String) -> String {
        let functions = ["R", "G", "B"].map { "<feFunc\($0) \(attributes)/>" }
        return "<feComponentTransfer>\(functions.joined())</feComponentTransfer>"
    }

    /// A number or a percentage; 1 where there is none; `nil` for what is no amount.
    private static func amount(_ text: String) -> Double? {
        guard !text.isEmpty else { return 1 }
        let isPercentage = text.hasSuffix("%")
        guard let number = Double(isPercentage ? text.dropLast() : text[...]), number >= 0, number.isFinite else {
            return nil
        }
        return isPercentage ? number / 100 : number
    }

    private static func degrees(_ text: String) -> Double? {
        guard !text.isEmpty, text != "0" else { return 0 }
        let units = [("deg", 1), ("grad", 0.9), ("rad", 180 / Double.pi), ("turn", 360)]
        guard let (unit, scale) = units.first(where: { text.hasSuffix($0.0) }) else { return nil }
        return Double(text.dropLast(unit.count)).flatMap { $0.isFinite ? $0 * scale : nil }
    }
}
