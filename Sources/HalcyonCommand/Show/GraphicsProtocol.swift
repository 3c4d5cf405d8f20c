internal import ArgumentParser
internal import Halcyon

/// A way in which terminals show pixels.
enum GraphicsProtocol: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// Images as PNG (https://sw.kovidgoyal.net/kitty/graphics-protocol/).
    case kitty
    /// Bands of six rows with a palette (DEC STD 070, chapter 9; "VT330/VT340 Programmer Reference Manual", chapter 14).
    case sixel
    /// Two pixels a character, "▀" in the colour of the upper one on the colour of the lower one. Every terminal with
    /// colours shows it, also through tmux and screen.
    case blocks
}

/// The terminal that images are shown in, or the place that stands for it.
struct TerminalDisplay: Sendable, Equatable {
    var graphics = GraphicsProtocol.blocks
    /// The size in characters.
    var columns = 80
    var rows = 24
    /// The size of a character in pixels.
    var cell = Self.usualCell
    /// The size in pixels of the largest image; `nil` if that is not known.
    var largestImage: PixelSize?
    /// The colour behind the text; `nil` if that is not known.
    var background: Color?
    /// The number of colours of a sixel image.
    var colorRegisters = 256
    /// Whether colours of text have 24 bits; otherwise they are those of xterm's palette of 256.
    var hasTrueColor = false
    /// `false` where the images go into a file or a pipe.
    var isTerminal = false

    /// Where a terminal does not say it.
    static let usualCell = PixelSize(8, 16)
    /// The most pixels of an image, whatever size a terminal says it has.
    private static let pixelLimit = 16 << 20

    /// The pixels that a character has room for.
    var unit: PixelSize { graphics == .blocks ? PixelSize(1, 2) : cell }

    /// Returns the size in pixels of a place of this many characters.
    func pixels(columns: Int, rows: Int) -> PixelSize {
        let size = PixelSize(max(1, columns) * unit.width, max(1, rows) * unit.height)
        let bound = graphics == .sixel ? largestImage ?? size : size
        let box = PixelSize(max(1, min(size.width, bound.width)), max(1, min(size.height, bound.height)))
        guard box.area > Self.pixelLimit else { return box }
        let scale = (Double(Self.pixelLimit) / Double(box.area)).squareRoot()
        return PixelSize(max(1, Int(Double(box.width) * scale)), max(1, Int(Double(box.height) * scale)))
    }

    /// Returns the number of lines that an image takes.
    func rowCount(of bitmap: Bitmap) -> Int { (bitmap.height + unit.height - 1) / unit.height }

    /// Returns the bytes that draw an image at the beginning of the cursor's line, and leave the cursor at the beginning
    /// of the line below.
    ///
    /// - Parameter number: Distinguishes the image from others, for frames that take its place. Not 0.
    /// - Parameter covers: Whether every pixel is drawn, also transparent ones: what was there before is to vanish.
    func drawing(_ bitmap: Bitmap, number: UInt32, covers: Bool = false) throws -> [UInt8] {
        let rows = rowCount(of: bitmap)
        let image: [UInt8]
        switch graphics {
        case .blocks:
            let pixels = FlatPixels(bitmap, over: background)
            return HalfBlocks(hasTrueColor: hasTrueColor).lines(of: pixels)
        case .kitty: image = try KittyImage.bytes(of: bitmap, number: number)
        case .sixel:
            let pixels = FlatPixels(bitmap, over: background, keepsTransparency: !covers)
            image = try SixelImage(pixels, colorCount: colorRegisters).bytes
        }
        // The lines come first, so that nothing scrolls while the image is drawn; and where the terminal leaves the
        // cursor, on which they differ, does not matter.
        let room = String(repeating: "\n", count: rows) + "\u{1B}[\(rows)A\u{1B}7"
        return Array(room.utf8) + image + Array("\u{1B}8\u{1B}[\(rows)B\r".utf8)
    }
}
