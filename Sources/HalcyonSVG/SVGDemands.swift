internal import FoundationEssentials
internal import Glibc
internal import HalcyonCodecs
internal import HalcyonRaster

/// What librsvg would take to draw a document, in memory and time, so that what it has no bound for is refused, and
/// values that end its process, or none, are changed as browsers read them.
///
/// All of this is about as it is: attributes and style sheets are looked at, shapes are not measured.
struct SVGDemands {
    /// What an element takes with all that is in it, and that it refers to.
    private struct Sum {
        /// Nanoseconds a pixel: by themselves, by the scale of what is drawn and its square, and by the side of the
        /// drawing and its square; then the number of elements, and nanoseconds in all.
        var work = SIMD8<Float>(repeating: 0)
        /// Surfaces of the size of the drawing that are there at a time.
        var surfaces: Float = 0
        /// The longest path to what is inside.
        var height: Int32 = 0
        /// Logarithms of the largest factor of fonts, of the scale, and of the scale of a text.
        var font: Float = 0
        var scale: Float = 0
        var textScale: Float = -.infinity
        /// The pixels of patterns that are there at a time, in units of the drawing.
        var tileArea: Float = 0
        /// The same of a pattern, in units of the box of the shape that refers to it.
        var relativeTileArea: Float = 0
        /// The area of the greatest box of a shape, which a pattern that it inherits is drawn for.
        var boxArea: Float = 0
        /// The bytes of surfaces of embedded drawings.
        var byteCount: Double = 0

        mutating func add(_ inner: Sum, times count: Float = 1) {
            work += inner.work * count
            surfaces = max(surfaces, inner.surfaces)
            height = max(height, inner.height + 1)
            font = max(font, inner.font)
            scale = max(scale, inner.scale)
            textScale = max(textScale, inner.textScale)
            tileArea = max(tileArea, inner.tileArea)
            relativeTileArea = max(relativeTileArea, inner.relativeTileArea)
            boxArea = max(boxArea, inner.boxArea)
            byteCount = max(byteCount, inner.byteCount)
        }
    }

    /// What the properties of an element ask for.
    private struct Properties {
        var surfaces: Float = 0
        var work: Float = 0
        var references: [String] = []
        var markers: [String] = []
        var filters: [String] = []
        var filterFunctionCount: Float = 0
        var font: Float = 0
        var scale: Float = 0
        /// The largest font that is stated in pixels.
        var fontSize: Float = 0
        /// The sides and radii of a shape that style states, and the space between letters.
        var lengths: [StatedLength] = []

        var isEmpty: Bool {
            surfaces == 0 && references.isEmpty && markers.isEmpty && filters.isEmpty && filterFunctionCount == 0
                && font == 0 && scale == 0 && fontSize == 0 && lengths.isEmpty
        }

        mutating func add(_ other: Properties) {
            surfaces += other.surfaces
            work += other.work
            references += other.references
            markers += other.markers
            filters += other.filters
            filterFunctionCount += other.filterFunctionCount
            font += other.font
            scale += other.scale
            fontSize = max(fontSize, other.fontSize)
            lengths += other.lengths
        }
    }

    /// librsvg's stack grows by some kilobytes with each element inside of another, or that it refers to.
    private static let maximumHeight = 256
    private static let maximumElementCount: Float = 1_000_000
    /// Ten seconds, with some left for the shapes themselves.
    private static let maximumWork: Float = 8e9
    /// How large fonts are drawn at most, in pixels: as in Chromium.
    static let maximumFontSize = 10_000.0
    private static let maximumFontFactor = 100.0
    private static let maximumTextScale: Float = 60_000

    private var total: Sum
    /// The sides of what the root element shows.
    private let viewBox: (width: Double, height: Double)?

    /// Looks through a document, and changes what would end the process.
    init(_ markup: inout SVGMarkup) throws(CodecError) {
        SVGValueBounds.apply(to: &markup)
        var survey = Survey(markup)
        let stylingWork = survey.stylingWork
        guard stylingWork <= Self.maximumWork else {
            throw .unsupported(.svg, reason: "style sheets that take too long for so many elements")
        }
        var total = try survey.visit(0, depth: 0)
        total.work[6] += stylingWork
        let factor = exp(Double(total.font))
        if factor > Self.maximumFontFactor {
            SVGValueBounds.limitRelativeFonts(of: &markup, exponent: log(Self.maximumFontFactor) / log(factor))
            total.font = Float(log(Self.maximumFontFactor))
        }
        guard total.work[5] <= Self.maximumElementCount else {
            throw .unsupported(.svg, reason: "references that repeat elements more than 1,000,000 times")
        }
        self.total = total
        elementCount = markup.elements.count
        let box = markup.value("viewBox", of: markup.elements[0]).flatMap(SVGLength.numbers) ?? []
        viewBox = box.count == 4 && box[2] > 0 && box[3] > 0 ? (box[2], box[3]) : nil
    }

    /// A Boolean value that indicates whether a drawing is measured in as much time as a file is read.
    var areSmall: Bool { elementCount <= 5_000 && total.work[5] <= 5_000 && total.work[6] <= 3e7 }
    private let elementCount: Int

    /// Adds what a drawing takes that is inside of this one.
    ///
    /// - Parameter pixels: Its own size, in which librsvg draws it before it is scaled.
    mutating func add(_ inner: SVGDemands, _ pixels: PixelSize) {
        let scale = Double(
            inner.viewBox.map { max(Double(pixels.width) / $0.width, Double(pixels.height) / $0.height) } ?? 1
        )
        let tileByteCount = 4 * Double(inner.total.tileArea) * scale * scale
        let surfaceByteCount = Double(pixels.bitmapByteCount) * Double(max(1, inner.total.surfaces + 1))
        total.add(inner.total)
        total.byteCount = max(total.byteCount, inner.total.byteCount + surfaceByteCount + tileByteCount)
    }

    /// Checks what the drawing takes in a size.
    ///
    /// - Parameters:
    ///   - size: As the document states it.
    ///   - pixels: As it is drawn.
    func check(_ size: SVGSize, in pixels: PixelSize, limits: DecodeLimits) throws(CodecError) {
        // Without layers, what cairo takes for itself.
        let count = max(3, Double(total.surfaces) + 1)
        let box = viewBox ?? (size.width, size.height)
        let rootScale = Float(max(Double(pixels.width) / box.width, Double(pixels.height) / box.height))
        var byteCount = Double(pixels.bitmapByteCount) * count + total.byteCount
        if total.tileArea > 0 { byteCount += 4 * Double(total.tileArea) * Double(rootScale) * Double(rootScale) }
        try limits.checkMemory(byteCount < 1e18 ? Int(byteCount) : .max, of: .svg)
        guard total.textScale == -.infinity || rootScale * exp(total.textScale) <= Self.maximumTextScale else {
            throw .unsupported(.svg, reason: "text of a size beyond all bounds")
        }
        let (scale, side) = (rootScale * exp(total.scale), Float(max(pixels.width, pixels.height)))
        let weights = SIMD8<Float>(1, scale, scale * scale, side, side * side, 0, 0, 0)
        var work: Float = 0
        for index in 0..<5 where total.work[index] > 0 {
            work += total.work[index] * weights[index]
        }
        guard work * Float(pixels.area) + total.work[6] <= Self.maximumWork else {
            throw .unsupported(.svg, reason: "filters and groups that take too long in this size")
        }
    }

    /// A length by the name of its attribute or property, without its sign.
    private struct StatedLength {
        let name: String
        let length: SVGLength
        /// A Boolean value that indicates whether it is in units of a font, of which ``length`` has the initial one.
        let isOfFont: Bool

        init?(_ name: String, _ text: String) {
            guard let length = SVGLength(String(text.drop { $0.isWhitespace || "+-".contains($0) })) else { return nil }
            self.name = name
            self.length = length
            isOfFont = ["em", "ex", "ch"].contains(SVGMarkup.trimmed(text).suffix(2).lowercased())
        }
    }

    /// No less than any text of a document has, in pixels.
    private struct TextBounds {
        var fontSize = 16.0
        /// What is between two letters.
        var spacing = 0.0
        /// How far a letter is from the origin.
        var offset = SIMD2(0.0, 0.0)
    }

    /// A walk over the elements of a document in the order in which they are drawn.
    private struct Survey {
        private let markup: SVGMarkup
        private var identifiers: [String: Int] = [:]
        /// What each element takes; `nil` while it is not known.
        private var sums: [Sum?]
        private var isOpen: [Bool]
        /// The first child of each element, and what follows it, or -1.
        private var firstChildren: [Int32]
        private var followers: [Int32]
        private let sheet: StyleSheet
        private let keepsSpaces: Bool
        /// The longer side of what the root element shows.
        private let side: Double
        private var filterCount: Float = 0
        /// Whether there are any patterns, for which shapes are measured.
        private var hasPatterns = false
        /// The size and units of each pattern that has been looked at, with those of the patterns that it refers to.
        private var patterns: [Int: [String: String]] = [:]
        private lazy var textBounds = boundsOfTexts()

        init(_ markup: SVGMarkup) {
            self.markup = markup
            let count = markup.elements.count
            sums = Array(repeating: nil, count: count)
            isOpen = Array(repeating: false, count: count)
            firstChildren = Array(repeating: -1, count: count)
            followers = firstChildren
            sheet = StyleSheet(markup)
            let box = markup.value("viewBox", of: markup.elements[0]).flatMap(SVGLength.numbers) ?? []
            side = box.count == 4 ? max(box[2], box[3]) : 1_000
            keepsSpaces = markup.bytes.count > 8 << 20 || markup.holds(anyOf: ["preserve", "white-space"])
            for index in markup.elements.indices.reversed() {
                let element = markup.elements[index]
                hasPatterns = hasPatterns || element.name == "pattern"
                if let parent = element.parent {
                    followers[index] = firstChildren[parent]
                    firstChildren[parent] = Int32(index)
                }
                if let identifier = markup.value("id", of: element) {
                    identifiers[SVGValueBounds.withoutReferences(identifier)] = index
                }
            }
        }

        /// The nanoseconds that finding the rules for all elements takes: librsvg asks each selector of each element, walks
        /// over the siblings of those that have a selector's name, class or identifier, and of their ancestors where it
        /// walks over those as well, and searches classes and the values of attributes.
        var stylingWork: Float {
            let selectors = sheet.selectors
            guard selectors.count > 0 else { return 0 }
            var (siblings, ancestors, classes) = (0.0, 0.0, 0.0)
            var counts = [Int](repeating: 0, count: sums.count)
            for element in markup.elements { if let parent = element.parent { counts[parent] += 1 } }
            // Of each element and of what it is in.
            var (depths, families) = ([Int](repeating: 0, count: sums.count), [Int](repeating: 0, count: sums.count))
            for element in markup.elements {
                classes += Double(markup.byteCount(of: "class", in: element))
                guard let parent = element.parent else { continue }
                depths[element.index] = depths[parent] + 1
                families[element.index] = families[parent] + counts[parent]
                ancestors += Double(depths[element.index])
                guard selectors.walksSiblings else { continue }
                let steps = StyleSheet.names(of: element, markup).reduce(selectors.siblingSteps["", default: 0]) {
                    $0 + selectors.siblingSteps[$1, default: 0]
                }
                let isDeep = selectors.ancestorStepCount > 0
                siblings += Double(isDeep ? families[element.index] : counts[parent]) * Double(steps)
            }
            return Float(
                40 * Double(selectors.count) * Double(sums.count) + 5 * siblings
                    + 5 * Double(selectors.ancestorStepCount) * ancestors + 2 * Double(selectors.count) * classes
                    + Double(selectors.attributeCount) * Double(markup.bytes.count)
            )
        }

        /// What is drawn only where it is referred to.
        private static let definitions: Set<String> = [
            "defs", "symbol", "pattern", "mask", "clipPath", "marker", "filter", "linearGradient", "radialGradient",
        ]

        mutating func visit(_ index: Int, depth: Int) throws(CodecError) -> Sum {
            // librsvg ends at what refers to itself.
            guard !isOpen[index] else { return Sum() }
            if let sum = sums[index] {
                try check(depth + Int(sum.height))
                return sum
            }
            try check(depth)
            isOpen[index] = true
            defer { isOpen[index] = false }
            let element = markup.elements[index]
            var sum = Sum()
            sum.work[5] = 1
            guard !isHidden(element) else {
                sums[index] = sum
                return sum
            }
            let own = properties(of: element)
            if element.name == "text" {
                sum.textScale = 0
                sum.work[6] = markup.content(of: element).map(textWork) ?? 0
            }
            for name in ["d", "points"] { sum.work[6] += 50 * Float(markup.byteCount(of: name, in: element)) }
            if hasPatterns { sum.boxArea = Float(boxArea(of: element, own)) }
            try addInner(of: element, to: &sum, depth: depth)
            // Those of what the element is painted with are not its own, and what a pattern refers to is no paint.
            let area = max(sum.boxArea, Float(side * side))
            if element.name == "pattern" { sum.relativeTileArea = 0 }
            try addReferences(of: element, own, to: &sum, depth: depth)
            sum.surfaces += own.surfaces
            sum.work[0] += own.work
            try addFilters(own, to: &sum, depth: depth)
            sum.font += own.font
            sum.scale += own.scale
            sum.textScale += own.scale
            if sum.relativeTileArea > 0 {
                sum.tileArea = max(sum.tileArea, sum.relativeTileArea * area)
                sum.relativeTileArea = 0
            }
            if sum.tileArea > 0 { sum.tileArea *= exp(2 * own.scale) }
            if sum.boxArea > 0 { sum.boxArea *= exp(2 * own.scale) }
            // Its own transformation is in its tile.
            if element.name == "pattern" { addTile(of: element, to: &sum) }
            sums[index] = sum
            return sum
        }

        /// Returns whether an element is never drawn, which is taken to be so only where no style sheet could change it.
        private func isHidden(_ element: SVGMarkup.Element) -> Bool {
            guard !sheet.statesDisplay, !Self.definitions.contains(element.name), !element.name.hasPrefix("fe") else {
                return false
            }
            var values: [String] = []
            if let style = markup.value("style", of: element) {
                values = SVGValueBounds.declarations(style).compactMap { $0.name == "display" ? $0.value : nil }
            }
            if values.isEmpty, let value = markup.value("display", of: element) { values = [value] }
            return !values.isEmpty && values.allSatisfy { $0 == "none" }
        }

        /// Adds the surface of a pattern.
        private mutating func addTile(of element: SVGMarkup.Element, to sum: inout Sum) {
            let links = markup.references(of: element).lazy.map(SVGValueBounds.withoutReferences)
            let link = links.first { $0.hasPrefix("#") }.flatMap { identifiers[String($0.dropFirst())] }
            // Without those of a pattern that refers to this one in turn.
            var values = link.flatMap { patterns[$0] } ?? [:]
            for name in ["patternUnits", "width", "height"] {
                if let value = markup.value(name, of: element) { values[name] = value }
            }
            patterns[element.index] = values
            let isRelative = values["patternUnits"].map(SVGMarkup.trimmed) != "userSpaceOnUse"
            let sides = ["width", "height"].map { name -> Double in
                let text = values[name].map(SVGValueBounds.withoutReferences)
                guard let stated = text.flatMap({ StatedLength(name, $0) }) else { return 0 }
                if isRelative, case .fraction(let fraction) = stated.length { return fraction }
                return pixels(stated)
            }
            let transforms = ["transform", "patternTransform"].compactMap { markup.value($0, of: element) }
            let scale = transforms.reduce(1) { $0 * SVGValueBounds.scale(of: SVGValueBounds.plain($1)) }
            let area = Float(sides[0] * sides[1] * scale * scale)
            sum.relativeTileArea = isRelative ? area : 0
            if !isRelative { sum.tileArea += area }
        }

        /// Returns an area that the box of a shape itself does not exceed, 0 for what is no shape.
        private mutating func boxArea(of element: SVGMarkup.Element, _ own: Properties) -> Double {
            func value(_ name: String) -> String? {
                markup.value(name, of: element).map(SVGValueBounds.withoutReferences)
            }
            func magnitude(_ names: String...) -> Double {
                let stated = names.compactMap { name in value(name).flatMap { StatedLength(name, $0) } }
                let styled = own.lengths.filter { names.contains($0.name) }
                return (stated + styled).map { pixels($0) }.max() ?? 0
            }
            switch element.name {
            case "path": return SVGPathBox(value("d") ?? "").area
            case "polygon", "polyline": return SVGPathBox("M\(value("points") ?? "")").area
            case "line": return (magnitude("x1") + magnitude("x2")) * (magnitude("y1") + magnitude("y2"))
            case "rect": return magnitude("width") * magnitude("height")
            case "circle": return 4 * magnitude("r") * magnitude("r")
            case "ellipse": return 4 * magnitude("rx", "ry") * magnitude("rx", "ry")
            case "text", "tspan":
                let bounds = textBounds
                let length = (bounds.fontSize + bounds.spacing) * Double(markup.content(of: element)?.utf8.count ?? 0)
                // Along either axis.
                let upright = (bounds.fontSize + bounds.offset.x) * (length + bounds.offset.y)
                return max(upright, (length + bounds.offset.x) * (bounds.fontSize + bounds.offset.y))
            default: return 0
            }
        }

        private func boundsOfTexts() -> TextBounds {
            var bounds = TextBounds()
            // Logarithms of what fonts are enlarged by, in each element and by all that repeat others.
            var factors: [Float] = []
            var (factor, repeated) = (Float(0), Float(0))
            for element in markup.elements {
                let properties = statedProperties(of: element)
                factors.append(properties.font + (element.parent.map { factors[$0] } ?? 0))
                factor = max(factor, factors[element.index])
                if element.name == "use" { repeated += factors[element.index] }
                bounds.fontSize = max(bounds.fontSize, Double(properties.fontSize))
                for stated in properties.lengths where stated.name == "letter-spacing" {
                    bounds.spacing = max(bounds.spacing, pixels(stated.length))
                }
            }
            let scale = min(exp(Double(factor + repeated)), SVGDemands.maximumFontFactor)
            bounds.fontSize = min(bounds.fontSize * scale, SVGDemands.maximumFontSize)
            // In units of fonts, lengths are those of the initial size.
            let enlargement = bounds.fontSize / 16
            bounds.spacing *= enlargement
            var (place, shift) = (SIMD2(0.0, 0.0), SIMD2(0.0, 0.0))
            for element in markup.elements where ["text", "tspan"].contains(element.name) {
                for (axis, names) in [("x", "dx"), ("y", "dy")].enumerated() {
                    let places = lengths(markup.value(names.0, of: element), enlargement)
                    place[axis] = max(place[axis], places.max() ?? 0)
                    shift[axis] += lengths(markup.value(names.1, of: element), enlargement).reduce(0, +)
                }
            }
            bounds.offset = place + shift
            return bounds
        }

        /// Returns the lengths of a list in pixels, without their signs.
        ///
        /// - Parameter enlargement: How many times as large as the initial font others are.
        private func lengths(_ list: String?, _ enlargement: Double) -> [Double] {
            guard let list = list.map(SVGValueBounds.withoutReferences) else { return [] }
            return list.split { $0.isWhitespace || $0 == "," }.compactMap { text in
                StatedLength("", String(text)).map { pixels($0.length) * ($0.isOfFont ? enlargement : 1) }
            }
        }

        /// Returns the pixels of a length, no fewer than any font of the document makes of it.
        private mutating func pixels(_ stated: StatedLength) -> Double {
            pixels(stated.length) * (stated.isOfFont ? textBounds.fontSize / 16 : 1)
        }

        private func pixels(_ length: SVGLength) -> Double {
            switch length {
            case .pixels(let length): length
            case .fraction(let fraction): fraction * side
            }
        }

        /// Text is laid out in a time that grows with the square of its length.
        private func textWork(_ content: String) -> Float {
            var (work, length, isSpace) = (Float(0), Float(0), false)
            for byte in content.utf8 {
                if byte == UInt8(ascii: "<") {
                    work += length * length
                    length = 0
                } else if byte > 0x20 || !isSpace || keepsSpaces {
                    length += 1
                }
                isSpace = byte <= 0x20
            }
            return 50_000 + 21 * (work + length * length)
        }

        private func check(_ depth: Int) throws(CodecError) {
            guard depth <= SVGDemands.maximumHeight else {
                throw .unsupported(.svg, reason: "more than \(SVGDemands.maximumHeight) elements inside of each other")
            }
        }

        /// Adds what stands in an element or in its place.
        private mutating func addInner(of element: SVGMarkup.Element, to sum: inout Sum, depth: Int) throws(CodecError)
        {
            var child = firstChildren[element.index]
            while child >= 0 {
                if !Self.definitions.contains(markup.elements[Int(child)].name) {
                    sum.add(try visit(Int(child), depth: depth + 1))
                }
                child = followers[Int(child)]
            }
            guard element.name != "a" else { return }
            for link in markup.references(of: element).lazy.map(SVGValueBounds.withoutReferences)
            where link.hasPrefix("#") {
                if let target = identifiers[String(link.dropFirst())] { sum.add(try visit(target, depth: depth + 1)) }
            }
        }

        /// Adds what an element is painted with, and what is drawn at its points.
        private mutating func addReferences(
            of element: SVGMarkup.Element,
            _ own: Properties,
            to sum: inout Sum,
            depth: Int
        ) throws(CodecError) {
            for reference in own.references {
                if let target = identifiers[reference] { sum.add(try visit(target, depth: depth + 1)) }
            }
            for marker in own.markers {
                guard let target = identifiers[marker] else { continue }
                let count = element.attributes.reduce(0) {
                    ["d", "points"].contains($1.name) ? $0 + markup.value(of: $1).utf8.count / 3 : $0
                }
                sum.add(try visit(target, depth: depth + 1), times: Float(1 + count))
            }
        }

        private mutating func addFilters(_ own: Properties, to sum: inout Sum, depth: Int) throws(CodecError) {
            guard own.filterFunctionCount > 0 || !own.filters.isEmpty else { return }
            // Most filters are those of small shapes; the first may be one of the whole drawing.
            let share: Float = filterCount == 0 ? 1 : 1 / 64
            filterCount += 1
            var cost = SIMD8<Float>(repeating: 0)
            cost[0] = 4 + own.filterFunctionCount * (6 + 300 * share)
            var (results, inner) = (Float(4), Sum())
            for filter in own.filters {
                guard let target = identifiers[filter], markup.elements[target].name == "filter" else { continue }
                var child = firstChildren[target]
                while child >= 0 {
                    let primitive = markup.elements[Int(child)]
                    cost += SVGValueBounds.work(of: primitive, in: markup.elements[target], markup, share: share)
                    if markup.value("result", of: primitive) != nil { results += 1 }
                    if primitive.name == "feImage" { inner.add(try visit(Int(child), depth: depth + 2)) }
                    child = followers[Int(child)]
                }
            }
            sum.work += cost + inner.work
            sum.height = max(sum.height, inner.height + 1)
            sum.textScale = max(sum.textScale, inner.textScale)
            sum.surfaces = max(sum.surfaces + 1, results + inner.surfaces)
        }

        private mutating func properties(of element: SVGMarkup.Element) -> Properties {
            var properties = statedProperties(of: element)
            if element.parent != nil, let scale = viewBoxScale(of: element) {
                properties.scale += scale
            }
            return properties
        }

        /// Returns the properties that attributes and style sheets name.
        private func statedProperties(of element: SVGMarkup.Element) -> Properties {
            var properties = Properties()
            for attribute in element.attributes {
                if attribute.name == "style" {
                    for (name, value) in SVGValueBounds.declarations(markup.normalizedValue(of: attribute)) {
                        Survey.add(name, value, to: &properties)
                    }
                } else if SVGValueBounds.names.contains(attribute.name) {
                    let value = SVGValueBounds.plain(markup.normalizedValue(of: attribute))
                    Survey.add(attribute.name, value, to: &properties)
                }
            }
            sheet.add(to: &properties, of: element, markup)
            return properties
        }

        /// Returns the logarithm of how much an element with a view box enlarges what is in it.
        private mutating func viewBoxScale(of element: SVGMarkup.Element) -> Float? {
            guard let box = markup.value("viewBox", of: element).flatMap(SVGLength.numbers), box.count == 4,
                box[2] > 0, box[3] > 0
            else { return nil }
            let sides = ["width", "height", "markerWidth", "markerHeight"].compactMap { side in
                markup.value(side, of: element).flatMap { StatedLength(side, $0) }
            }
            let lengths = sides.map { if case .pixels = $0.length { pixels($0) } else { 1_000.0 } }
            return Float(log(max(1, (lengths.max() ?? 1_000) / min(box[2], box[3]))))
        }

        static func add(_ name: String, _ value: String, to properties: inout Properties) {
            let references = SVGValueBounds.references(in: value)
            // Without "!important".
            let plainValue = SVGMarkup.trimmed(value.prefix { $0 != "!" })
            switch name {
            case "opacity":
                if SVGLength.numbers(plainValue).map({ $0.first ?? 1 >= 1 }) != true {
                    (properties.surfaces, properties.work) = (properties.surfaces + 1, properties.work + 2)
                }
            case "mix-blend-mode" where plainValue != "normal", "isolation" where plainValue != "auto":
                (properties.surfaces, properties.work) = (properties.surfaces + 1, properties.work + 12)
            case "mask" where !references.isEmpty:
                (properties.surfaces, properties.work) = (properties.surfaces + 2, properties.work + 17)
                properties.references += references
            case "clip-path" where !references.isEmpty:
                (properties.surfaces, properties.work) = (properties.surfaces + 1, properties.work + 2)
                properties.references += references
            case "fill", "stroke": properties.references += references
            case "marker", "marker-start", "marker-mid", "marker-end": properties.markers += references
            case "filter":
                properties.filters += references
                properties.filterFunctionCount += Float(value.utf8.count { $0 == UInt8(ascii: "(") } - references.count)
            case "font-size", "font":
                properties.font += Float(log(SVGValueBounds.relativeFontSize(in: value)))
                // In the shorthand, a number without a unit is a weight.
                let words = name == "font" ? value.split { $0.isWhitespace || $0 == "/" } : [plainValue[...]]
                for word in words where name == "font-size" || word.last?.isNumber == false {
                    guard case .pixels(let size) = SVGLength(String(word)) else { continue }
                    properties.fontSize = max(properties.fontSize, Float(size))
                }
            case "width", "height", "r", "rx", "ry", "letter-spacing":
                if let length = StatedLength(name, plainValue) { properties.lengths.append(length) }
            case "transform", "patternTransform": properties.scale += Float(log(SVGValueBounds.scale(of: value)))
            default: break
            }
        }
    }

    /// The rules of style sheets that ask for something, by the names, classes and identifiers of what they may be for.
    private struct StyleSheet {
        private var rules: [Substring: Properties] = [:]
        private var universal = Properties()
        /// A Boolean value that indicates whether there is a rule that may show or hide something.
        private(set) var statesDisplay = false
        private(set) var selectors = Selectors()

        /// Numbers of selectors, of what they say of siblings and ancestors, and of values of attributes that they state.
        struct Selectors {
            var count = 0
            /// By the names, classes and identifiers of the elements that are asked; "" for any.
            var siblingSteps: [Substring: Int] = [:]
            var ancestorStepCount = 0
            var attributeCount = 0

            var walksSiblings: Bool { !siblingSteps.isEmpty }

            mutating func add(_ selector: Substring) {
                count += 1
                let text = SVGMarkup.trimmed(String(selector))
                let bytes = Array(text.utf8)
                var steps = 0
                for (index, byte) in bytes.enumerated() {
                    switch byte {
                    // Not that of [class~=a].
                    case UInt8(ascii: "~") where !bytes[index...].starts(with: "~=".utf8): steps += 1
                    case UInt8(ascii: " "), UInt8(ascii: ">"): ancestorStepCount += 1
                    case UInt8(ascii: "["): attributeCount += 1
                    case UInt8(ascii: ":") where bytes[index...].starts(with: ":nth-".utf8): steps += 1
                    case UInt8(ascii: "-")
                    where bytes[index...].starts(with: "-of-type".utf8) && !text.contains(":nth-"):
                        steps += 1
                    default: break
                    }
                }
                if steps > 0 { siblingSteps[StyleSheet.name(in: selector)?[...] ?? "", default: 0] += steps }
            }
        }

        init(_ markup: SVGMarkup) {
            for element in markup.elements where element.name == "style" {
                guard let text = markup.sheet(of: element) else { continue }
                let sheet = SVGValueBounds.plain(text)
                statesDisplay = statesDisplay || sheet.lowercased().contains("display")
                var rest = sheet[...]
                while !rest.isEmpty {
                    rest = rest.drop { $0.isWhitespace || $0 == "}" }
                    if rest.first == "@" {
                        rest = Self.withoutAtRule(rest)
                    } else {
                        let end = rest.firstIndex(of: "}") ?? rest.endIndex
                        add(rest[..<end])
                        rest = rest[end...]
                    }
                }
            }
        }

        /// Returns what follows a rule such as `@media`, all of which librsvg passes over.
        private static func withoutAtRule(_ text: Substring) -> Substring {
            guard let start = text.firstIndex(where: { $0 == ";" || $0 == "{" }) else { return "" }
            var (rest, depth) = (text[start...], 0)
            while let character = rest.popFirst() {
                if character == "{" { depth += 1 }
                if character == "}" { depth -= 1 }
                if depth == 0 { break }
            }
            return rest
        }

        /// Pseudo-classes that librsvg knows no states for: a rule with one does not apply.
        private static let interactions: Set<Substring> = [
            "hover", "focus", "active", "visited", "focus-visible", "focus-within", "target",
        ]

        private static func isNeverApplied(_ selector: Substring) -> Bool {
            guard !selector.contains(where: { "([\"'".contains($0) }) else { return false }
            return selector.split(separator: ":").dropFirst().contains { part in
                interactions.contains(part.prefix { $0.isLetter || $0 == "-" })
            }
        }

        private mutating func add(_ rule: Substring) {
            guard let open = rule.lastIndex(of: "{") else { return }
            let selectors = (rule[..<open].split(separator: "{").last ?? "").split(separator: ",")
            for selector in selectors { self.selectors.add(selector) }
            var properties = Properties()
            for (name, value) in SVGValueBounds.declarations(String(rule[rule.index(after: open)...])) {
                Survey.add(name, value, to: &properties)
            }
            guard !properties.isEmpty else { return }
            for selector in selectors where !Self.isNeverApplied(selector) {
                if let name = Self.name(in: selector) {
                    rules[name[...], default: Properties()].add(properties)
                } else {
                    universal.add(properties)
                }
            }
        }

        /// Returns a name that an element has to have for a selector to match it; `nil` where it may have any. What
        /// else the selector asks for is taken to hold.
        private static func name(in selector: Substring) -> String? {
            var parts = selector.split(separator: "[", omittingEmptySubsequences: false)
            for index in parts.indices.dropFirst() {
                parts[index] = parts[index].drop { $0 != "]" }.dropFirst()
            }
            let isCombinator = { (character: Character) in character.isWhitespace || ">+~".contains(character) }
            // An attribute is as good as a pseudo-class.
            let plain = SVGMarkup.trimmed(parts.joined(separator: ":"))
            let function = plain.drop { $0 != "(" && $0 != ")" }
            guard !function.hasPrefix(")"), !function.contains(where: isCombinator) else { return nil }
            let subject = plain.dropLast(function.count).split(whereSeparator: isCombinator).last ?? ""
            let names = subject.prefix { $0 != ":" }.split { ".#*|".contains($0) }
            return names.last.map(SVGValueBounds.unescaped)
        }

        func add(to properties: inout Properties, of element: SVGMarkup.Element, _ markup: SVGMarkup) {
            if !universal.isEmpty { properties.add(universal) }
            guard !rules.isEmpty else { return }
            for name in Self.names(of: element, markup) {
                if let rule = rules[name] { properties.add(rule) }
            }
        }

        /// Returns what a selector may name an element by: its name, its identifier and its classes.
        static func names(of element: SVGMarkup.Element, _ markup: SVGMarkup) -> [Substring] {
            let values = ["id", "class"].compactMap { markup.value($0, of: element) }
            return [element.name[...]]
                + values.flatMap { SVGValueBounds.withoutReferences($0).split(whereSeparator: \.isWhitespace) }
        }
    }
}
