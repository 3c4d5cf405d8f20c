internal import FoundationEssentials
internal import HalcyonRaster

/// Decompresses and draws the rows of an image one after the other, as far as its data go: what is missing stays
/// transparent.
///
/// Of an interlaced image, each pixel of a pass first fills the block that later passes refine (PNG, annex D).
final class PNGRowPainter {
    private let header: PNGHeader
    private let depth: SampleDepth
    private let expander: PNGRowExpander
    private let inflater: PNGInflateStream
    private let rows: PNGIncrementalRows
    /// Made with the first row, so that a file without any takes no memory.
    private var pixels: Bitmap?
    private var isOpaque = true
    /// The share of the image's area that has been drawn, however coarsely, from 0 to 1.
    private(set) var coverage = 0.0

    /// A painter of the default image, or of a frame.
    init(_ file: PNGFile, size: PixelSize, depth: SampleDepth, premultiplies: Bool) throws {
        header = file.header.ofFrame(size)
        self.depth = depth
        expander = PNGRowExpander(file, width: size.width, depth: depth, premultiplies: premultiplies)
        inflater = try PNGInflateStream(isBare: file.isAppleOptimized)
        rows = try PNGIncrementalRows(header)
    }

    /// The number of passes that are complete.
    var passCount: Int { rows.passNumber }

    /// A Boolean value that indicates whether all rows have been drawn.
    var isComplete: Bool { rows.isComplete }

    /// A Boolean value that indicates whether no more rows can come of the data.
    var isAtEnd: Bool { inflater.isAtEnd }

    /// The image as far as it has been drawn; `nil` before the first row.
    var bitmap: Bitmap? {
        guard var bitmap = pixels else { return nil }
        bitmap.isOpaque = isComplete && isOpaque
        return bitmap
    }

    /// Gives it the next piece of compressed data, once the last has been read.
    func add(_ piece: Data) {
        inflater.add(piece)
    }

    /// Draws the next row; returns `false` where more data are needed.
    ///
    /// - Throws: ``CodecError/corrupt(_:reason:)``, where the rows before remain; `BitmapError`.
    func drawRow() throws -> Bool {
        while let rest = rows.rest {
            let count = try inflater.read(into: rest)
            if count == 0 { return false }
            rows.note(count)
        }
        let row = try rows.unfiltered()
        // Taken out meanwhile, so that it has one owner and is not copied.
        var bitmap = try pixels.take() ?? Bitmap(size: header.size, depth: depth)
        defer { pixels = bitmap }
        let (place, size, bytesPerRow) = (rows.place, header.size, bitmap.bytesPerRow)
        let rowIsOpaque = bitmap.withUnsafeMutableBytes { pixels in
            guard let start = pixels.assumingMemoryBound(to: UInt8.self).baseAddress else { return true }
            guard header.isInterlaced else {
                return expander.expand(row, width: size.width, to: start + place.y * bytesPerRow)
            }
            return expander.spread(row, place, to: pixels, size: size, bytesPerRow: bytesPerRow)
        }
        isOpaque = rowIsOpaque && isOpaque
        let lastRow = header.isInterlaced ? min(place.y + place.blockHeight, size.height) : place.y + 1
        coverage = max(coverage, Double(lastRow) / Double(size.height))
        rows.advance()
        return true
    }
}
