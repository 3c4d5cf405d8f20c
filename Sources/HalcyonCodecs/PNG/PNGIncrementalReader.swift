internal import FoundationEssentials
internal import HalcyonRaster

/// Reads the default image of a PNG while its bytes arrive: row by row, or by the seven passes of an interlaced image,
/// each of whose pixels first fills the block that later passes refine (PNG, annex D).
final class PNGIncrementalReader: IncrementalReading {
    private let file: PNGFile
    private var info: ImageInfo
    private let appliesOrientation: Bool
    private var orientation: Orientation
    private let colorProfile: ColorProfile?
    private let expander: PNGRowExpander
    private var feed = PNGDataFeed()
    private let inflater: PNGInflateStream
    private let rows: PNGIncrementalRows
    private var bitmap: Bitmap
    private var isOpaque = true
    private var isEnded = false
    private(set) var progress = IncrementalProgress()

    /// - Parameters:
    ///   - beginning: The bytes up to the first IDAT chunk at least.
    ///   - offset: The place of that chunk.
    ///   - file: What comes before; the limits were checked for it.
    init(_ beginning: Data, imageAt offset: Int, _ file: PNGFile, options: DecodeOptions) throws {
        self.file = file
        let color = beginning.withUnsafeBytes { file.color(in: $0) }
        info = beginning.withUnsafeBytes { file.info(in: $0, colorSpace: color.space) }
        appliesOrientation = options.appliesOrientation
        orientation = options.appliesOrientation ? info.orientation : .up
        colorProfile = color.profile
        expander = PNGRowExpander(file, options: options)
        inflater = try PNGInflateStream(isBare: file.isAppleOptimized)
        rows = try PNGIncrementalRows(file.header)
        bitmap = try Bitmap(size: file.header.size, depth: file.depth(for: options))
        feed.append(beginning.dropFirst(offset))
    }

    func append(_ bytes: Data) {
        feed.append(bytes)
    }

    func end() {
        isEnded = true
    }

    func advance(isCancelled: @Sendable () -> Bool) throws -> Bool {
        let pass = rows.passNumber
        var rowCount = 0
        while !rows.isComplete {
            if rowCount % 16 == 0, isCancelled() { throw CancellationError() }
            if try fillRow() {
                try drawRow()
                rowCount += 1
                if rows.passNumber != pass, file.header.isInterlaced {
                    progress.passCount = rows.passNumber
                    break
                }
            } else if let piece = try feed.next() {
                inflater.add(piece)
            } else {
                if feed.isAtEnd || inflater.isAtEnd {
                    throw CodecError.corrupt(.png, reason: "the stream in IDAT ends before the image does")
                }
                if isEnded { throw CodecError.truncated(.png) }
                return false
            }
        }
        guard rows.isComplete else { return true }
        bitmap.isOpaque = isOpaque
        progress.coverage = 1
        progress.isComplete = findOrientation()
        return false
    }

    /// Looks for an orientation behind the image data; returns whether it is known as far as there is one.
    private func findOrientation() -> Bool {
        if file.exif != nil { return true }
        do {
            // Data that make no row.
            while try feed.next() != nil {}
        } catch {
            // What follows the image and is no chunk ends the file.
            return true
        }
        guard let block = feed.trailer?.exif else { return isEnded || feed.trailer?.isAtEnd == true }
        info.orientation = EXIF.orientation(in: block) ?? .up
        orientation = appliesOrientation ? info.orientation : .up
        return true
    }

    /// Fills the next row as far as the input goes; returns whether it is whole.
    private func fillRow() throws(CodecError) -> Bool {
        while let rest = rows.rest {
            let count = try inflater.read(into: rest)
            if count == 0 { return false }
            rows.note(count)
        }
        return true
    }

    private func drawRow() throws {
        let row = try rows.unfiltered()
        let (bytesPerRow, isInterlaced) = (bitmap.bytesPerRow, file.header.isInterlaced)
        let (place, width, height) = (rows.place, bitmap.width, bitmap.height)
        let rowIsOpaque = bitmap.withUnsafeMutableBytes { pixels in
            guard let start = pixels.assumingMemoryBound(to: UInt8.self).baseAddress else { return true }
            guard isInterlaced else { return expander.expand(row, width: width, to: start + place.y * bytesPerRow) }
            return expander.spread(row, place, to: pixels, size: PixelSize(width, height), bytesPerRow: bytesPerRow)
        }
        isOpaque = rowIsOpaque && isOpaque
        let lastRow = isInterlaced ? min(place.y + place.blockHeight, height) : place.y + 1
        progress.coverage = max(progress.coverage, Double(lastRow) / Double(height))
        rows.advance()
    }

    func image(isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        DecodedImage(
            bitmap: try bitmap.upright(orientation),
            info: info,
            fullSize: orientation.displaySize(of: info.size),
            colorProfile: colorProfile
        )
    }
}
