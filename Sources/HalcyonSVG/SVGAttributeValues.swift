internal import FoundationEssentials
internal import HalcyonCodecs

/// Takes away attributes whose values mean nothing, so that they are as if not given, which is how browsers read them
/// (SVG 2, "error processing"). To librsvg the whole element would be in error: a gradient would paint nothing, and what
/// a filter is applied to would not be drawn.
enum SVGAttributeValues {
    /// Takes such attributes of a document away.
    static func removeInvalid(from markup: inout SVGMarkup) {
        guard markup.holds(anyOf: words) else { return }
        for index in markup.elements.indices {
            let element = markup.elements[index]
            for attribute in element.attributes where checked.contains(attribute.name) {
                let value = markup.value(of: attribute)
                // What stands in an entity is not known here.
                guard !value.contains("&") else { continue }
                if attribute.name == "points" {
                    markup.replace(attribute, by: validPoints(value))
                } else if !isValid(value, attribute.name, element.name) {
                    markup.remove(attribute)
                }
            }
            if ["linearGradient", "radialGradient", "pattern"].contains(element.name) {
                removeOwnReference(element, &markup)
            }
            if element.name == "feColorMatrix" {
                checkMatrix(element, &markup)
            }
        }
    }

    private static let words = ["<fe", ":fe", "radient", "attern", "points", "preserveAspectRatio", "Units", "offset"]
    private static let units: Set<String> = ["userSpaceOnUse", "objectBoundingBox"]
    /// Attributes that take one of some words.
    private static let choices: [String: Set<String>] = [
        "spreadMethod": ["pad", "reflect", "repeat"],
        "gradientUnits": units, "patternUnits": units, "patternContentUnits": units, "clipPathUnits": units,
        "maskUnits": units, "maskContentUnits": units, "filterUnits": units, "primitiveUnits": units,
        "markerUnits": ["strokeWidth", "userSpaceOnUse"],
        "mode": [
            "normal", "multiply", "screen", "darken", "lighten", "overlay", "color-dodge", "color-burn", "hard-light",
            "soft-light", "difference", "exclusion", "hue", "saturation", "color", "luminosity",
        ],
        "preserveAlpha": ["true", "false"],
        "edgeMode": ["duplicate", "wrap", "none"],
        "stitchTiles": ["stitch", "noStitch"],
        "xChannelSelector": ["R", "G", "B", "A"], "yChannelSelector": ["R", "G", "B", "A"],
    ]
    /// Words that mean something else, or other words, by the element.
    private static let elementChoices: [String: [String: Set<String>]] = [
        "type": [
            "feColorMatrix": ["matrix", "saturate", "hueRotate", "luminanceToAlpha"],
            "feTurbulence": ["fractalNoise", "turbulence"],
        ],
        "operator": [
            "feComposite": ["over", "in", "out", "atop", "xor", "lighter", "arithmetic"],
            "feMorphology": ["erode", "dilate"],
        ],
    ]
    /// How many numbers an attribute of a filter takes.
    private static let numbers: [String: ClosedRange<Int>] = [
        "stdDeviation": 1...2, "order": 1...2, "baseFrequency": 1...2,
        "k1": 1...1, "k2": 1...1, "k3": 1...1, "k4": 1...1, "dx": 1...1, "dy": 1...1, "bias": 1...1, "scale": 1...1,
        "seed": 1...1,
    ]
    /// The ones that must not be negative, where a negative number is as if not given.
    private static let magnitudes: Set<String> = ["stdDeviation"]
    private static let checked = Set(choices.keys).union(elementChoices.keys).union(numbers.keys)
        .union(["offset", "preserveAspectRatio", "points", "fr"])

    private static func isValid(_ value: String, _ name: String, _ element: String) -> Bool {
        let trimmed = SVGMarkup.trimmed(value)
        if let choices = choices[name] ?? elementChoices[name]?[element] {
            return choices.contains(trimmed)
        }
        switch name {
        case "preserveAspectRatio": return SVGRootElement.isAspectRatio(value)
        case "offset" where element == "stop":
            return Double(trimmed.hasSuffix("%") ? trimmed.dropLast() : trimmed[...]) != nil
        case "fr" where element == "radialGradient": return !trimmed.hasPrefix("-")
        case _ where element.hasPrefix("fe"):
            guard let count = numbers[name] else { return true }
            guard let found = SVGLength.numbers(trimmed), count.contains(found.count) else { return false }
            return !magnitudes.contains(name) || found.allSatisfy { $0 >= 0 }
        default: return true
        }
    }

    /// Takes away the reference of a gradient or a pattern to itself, which says nothing new.
    private static func removeOwnReference(_ element: SVGMarkup.Element, _ markup: inout SVGMarkup) {
        guard let name = markup.value("id", of: element) else { return }
        for attribute in element.attributes
        where attribute.name == "href" || attribute.name.hasSuffix(":href") {
            if markup.value(of: attribute) == "#" + name {
                markup.remove(attribute)
            }
        }
    }

    /// Takes away values of which there are not as many as the type of a matrix takes, and limits saturation to what there is.
    private static func checkMatrix(_ element: SVGMarkup.Element, _ markup: inout SVGMarkup) {
        guard let values = element.attributes.first(where: { $0.name == "values" }) else { return }
        let list = markup.value(of: values)
        // A line end may be written as a reference to a character.
        guard !list.contains("&") else { return }
        let numbers = SVGLength.numbers(list) ?? []
        switch markup.value("type", of: element) {
        case "saturate" where numbers.count == 1 && numbers[0] < 0: markup.replace(values, by: "0")
        case "saturate", "hueRotate": if numbers.isEmpty { markup.remove(values) }
        case "luminanceToAlpha": break
        default: if numbers.count != 20 { markup.remove(values) }
        }
    }

    /// Returns the pairs of numbers before the first that is none (SVG 2, section 10.6: as much as can be read is drawn).
    private static func validPoints(_ value: String) -> String {
        if let numbers = SVGLength.numbers(value), numbers.count.isMultiple(of: 2) {
            return value
        }
        let words = value.split { $0.isWhitespace || $0 == "," }
        let valid = words.prefix { SVGLength.numbers(String($0)) != nil }
        let numbers = valid.flatMap { SVGLength.numbers(String($0)) ?? [] }
        return numbers.prefix(numbers.count / 2 * 2).map { "\($0)" }.joined(separator: " ")
    }
}
