internal import FoundationEssentials
internal import HalcyonCodecs

/// Puts the `transform-origin` of elements into their transformation (CSS Transforms 1, section 4): librsvg does not
/// follow it.
///
/// Percentages are of the nearest viewport, as without `transform-box`; an element with that property, whose own size
/// would count, stays as it is, and so do origins and transformations in style sheets.
enum SVGTransformOrigins {
    private static let name = "transform-origin"
    private static let transforms = [
        "linearGradient": "gradientTransform", "radialGradient": "gradientTransform", "pattern": "patternTransform",
    ]

    /// Changes such transformations of a document.
    static func apply(to markup: inout SVGMarkup) {
        guard markup.holds(anyOf: [name]) else { return }
        // What percentages of the children of each element refer to.
        var viewports: [(width: Double, height: Double)?] = []
        viewports.reserveCapacity(markup.elements.count)
        for index in markup.elements.indices {
            let element = markup.elements[index]
            let around = element.parent.flatMap { viewports[$0] }
            viewports.append(viewport(of: element, around, markup))
            guard let origin = markup.property(name, of: element), element.parent != nil,
                markup.property("transform-box", of: element).map({ $0 == "view-box" }) ?? true
            else {
                continue
            }
            let attribute = transforms[element.name] ?? "transform"
            guard let transform = markup.value(attribute, of: element),
                let (x, y) = point(origin, in: around)
            else {
                continue
            }
            markup.set(attribute, to: "translate(\(x) \(y)) \(transform) translate(\(-x) \(-y))", of: element)
        }
    }

    /// The width and height that percentages in an element refer to; `nil` where they are not plainly stated.
    ///
    /// - Parameter around: Those that percentages of the element itself refer to.
    private static func viewport(
        of element: SVGMarkup.Element,
        _ around: (width: Double, height: Double)?,
        _ markup: SVGMarkup
    ) -> (width: Double, height: Double)? {
        guard ["svg", "symbol", "marker", "pattern"].contains(element.name) else { return around }
        if let box = markup.value("viewBox", of: element).flatMap(SVGLength.numbers), box.count == 4 {
            return (box[2], box[3])
        }
        guard element.name == "svg" else { return around }
        let sides = ["width", "height"].map { markup.value($0, of: element).flatMap(SVGLength.init)?.pixels }
        guard let width = sides[0], let height = sides[1] else { return nil }
        return (width, height)
    }

    /// One or two of lengths, percentages and words, in the second case in either order where they are words, and a depth
    /// that nothing here has.
    private static func point(_ value: String, in viewport: (width: Double, height: Double)?) -> (Double, Double)? {
        var words = value.split { $0.isWhitespace || $0 == "," }.map { $0.lowercased() }
        guard (1...3).contains(words.count) else { return nil }
        if words.count == 1 {
            words.append("center")
        }
        if ["top", "bottom"].contains(words[0]) || ["left", "right"].contains(words[1]) {
            words.swapAt(0, 1)
        }
        guard let x = length(words[0], viewport?.width, ["left", "right"]),
            let y = length(words[1], viewport?.height, ["top", "bottom"])
        else {
            return nil
        }
        return (x, y)
    }

    private static func length(_ word: String, _ side: Double?, _ ends: [String]) -> Double? {
        let fraction: Double
        switch word {
        case ends[0]: return 0
        case ends[1]: fraction = 1
        case "center": fraction = 0.5
        default:
            let (isNegative, magnitude) = (word.hasPrefix("-"), word.drop { $0 == "-" })
            switch SVGLength(String(magnitude)) {
            case .pixels(let pixels): return isNegative ? -pixels : pixels
            case .fraction(let share): fraction = isNegative ? -share : share
            // Zero is no length of a side.
            case nil: return Double(magnitude.prefix { "0.".contains($0) })
            }
        }
        return side.map { $0 * fraction }
    }
}

extension SVGLength {
    /// `nil` for a fraction.
    fileprivate var pixels: Double? {
        if case .pixels(let pixels) = self { pixels } else { nil }
    }
}
