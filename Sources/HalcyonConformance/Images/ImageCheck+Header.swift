internal import HalcyonCodecs

extension ImageCheck {
    /// Formats whose frames, pages or entries the list counts.
    private static let countedFormats: Set<String> = ["gif", "png", "webp", "avif", "tiff", "ico", "cur"]

    /// Sizes, orientation, frames and their timing.
    func compareHeader(_ info: ImageInfo) throws(ImageMismatch) {
        if let size = row.size, !row.isMeasuredUpright, info.size != size {
            throw ImageMismatch("stored as \(info.size) instead of \(size)")
        }
        if let size = row.displaySize ?? (row.isMeasuredUpright ? row.size : nil), info.displaySize != size {
            throw ImageMismatch("shown as \(info.displaySize) instead of \(size)")
        }
        if let orientation = row.orientation, !row.isMeasuredUpright, info.orientation.rawValue != orientation {
            throw ImageMismatch("orientation \(info.orientation.rawValue) instead of \(orientation)")
        }
        if let count = row.frameCount, Self.countedFormats.contains(row.format), info.frameCount != count {
            throw ImageMismatch("\(info.frameCount) frames instead of \(count)")
        }
        guard info.frameCount > 1 else { return }
        // Of a GIF, the list has the number of repetitions, which follow the first time.
        let loopCount = row.loopCount.map { row.format == "gif" && $0 > 0 ? $0 + 1 : $0 }
        if let loopCount, info.loopCount != loopCount {
            throw ImageMismatch("plays \(info.loopCount.map(String.init) ?? "?") times instead of \(loopCount)")
        }
        // Fractions of milliseconds are rounded one way or the other.
        let isAsStated = zip(row.durations, info.frameDurations).allSatisfy { abs($0 - Double($1)) <= 1 }
        guard isAsStated else {
            throw ImageMismatch("its frames stay \(info.frameDurations) ms instead of \(row.durations)")
        }
    }
}
