internal import HalcyonCodecs
internal import HalcyonFiles

extension KnownDifference {
    /// The drawings that librsvg draws in another way than the browsers that the suite follows. None is ours to mend:
    /// the sizes of drawings and the way of their pixels are checked by other drawings.
    static let drawings = filters + lights + structure + paint

    private static let filters = [
        drawing("the background of filters, which SVG 2 has taken out, is not there") {
            $0.contains("enable-background") || $0.contains("BackgroundImage") || $0.contains("BackgroundAlpha")
        },
        drawing("the region of a filter that is turned or skewed is the upright rectangle around it") { text in
            text.contains("<filter") && ["rotate(", "skewX(", "skewY(", "matrix("].contains { text.contains($0) }
        },
        drawing("fills and strokes as inputs of filters are empty, or as large as the filter") {
            $0.contains("FillPaint") || $0.contains("StrokePaint")
        },
        drawing("an input that no other primitive is the result of makes a filter invalid") { text in
            values(of: "in", in: text).contains { input in
                !standardInputs.contains(input) && !text.contains("result=\"\(input)\"")
            }
        },
        drawing("an element is drawn although its filter is not there") { text in
            values(of: "filter", in: text).contains { link in
                link.hasPrefix("url(#")
                    && !elements("filter", in: text).contains {
                        $0.contains(" id=\"\(link.dropFirst(5).prefix { $0 != ")" })\"")
                    }
            }
        },
        drawing("a divisor of 0 counts as 1, and an order that is not whole makes a filter invalid") {
            $0.contains("feConvolveMatrix")
        },
        drawing("colours of nearly transparent pixels are transferred in another way") {
            $0.contains("feComponentTransfer")
        },
        drawing("a matrix of too few values makes a filter invalid, and a saturation above 1 is followed") { text in
            text.contains("feColorMatrix")
                && (!text.contains("values=")
                    || values(of: "values", in: text).contains {
                        let numbers = numbers(in: $0)
                        return ![1, 20].contains(numbers.count) || numbers.count == 1 && numbers[0] > 1
                    })
        },
        drawing("an empty deviation makes a filter invalid", before: mended) { text in
            values(of: "stdDeviation", in: text).contains { numbers(in: $0).isEmpty }
        },
        drawing("a negative deviation, or a third one, makes a filter invalid") { text in
            values(of: "stdDeviation", in: text).contains {
                let numbers = numbers(in: $0)
                return numbers.count > 2 || numbers.contains { $0 < 0 }
            }
        },
        drawing("a radius that is empty, negative, very large, or 0 in one direction counts in another way") { text in
            values(of: "radius", in: text).contains {
                let numbers = numbers(in: $0)
                return ![1, 2].contains(numbers.count) || numbers.contains { $0 <= 0 || $0 > 100 }
            }
        },
        drawing("an element as the image of feImage has another place") { $0.contains("feImage") },
        drawing("contrast and inversion are those of linear light") {
            $0.contains("contrast(") || $0.contains("invert(")
        },
        drawing("angles in turns are not read", before: mended) { $0.contains("hue-rotate(") && $0.contains("turn)") },
        drawing("angles without a unit are read") { $0.contains("hue-rotate(") && !$0.contains("turn)") },
    ]

    private static let lights = [
        drawing("a specular exponent below 1 is taken as it is") { text in
            values(of: "specularExponent", in: text).contains { numbers(in: $0).contains { $0 < 1 } }
        },
        drawing("a negative constant of lighting makes a filter invalid") { text in
            (values(of: "diffuseConstant", in: text) + values(of: "specularConstant", in: text)).contains {
                numbers(in: $0).contains { $0 < 0 }
            }
        },
        drawing("light of a spot has no soft edge", before: mended) { $0.contains("feSpotLight") },
        drawing("light follows transformations in another way") {
            $0.contains("fePointLight") && $0.contains("transform=")
        },
        drawing("a lighting that has not exactly one light is passed over") { text in
            let lights = ["<feDistantLight", "<fePointLight", "<feSpotLight"].map { count(of: $0, in: text) }
            return text.contains("Lighting") && lights.reduce(0, +) != 1
        },
    ]

    private static let structure = [
        drawing("the language is that of the environment") { $0.contains("systemLanguage") },
        drawing("transform-origin is not followed") { $0.contains("transform-origin") },
        drawing("tref, which SVG 2 has taken out") { $0.contains("<tref") },
        drawing("text depends on the fonts that are installed, also in drawings inside of drawings") { text in
            text.contains("<text") || embeddedDrawings(in: text).contains { $0.contains("<text") }
        },
        drawing("style sheets of any type count") { $0.contains("<style type=") && !$0.contains("text/css") },
        drawing("a symbol's own opacity is not followed") { text in
            elements("symbol", in: text).contains { $0.contains(" opacity=") }
        },
        drawing("a symbol's transformation and overflow are not followed", before: mended) { $0.contains("<symbol") },
        drawing("an svg element that is used is not as large as the use says") {
            $0.contains("<use") && count(of: "<svg", in: $0) > 1
        },
        drawing("an image is not drawn where its width or height is left out, and is not cut off where it overflows") {
            text in
            elements("image", in: text).contains {
                !$0.contains(" width=") || !$0.contains(" height=") || $0.contains("=\"auto\"")
                    || $0.contains("overflow")
            }
        },
        drawing("a mask that refers to itself is left out as a whole", before: mended) {
            $0.contains("ecursive") && $0.contains("<mask")
        },
        drawing("what refers to itself is left out as a whole") { $0.contains("ecursive") && !$0.contains("<mask") },
        drawing("a clip path's own clip path, or that of what it holds, is not followed") {
            $0.contains("<clipPath") && count(of: "clip-path=", in: $0) > 1
        },
        drawing("a clip path in units of a group has another place") {
            $0.contains("clipPathUnits=\"objectBoundingBox\"") && $0.contains("<g ")
        },
        drawing("a mask's own transformation is followed") {
            $0.contains("<mask") && $0.contains("transform")
        },
    ]

    private static let paint = [
        drawing("a pattern with a view box is fitted in another way") {
            $0.contains("<pattern") && $0.contains("preserveAspectRatio")
        },
        drawing("a gradient whose transformation cannot be undone paints nothing") {
            $0.contains("gradientTransform=\"matrix(0")
        },
        drawing("a radius of 0 paints nothing, a negative one counts as none") { text in
            text.contains("<radialGradient")
                && (values(of: "r", in: text) + values(of: "fr", in: text)).contains { numbers(in: $0).first ?? 1 <= 0 }
        },
        drawing("a focus as large as the circle paints nothing") {
            $0.contains("<radialGradient") && $0.contains(" fr=")
        },
        drawing("angles of markers with a unit are not read") { text in
            values(of: "orient", in: text).contains {
                $0.hasSuffix("turn") || $0.hasSuffix("rad") || $0.hasSuffix("deg")
            }
        },
        drawing("points that end with half of one are passed over as a whole") { text in
            values(of: "points", in: text).contains { numbers(in: $0).count % 2 == 1 }
        },
    ]

    private static let standardInputs: Set<String> = [
        "SourceGraphic", "SourceAlpha", "BackgroundImage", "BackgroundAlpha", "FillPaint", "StrokePaint", "",
    ]

    /// The version of librsvg that draws as browsers do what 2.54 does not; those between were not tried.
    private static let mended = CodecLibrary.Version(2, 60)

    /// A drawing that looks different because of something in its text: with all versions of librsvg, or with those
    /// before one.
    private static func drawing(
        _ reason: String,
        before version: CodecLibrary.Version? = nil,
        because applies: @escaping @Sendable (String) -> Bool
    ) -> KnownDifference {
        KnownDifference(
            versions: version.map { .before(.rsvg, $0) },
            reason: version == nil ? "librsvg: \(reason)" : reason
        ) { failure in
            failure.row.isVector && failure.reason.hasPrefix("its means are ") && applies(failure.text)
        }
    }

    /// The attributes of each element of this name, as they stand.
    private static func elements(_ name: String, in text: String) -> [String] {
        text.split(separator: "<\(name) ", omittingEmptySubsequences: false).dropFirst().map {
            " " + $0.prefix { $0 != ">" }
        }
    }

    /// The values of all attributes of this name.
    private static func values(of name: String, in text: String) -> [String] {
        text.split(separator: " \(name)=\"", omittingEmptySubsequences: false).dropFirst().map {
            String($0.prefix { $0 != "\"" })
        }
    }

    /// The texts of embedded documents, as far as they are in Base64 or stand there as they are.
    private static func embeddedDrawings(in text: String) -> [String] {
        (values(of: "href", in: text) + values(of: "xlink:href", in: text)).compactMap { address in
            guard address.hasPrefix("data:image/svg") else { return nil }
            let body = try? DataURLReader.permissive.body(of: Array(address.utf8))
            return body.map { String(decoding: $0, as: UTF8.self) }
        }
    }

    private static func numbers(in text: String) -> [Double] {
        text.split { " ,\n\t".contains($0) }.compactMap { Double($0) }
    }

    private static func count(of part: String, in text: String) -> Int {
        text.split(separator: part, omittingEmptySubsequences: false).count - 1
    }
}
