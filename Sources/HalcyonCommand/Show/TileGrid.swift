internal import Halcyon

/// The places of several images in a terminal: rows of tiles of one size, and under each its name.
struct TileGrid: Sendable {
    /// The number of images in a row.
    let perRow: Int
    /// The size in pixels of the largest image.
    let tile: PixelSize
    /// The columns of a tile, without the gap.
    private let columns: Int
    private let unit: PixelSize

    private static let gap = 1

    /// - Parameter imageCount: Fewer images than fit in a row have larger tiles.
    init(_ display: TerminalDisplay, imageCount: Int) {
        // Half blocks need more room to be made out.
        let usual = display.graphics == .blocks ? 32 : 20
        let fitting = max(1, display.pixels(columns: display.columns, rows: 1).width / display.unit.width)
        perRow = min(imageCount, max(1, fitting / usual))
        columns = max(1, fitting / perRow - Self.gap)
        unit = display.unit
        // As high as wide at most, and two rows of tiles in a window.
        let height = columns * unit.width / unit.height
        tile = display.pixels(columns: columns, rows: max(1, min(height, (display.rows - 1) / 2 - 1)))
    }

    /// Returns a row of images side by side, all standing on its lower edge; `nil` if there is none.
    func strip(of bitmaps: [Bitmap?]) throws -> Bitmap? {
        let tallest = bitmaps.compactMap { $0?.height }.max() ?? 0
        guard tallest > 0 else { return nil }
        let height = (tallest + unit.height - 1) / unit.height * unit.height
        var strip = try Bitmap(size: PixelSize(stride * (bitmaps.count - 1) + columns * unit.width, height))
        for (index, bitmap) in bitmaps.enumerated() {
            guard let bitmap else { continue }
            strip.draw(bitmap, at: PixelPoint(index * stride, height - bitmap.height))
        }
        return strip
    }

    /// Returns the line of the names.
    func caption(of names: [String]) -> String {
        let cells = names.map { name in
            let text = name.withoutControls.abbreviated(toColumns: columns)
            return text + String(repeating: " ", count: max(0, columns + Self.gap - text.columnCount))
        }
        return String(cells.joined().reversed().drop { $0 == " " }.reversed())
    }

    private var stride: Int { (columns + Self.gap) * unit.width }
}
