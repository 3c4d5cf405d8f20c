internal import HalcyonCodecs
internal import HalcyonFormats

extension KnownDifference {
    /// The drawings that librsvg draws in another way than the browsers that the suite follows. None is ours to mend:
    /// the sizes of drawings and the way of their pixels are checked by other drawings.
    ///
    /// Each is named, with its distance from the suite's own pixels as librsvg 2.54 (Debian 12) and 2.60 (Debian 13)
    /// draw it, so that neither another file is excused nor another defect of the same one. Where both draw the same,
    /// there is one row.
    static let drawings = filters + structure + paint + text + undefined

    /// The version of librsvg that draws as browsers do what 2.54 does not; those between were not tried.
    private static let mended = CodecLibrary.Version(2, 60)

    private static let filters = [
        drawing(
            "filters/enable-background/new-with-invalid-region-2",
            42.8,
            "enable-background is not followed: everything drawn before is the background of a filter"
        ),
        drawing(
            "filters/enable-background/stop-on-the-first-new-1",
            54.1,
            "enable-background is not followed: everything drawn before is the background of a filter"
        ),
        drawing(
            "filters/feComponentTransfer/mixed-types",
            22.5,
            "an alpha above 1 multiplies the colours before it is cut off"
        ),
        drawing("filters/feConvolveMatrix/divisor_0", 81.0, "a divisor of 0 does not disable the filter"),
        drawing(
            "filters/feDropShadow/with-offset-clipped",
            87.6,
            "feDropShadow is not known",
            .before(.rsvg, mended)
        ),
        drawing(
            "filters/feGaussianBlur/empty-stdDeviation",
            122.5,
            "what a filter with an attribute without a value is applied to is not drawn"
        ),
        drawing("filters/feImage/link-to-use", 84.8, "a use element as the image of feImage is not drawn"),
        drawing(
            "filters/fePointLight/complex-transform",
            75.5,
            "the region of a filter that is skewed is the upright rectangle around it"
        ),
        drawing(
            "filters/feSpecularLighting/specularExponent_0",
            210.1,
            "an exponent below 1 does not disable the lighting",
            .before(.rsvg, mended)
        ),
        drawing(
            "filters/feSpecularLighting/specularExponent_0",
            184.9,
            "an exponent below 1 does not disable the lighting",
            .from(.rsvg, mended)
        ),
        drawing(
            "filters/feSpecularLighting/with-feSpotLight",
            33.6,
            "the light of a spot has no soft edge",
            .before(.rsvg, mended)
        ),
        drawing("filters/filter-functions/hue-rotate-function-0.25turn", 43.4, "an angle in turns is invalid"),
        drawing(
            "filters/filter/on-group-with-child-outside-of-canvas",
            87.7,
            "an element as the image of feImage is placed where it stands, not in the region of the filter"
        ),
    ]

    private static let structure = [
        drawing(
            "structure/image/no-height-non-square",
            78.2,
            "a side that an image leaves open has as many units as the image has pixels"
        ),
        drawing("structure/symbol/opacity-on-use-and-symbol", 28.6, "a symbol's own opacity is not followed"),
        drawing(
            "structure/symbol/with-transform-on-use",
            68.8,
            "a symbol is not cut off at the size that its use states",
            .before(.rsvg, mended)
        ),
        drawing("structure/systemLanguage/ru-Ru", 114.1, "systemLanguage is followed in a switch alone"),
        drawing(
            "structure/transform-origin/on-pattern-user-space-on-use",
            76.1,
            "transform-origin is not followed"
        ),
        drawing("structure/transform-origin/right", 34.3, "transform-origin is not followed"),
    ]

    private static let paint = [
        drawing(
            "masking/clipPath/recursive-on-child",
            42.4,
            "of two clip paths that refer to each other, none is cut by the other"
        ),
        drawing(
            "paint-servers/radialGradient/self-recursive-xlink-href",
            120.4,
            "a gradient that refers to itself paints nothing"
        ),
    ]

    /// Their distances depend on the fonts that are installed too: 0 without any, at most that of a word beside itself.
    private static let text = [
        text("painting/display/none-on-tref", "a tref element, which SVG 2 has taken out, has no place of its own"),
        text("structure/a/inside-text", "it has the fonts that are installed, not the suite's"),
        text("structure/systemLanguage/on-tspan", "it has the fonts that are installed, not the suite's"),
    ]

    /// The suite calls the result undefined.
    private static let undefined = [
        drawing(
            "filters/filter/in_FillPaint-on-g-without-children",
            67.9,
            "the suite's pixels are the letters UB, for undefined behavior",
            cause: .list
        ),
        drawing(
            "masking/mask/recursive-on-child",
            42.5,
            "the suite's pixels are the letters UB, for undefined behavior",
            .before(.rsvg, mended),
            cause: .list
        ),
    ]

    /// The greatest difference of the distance stated here from that of the same version of librsvg elsewhere: edges
    /// depend on the version of cairo.
    private static let distanceTolerance = 1.0

    /// - Parameter distance: The root of the mean square difference from the suite's own pixels, from 0 to 255.
    private static func drawing(
        _ name: String,
        _ distance: Double,
        _ reason: String,
        _ versions: Versions? = nil,
        cause: Cause = .limit
    ) -> KnownDifference {
        drawing(name, distance - distanceTolerance...distance + distanceTolerance, reason, versions, cause: cause)
    }

    /// A drawing of a word of four letters.
    private static func text(_ name: String, _ reason: String) -> KnownDifference {
        drawing(name, 0...40, reason, nil, cause: .limit)
    }

    private static func drawing(
        _ name: String,
        _ distances: ClosedRange<Double>,
        _ reason: String,
        _ versions: Versions?,
        cause: Cause
    ) -> KnownDifference {
        KnownDifference(
            cause: cause,
            versions: versions,
            reason: versions == nil && cause == .limit ? "librsvg: \(reason)" : reason
        ) { failure in
            failure.row.path == "svg_resvg/\(name).svg" && failure.reason.hasPrefix("its means are ")
                && failure.distance.map(distances.contains) ?? false
        }
    }
}
