internal import HalcyonCodecs

extension KnownDifference {
    /// Keyed by what a file has in it, so that other files of the kind are found as well, and by what goes wrong, so
    /// that nothing else of theirs is hidden.
    static let all: [KnownDifference] = rasters + drawings

    private static let rasters = [
        KnownDifference(cause: .list, reason: "its suite counts images that are shown without a delay as one frame") {
            // Which the list itself says, or shows by more durations than frames.
            $0.row.format == "gif" && $0.reason.contains(" frames instead of ")
                && ($0.row.durations.count > $0.row.frameCount ?? .max
                    || $0.row["note"].contains("images without a graphic-control delay are composed"))
        },
        KnownDifference(
            reason: "wrong codes use up the data before the image ends; refused, not shown with a part missing"
        ) {
            // Not one that is cut short: that has no end of image.
            $0.row.format == "jpeg" && $0.reason.hasPrefix("truncated: ") && $0.bytes().suffix(2) == [0xFF, 0xD9]
        },
        KnownDifference(
            // Chromium applies those that begin at the top left, which none of the list does.
            reason: "a clean aperture is not applied, as in most of the list: libavif leaves it to the program"
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
        KnownDifference(
            versions: .before(.rsvg, .init(2, 60)),
            reason: "what has a scale or a view box of 0 ends the drawing"
        ) {
            $0.row.isVector && $0.reason.hasSuffix("InvalidMatrix")
        },
        KnownDifference(versions: .before(.jpegXL, .init(0, 9)), reason: "splines are refused as long") {
            $0.row.format == "jxl" && $0.reason.hasPrefix("corrupt: ") && $0.row.path.contains("spline")
        },
        KnownDifference(
            cause: .list,
            versions: .from(.jpegXL, .init(0, 9)),
            reason: "the suite's pixels are of an older one, which limited alpha in weighted sums without a flag for it"
        ) {
            // ISO/IEC 18181-1 limits it only where the frame says so.
            $0.row.format == "jxl" && $0.reason.contains("from the suite's own pixels")
                && $0.row.path.contains("blendmodes")
        },
    ]
}
