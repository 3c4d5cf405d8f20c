internal import Halcyon
internal import HalcyonSystem

/// A sheet that shows all images: rows of equal height, each as wide as the sheet, every image whole.
///
/// It is made while images are loaded, so that no image has to be kept: only a tile of each, no larger than it is
/// drawn. The more images there are, the smaller their tiles, because the sheet has a bounded number of pixels.
final class ContactSheet: Sendable {
    private static let width = 1280
    private static let tallestRow = 240
    /// The size of the largest tile that is drawn.
    static let largestTile = PixelSize(tallestRow * 5, tallestRow)
    /// The largest number of pixels of the sheet: 16 MiB, as much again for the tiles, and more while the sheet is
    /// encoded. Half of that for thousands of images, whose URLs take memory too.
    private let pixelLimit: Int
    /// The width over height of the usual image, for the first guess of the rows' height.
    private static let usualRatio = 1.4

    private struct State {
        var tiles: [Int: Bitmap] = [:]
        var pixelCount = 0
        var tileHeight: Int
    }

    private let state: Lock<State>

    /// Creates an empty sheet for this many images.
    init(imageCount: Int) {
        pixelLimit = imageCount > 1_000 ? 2 << 20 : 4 << 20
        let area = Double(pixelLimit) / Double(max(1, imageCount)) / Self.usualRatio
        state = Lock(State(tileHeight: min(Self.tallestRow, max(1, Int(area.squareRoot())))))
    }

    /// Adds an image; `index` is its position in the order.
    func add(_ bitmap: Bitmap, at index: Int) throws {
        let tile = try Self.tile(of: bitmap, height: state.withLock { $0.tileHeight })
        try state.withLock { state in
            state.pixelCount += tile.size.area - (state.tiles[index]?.size.area ?? 0)
            state.tiles[index] = tile
            // Wider than guessed: tiles that were made at a larger size are made smaller.
            while state.pixelCount > pixelLimit, state.tileHeight > 1 {
                let height = max(1, state.tileHeight * 3 / 4)
                state.tiles = try state.tiles.mapValues { try Self.tile(of: $0, height: height) }
                state.pixelCount = state.tiles.values.reduce(0) { $0 + $1.size.area }
                state.tileHeight = height
            }
        }
    }

    /// Draws the images at these indices, one or more, and removes all tiles.
    func drawn(_ indices: [Int]) throws -> Bitmap {
        let (tiles, height) = state.withLock { state in
            defer { state.tiles = [:] }
            return (state.tiles, state.tileHeight)
        }
        let layout = ContactSheetLayout(
            ratios: indices.map { index in tiles[index].map(Self.ratio) ?? 1 },
            width: Self.width,
            rowHeight: height,
            pixelLimit: pixelLimit
        )
        let size = PixelSize(Self.width, layout.height)
        var sheet = try Bitmap(size: size)
        sheet.fill(PixelRect(x: 0, y: 0, width: size.width, height: size.height), with: Color(white: 0.13))
        for (index, frame) in zip(indices, layout.frames) {
            guard let tile = tiles[index] else { continue }
            let drawn = try tile.resampled(to: frame.size)
                .roundingCorners(radius: layout.cornerRadius)
            sheet.draw(drawn, at: frame.origin)
        }
        sheet.isOpaque = true
        return sheet
    }

    /// Returns the image as tall as the rows; one that is smaller stays as it is until it is drawn.
    private static func tile(of bitmap: Bitmap, height: Int) throws -> Bitmap {
        let size = PixelSize(max(1, Int((ratio(bitmap) * Double(height)).rounded())), height)
        return bitmap.size.area <= size.area ? bitmap : try bitmap.resampled(to: size)
    }

    /// Returns width over height, within what a row can show.
    private static func ratio(_ bitmap: Bitmap) -> Double {
        min(5, max(0.2, Double(bitmap.width) / Double(bitmap.height)))
    }
}
