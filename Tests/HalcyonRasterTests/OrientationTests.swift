import HalcyonRaster
import Testing

@Suite("turning pixels upright")
struct OrientationTests {
    /// Returns the place at which the pixel in column x and row y of the upright image is stored, by the words of TIFF
    /// 6.0: row 0 is the side named first, column 0 the side named second.
    static func stored(_ orientation: Orientation, _ x: Int, _ y: Int, in size: PixelSize) -> (x: Int, y: Int) {
        let (right, bottom) = (size.width - 1, size.height - 1)
        return switch orientation {
        case .up: (x, y)  // top, left
        case .upMirrored: (right - x, y)  // top, right
        case .down: (right - x, bottom - y)  // bottom, right
        case .downMirrored: (x, bottom - y)  // bottom, left
        case .leftMirrored: (y, x)  // left, top
        case .right: (y, bottom - x)  // right, top
        case .rightMirrored: (right - y, bottom - x)  // right, bottom
        case .left: (right - y, x)  // left, bottom
        }
    }

    @Test(
        "every pixel lands where it belongs, for sizes around the blocks of the transposition",
        arguments: Orientation.allCases
    )
    func pixelsLandWhereTheyBelong(orientation: Orientation) throws {
        for size in [
            PixelSize(1, 1), PixelSize(1, 7), PixelSize(5, 1), PixelSize(4, 4), PixelSize(16, 16), PixelSize(17, 15),
            PixelSize(37, 50), PixelSize(66, 19),
        ] {
            let bitmap = try Bitmap.noise(size.width, size.height, seed: 71, isOpaque: true)
            let upright = try bitmap.oriented(orientation)
            #expect(upright.size == (orientation.swapsSides ? PixelSize(size.height, size.width) : size))
            #expect(upright.isOpaque)
            let before = bitmap.pixels
            let expected = (0..<upright.height).map { y in
                (0..<upright.width).map { x in
                    let place = Self.stored(orientation, x, y, in: size)
                    return before[place.y][place.x]
                }
            }
            #expect(upright.pixels == expected, "\(size)")
        }
    }

    @Test("an image that must be turned clockwise has its left column as the top row")
    func clockwiseTurn() throws {
        // Stored: a row of red, green, blue below a row of white. The bottom row's left end comes to the top left.
        let (red, green, blue) = (Pixel(255, 0, 0, 255), Pixel(0, 255, 0, 255), Pixel(0, 0, 255, 255))
        let white = Pixel(repeating: 255)
        let rows = [[white, white, white], [red, green, blue]]
        let upright = try Bitmap(3, 2) { rows[$1][$0] }.oriented(.right)
        #expect(upright.pixels == [[red, white], [green, white], [blue, white]])
    }

    @Test("two turns undo each other")
    func turnsUndoEachOther() throws {
        let bitmap = try Bitmap.noise(45, 23, seed: 72)
        let inverse: [(Orientation, Orientation)] = [
            (.upMirrored, .upMirrored), (.down, .down), (.downMirrored, .downMirrored), (.leftMirrored, .leftMirrored),
            (.right, .left), (.left, .right), (.rightMirrored, .rightMirrored),
        ]
        for (first, second) in inverse {
            #expect(try bitmap.oriented(first).oriented(second).pixels == bitmap.pixels, "\(first)")
        }
    }
}
