extension KnownDifference {
    /// Keyed by what a file has in it, so that other files of the kind are found as well, and by what goes wrong, so that
    /// nothing else of theirs is hidden.
    static let all: [KnownDifference] = pictures + drawings

    private static let pictures = [
        KnownDifference(cause: .list, reason: "its suite counts images that are shown without a delay as one frame") {
            // Which the list itself says, or shows by more durations than frames.
            $0.row.format == "gif" && $0.reason.contains(" frames instead of ")
                && ($0.row.durations.count > $0.row.frameCount ?? .max
                    || $0.row["note"].contains("images without a graphic-control delay are composed"))
        },
        KnownDifference(reason: "libjpeg finds the picture data damaged; refused, not shown with a part missing") {
            $0.row.format == "jpeg" && $0.reason.contains("Corrupt JPEG data")
        },
        KnownDifference(
            reason: "a clean aperture is not applied: libavif leaves it to us, and most of the list does not either"
        ) {
            $0.row.format == "avif" && $0.reason.hasPrefix("stored as ") && $0.contains("clap")
        },
        KnownDifference(reason: "the orientation stands in XMP only, which browsers do not follow either") {
            $0.reason.hasPrefix("orientation 1 instead of ") && $0.contains("tiff:Orientation")
                && !$0.contains("eXIf") && !$0.contains("Exif")
        },
        KnownDifference(
            cause: .list,
            reason: "the hash is of a decoder that applies tRNS to the composed frames instead of to each"
        ) {
            $0.row.format == "png" && $0.reason.hasPrefix("the pixels of its ") && $0.contains("tRNS")
        },
        KnownDifference(
            cause: .list,
            reason: "the means are of the one decoder that opens it, with a scaling of its own"
        ) {
            // Samples of 32 bits or in floating point, CMYK without a profile.
            $0.row.format == "tiff" && $0.reason.hasPrefix("its means are ")
                && $0.row["note"].contains("Pillow refuses it") && $0.row["decoder"].hasPrefix("libvips")
        },
        KnownDifference(cause: .list, reason: "the pages within a page are not counted") {
            $0.row.format == "tiff" && $0.reason.hasSuffix(" frames instead of 1")
                && $0.row["note"].contains("Pillow refuses it")
        },
        KnownDifference(cause: .list, reason: "the means are of a decoder that does not put planes of 16 bits together")
        {
            $0.row.format == "tiff" && $0.reason.hasPrefix("its means are ")
                && $0.row.path.contains("separated-planar-16")
        },
        KnownDifference(
            cause: .list,
            reason: "the means are of a decoder that forgets the padding of rows before a mask"
        ) {
            $0.row.format == "ico" && $0.reason.hasPrefix("its means are ") && $0.row["alpha"] == "binary"
                && ($0.row.size?.width ?? 0) * 3 % 4 != 0
        },
        KnownDifference(cause: .list, reason: "the means are of a decoder that ignores the mask of a pointer") {
            $0.row.format == "cur" && $0.reason.hasPrefix("its means are ") && $0.row["mean_rgba"].hasSuffix(",255.00")
        },
        KnownDifference(reason: "libjxl 0.7 refuses splines as long") {
            $0.row.format == "jxl" && $0.reason.hasPrefix("corrupt: ") && $0.row.path.contains("spline")
        },
    ]

    /// What librsvg draws in another way than the browsers that the suite follows. Nothing of it is ours to mend: how large a
    /// drawing is, and how its pixels come to us, other drawings show.
    private static let drawings = [
        drawing(with: "enable-background", "the background of filters, which SVG 2 has taken out, is not there"),
        drawing(with: "systemLanguage", "the language is that of the environment"),
        drawing(with: "transform-origin", "transform-origin is not followed"),
        drawing(with: "<tref", "tref, which SVG 2 has taken out"),
        drawing(with: "<text", "text depends on the fonts that are installed"),
        drawing(with: "feConvolveMatrix", "a divisor of 0 counts as 1"),
        drawing(with: "specularExponent", "a specular exponent below 1 is taken as it is"),
        drawing(with: "feComponentTransfer", "colours of nearly transparent pixels are transferred in another way"),
        drawing(with: "feSpotLight", "light of a spot has no soft edge"),
        drawing(with: "fePointLight", "light follows transformations in another way"),
        drawing(with: "stdDeviation=\"\"", "an empty deviation makes a filter invalid"),
        drawing(with: "feDropShadow", "a shadow is cut off at its filter's region in another way"),
        drawing(with: "feImage", "an element as the picture of feImage has another place"),
        drawing(with: "FillPaint", "fills and strokes as inputs of filters are empty"),
        drawing(with: "hue-rotate(", "angles in turns are not read"),
        drawing(with: "<symbol", "a symbol's own opacity and transformation are not followed"),
        drawing(with: "<image", "a picture's size and place where parts of them are left out"),
        drawing(with: "ecursive", "what refers to itself is left out as a whole"),
    ]
}
