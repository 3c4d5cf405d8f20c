extension KnownDifference {
    /// Keyed by what a file has in it, so that other files of the kind are found as well, and by what goes wrong, so that
    /// nothing else of theirs is hidden.
    static let all: [KnownDifference] = [
        KnownDifference(reason: "its suite counts images that are shown without a delay as one frame") {
            // Which the list itself says, or shows by more durations than frames.
            $0.row.format == "gif" && $0.reason.contains(" frames instead of ")
                && ($0.row.durations.count > $0.row.frameCount ?? .max
                    || $0.row["note"].contains("images without a graphic-control delay are composed"))
        },
        KnownDifference(reason: "libjpeg finds the picture data damaged; refused, not shown with a part missing") {
            $0.row.format == "jpeg" && $0.reason.contains("Corrupt JPEG data")
        },
        KnownDifference(reason: "the orientation stands in XMP only, which browsers do not follow either") {
            $0.reason.hasPrefix("orientation 1 instead of ") && $0.contains("tiff:Orientation")
                && !$0.contains("eXIf") && !$0.contains("Exif")
        },
        KnownDifference(reason: "the hash is of a decoder that applies tRNS to the composed frames instead of to each")
        {
            $0.row.format == "png" && $0.reason.hasPrefix("the pixels of its ") && $0.contains("tRNS")
        },
    ]
}
