internal import FoundationEssentials
internal import HalcyonCodecs

/// Writes angles in turns as degrees: librsvg 2.54 takes what contains them for invalid (CSS Values 4, section 7.1).
enum SVGAngles {
    private static let unit = "turn"
    private static let names: Set<String> = ["filter", "fill", "orient", "stroke", "style"]

    /// Changes such angles of a document, in attributes.
    static func writeInDegrees(_ markup: inout SVGMarkup) {
        guard markup.holds(anyOf: [unit]) else { return }
        for index in markup.elements.indices {
            let element = markup.elements[index]
            for attribute in element.attributes where names.contains(attribute.name) {
                let value = markup.value(of: attribute)
                let converted = inDegrees(value)
                if converted != value {
                    markup.replace(attribute, by: converted)
                }
            }
        }
    }

    private static func inDegrees(_ value: String) -> String {
        var (result, rest) = ("", value[...])
        while let place = rest.firstRange(of: unit) {
            let before = rest[..<place.lowerBound]
            let number = String(before.reversed().prefix { "+-.0123456789".contains($0) }.reversed())
            rest = rest[place.upperBound...]
            let isInName = before.dropLast(number.count).last.map { $0.isLetter || "#_".contains($0) } ?? false
            if !isInName, let turns = Double(number), !(rest.first?.isLetter ?? false) {
                result += before.dropLast(number.count) + "\(turns * 360)deg"
            } else {
                result += before + unit
            }
        }
        return result + rest
    }
}
