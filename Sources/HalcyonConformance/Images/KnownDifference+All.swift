extension KnownDifference {
    /// Keyed by what a file has in it, so that other files of the kind are found as well, and by what goes wrong, so that
    /// nothing else of theirs is hidden.
    static let all: [KnownDifference] = [
        KnownDifference(reason: "its suite counts images that are shown without a delay as one frame") { row, failure in
            row.path.hasPrefix("gif_pygif/") && failure.contains(" frames instead of ")
        }
    ]
}
