internal import HalcyonCodecs
internal import HalcyonFormats

extension KnownDifference {
    /// Keyed by what goes wrong, so that nothing else is hidden, and by a file's name, or by what it has in it where that
    /// alone decides who is right.
    static let all: [KnownDifference] = rasters + drawings

    private static let rasters = [
        KnownDifference(cause: .list, reason: "its suite counts images that are shown without a delay as one frame") {
            // Which the list itself says, or shows by more durations than frames.
            $0.row.format == "gif" && $0.reason.contains(" frames instead of ")
                && ($0.row.durations.count > $0.row.frameCount ?? .max
                    || $0.row["note"].contains("images without a graphic-control delay are composed"))
        },
        KnownDifference(reason: "libjpeg reports that codes are wrong or data missing, so that it counts as partial") {
            ["jpeg_decoder/partial_progressive.jpg", "pillow/hopper_bad_exif.jpg"].contains($0.row.path)
                && $0.reason == "only a part of it is shown"
        },
        KnownDifference(
            // Chromium applies those that begin at the top left, which none of the list does.
            reason:
                "a clean aperture that does not begin in the corner is not applied, as in Chromium and in most of the list"
        ) {
            $0.row.path == "avif_av1_avif/Microsoft/Chimera_10bit_cropped_to_1920x1008_with_HDR_metadata.avif"
                && $0.reason == "stored as 1920×1080 instead of 1920×1008"
        },
        KnownDifference(reason: "the orientation stands in XMP only, which browsers do not follow either") {
            $0.reason.hasPrefix("orientation 1 instead of ") && $0.contains("tiff:Orientation")
                && !$0.contains("eXIf") && !$0.contains("Exif")
        },
        KnownDifference(
            cause: .list,
            reason: "the hash is of a decoder that applies tRNS to the composed frames instead of to each"
        ) {
            // The beginnings of the hashes that putting the frames together by hand, each with its tRNS, gives.
            ["wuffs/animated-red-blue.apng": "53168220", "anchor_sdwebimage/TestImageAnimated.apng": "13aec310"][
                $0.row.path
            ].map($0.reason.contains) ?? false
        },
        KnownDifference(
            cause: .list,
            reason: "the means are of numbers cut off at 255 and fractions at 0, or of floats taken for linear light"
        ) {
            // Samples of 32 bits, in floating point, or logarithms of light, which Pillow does not open.
            let widths = ["-32", "fp16", "off_l"]
            return $0.row.format == "tiff" && $0.reason.hasPrefix("its means are ")
                && $0.row["note"].contains("Pillow refuses it") && $0.row["decoder"].hasPrefix("libvips")
                && widths.contains(where: $0.row.path.contains)
        },
        KnownDifference(cause: .list, reason: "its chain has three pages; the list has one where Pillow does not count")
        {
            $0.row.path.hasSuffix("subsubifds.tif") && $0.reason == "3 frames instead of 1"
        },
        // Of the following three, our means are those of images that were looked at, and are as they should be.
        KnownDifference(cause: .list, reason: "the means are of a decoder that does not put planes of 16 bits together")
        {
            $0.row.path == "tiff_libgd/valid/flower-separated-planar-16.tif"
                && $0.reason.hasPrefix("its means are 48.9,47.6,35.6,255.0 ")
        },
        KnownDifference(
            cause: .list,
            reason: "the means are of a decoder that forgets the padding of rows before a mask"
        ) {
            $0.row.path == "image_rs/ico/images/bmp_v5_with_icc.ico"
                && $0.reason.hasPrefix("its means are 86.1,83.7,87.3,189.6 ")
        },
        KnownDifference(cause: .list, reason: "the means are of a decoder that ignores the mask of a pointer") {
            $0.row.path == "exif_libvips/sample.cur" && $0.reason.hasPrefix("its means are 18.7,21.5,24.1,31.4 ")
        },
        KnownDifference(
            versions: .before(.rsvg, .init(2, 60)),
            reason: "what has a scale or a view box of 0 ends the drawing"
        ) { failure in
            failure.row.isVector && failure.reason.hasSuffix("InvalidMatrix")
                && ["scale(0", "matrix(0", "viewBox=\"0 0 0"].contains(where: failure.contains)
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
