internal import FoundationEssentials
internal import HalcyonRaster

/// Reads the default image of a PNG while its bytes arrive: row by row, or by the seven passes of an interlaced image,
/// each of whose pixels first fills the block that later passes refine (PNG, annex D).
final class PNGIncrementalReader: IncrementalReading {
    private let file: PNGFile
    private var info: ImageInfo
    private let options: DecodeOptions
    private var orientation: Orientation
    private let colorProfile: ColorProfile?
    private let toleratesDamage: Bool
    private var feed = PNGDataFeed()
    private let painter: PNGRowPainter
    /// A Boolean value that indicates whether no more rows can be drawn, although there should be more.
    private var isDamaged = false
    private var isEnded = false
    private(set) var progress = IncrementalProgress()

    /// - Parameters:
    ///   - beginning: The bytes up to the first IDAT chunk at least.
    ///   - offset: The place of that chunk.
    ///   - file: What comes before; the limits were checked for it.
    init(_ beginning: Data, imageAt offset: Int, _ file: PNGFile, options: DecodeOptions) throws {
        self.file = file
        let color = try beginning.withUnsafeBytes { try file.color(in: $0) }
        info = beginning.withUnsafeBytes { file.info(in: $0, colorSpace: color.space) }
        self.options = options
        orientation = options.appliedOrientation(of: info.orientation)
        colorProfile = color.profile
        toleratesDamage = options.damage == .showsWhatIsThere
        painter = try PNGRowPainter(
            file,
            size: file.header.size,
            depth: file.depth(for: options),
            premultiplies: options.premultiplies
        )
        feed.append(beginning.dropFirst(offset))
    }

    func append(_ bytes: Data) {
        feed.append(bytes)
    }

    func end() {
        isEnded = true
    }

    func advance(isCancelled: @Sendable () -> Bool) throws -> Bool {
        do {
            guard try isDamaged || drawPass(isCancelled) else { return false }
        } catch let error as CodecError where toleratesDamage && error.isOfDamage && painter.coverage > 0 {
            isDamaged = true
        }
        guard painter.isComplete || isDamaged else { return true }
        progress.isComplete = try findOrientation()
        return false
    }

    /// Draws rows up to the end of a pass, or of the bytes at hand; returns `false` in the latter case.
    private func drawPass(_ isCancelled: () -> Bool) throws -> Bool {
        let pass = painter.passCount
        var rowCount = 0
        while !painter.isComplete {
            if rowCount % 16 == 0, isCancelled() { throw CancellationError() }
            if try painter.drawRow() {
                rowCount += 1
                progress.coverage = painter.coverage
                if painter.passCount != pass, file.header.isInterlaced {
                    progress.passCount = painter.passCount
                    break
                }
            } else if let piece = try feed.next() {
                painter.add(piece)
            } else {
                if feed.hasAllImageData || painter.isAtEnd {
                    throw CodecError.corrupt(.png, reason: "the stream in IDAT ends before the image does")
                }
                if isEnded { throw CodecError.truncated(.png) }
                return false
            }
        }
        return true
    }

    /// Looks for an orientation between and behind the image data; returns whether it is known if there is one.
    private func findOrientation() throws -> Bool {
        if file.exif != nil { return true }
        // Data that make no row.
        while try feed.next() != nil {}
        guard let block = feed.exif else { return isEnded || feed.isAtEnd }
        info.orientation = EXIF.orientation(in: block) ?? .up
        orientation = options.appliedOrientation(of: info.orientation)
        return true
    }

    func image(isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        // Called only once there is a row.
        guard let bitmap = painter.bitmap else { throw CodecError.truncated(.png) }
        return DecodedImage(
            bitmap: try bitmap.upright(orientation),
            info: info,
            fullSize: orientation.displaySize(of: info.size),
            colorProfile: colorProfile,
            isPartial: isDamaged
        )
    }
}
