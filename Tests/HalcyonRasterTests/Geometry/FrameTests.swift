import HalcyonRaster
import Testing

@Suite("a frame around an image")
struct FrameTests {
    static let border = PixelBorder(width: 2.5, color: Color(red: 0.9, green: 0.1, blue: 0.6, alpha: 0.7))
    static let opaque = PixelBorder(width: 3, color: Color(red: 0.2, green: 0.5, blue: 0.1))
    static let centered = PixelBorder(width: 4, color: border.color, placement: .centered)
    static let wide = PixelBorder(width: 100, color: border.color)
    static let backdrop = Color(red: 1, green: 0.5, blue: 0, alpha: 0.4)
    static let sizes = [PixelSize(23, 18), PixelSize(20, 20), PixelSize(15, 9), PixelSize(1, 1), PixelSize(2, 7)]

    /// Radii that fit all but the smallest sizes, for which they are fitted first.
    static let frames = [
        ExactFrame(radii: CornerRadii(4.5)),
        ExactFrame(radii: CornerRadii(), border: border),
        ExactFrame(radii: CornerRadii(4), border: border),
        ExactFrame(radii: CornerRadii(4), border: opaque, background: backdrop),
        ExactFrame(radii: CornerRadii(topLeft: 0.4, topRight: 3.5, bottomLeft: 4.25), border: border),
        ExactFrame(radii: CornerRadii(topLeft: 0.4, topRight: 2.5, bottomRight: 2), border: centered),
        ExactFrame(radii: CornerRadii(), border: centered, background: .white),
        ExactFrame(radii: CornerRadii(3), cutsImage: false, border: centered),
        ExactFrame(radii: CornerRadii(4), cutsImage: false, border: border),
        ExactFrame(radii: CornerRadii(), cutsImage: false, border: opaque),
        ExactFrame(radii: CornerRadii(), border: wide),
    ]

    private static func framed(_ bitmap: Bitmap, _ frame: ExactFrame) throws -> Bitmap {
        if let border = frame.border, !frame.cutsImage { return try bitmap.bordered(border, radii: frame.radii) }
        return try bitmap.roundingCorners(frame.radii, border: frame.border, background: frame.background)
    }

    @Test(
        "mixes each pixel of the exact areas of image, line and background",
        arguments: SampleDepth.allCases,
        frames.indices
    )
    func isExact(depth: SampleDepth, index: Int) throws {
        for (number, size) in Self.sizes.enumerated() {
            var frame = Self.frames[index]
            let margin = frame.border?.placement == .centered ? frame.border?.width ?? 0 : 0
            if Double(min(size.width, size.height)) < 9 + margin { frame.radii = CornerRadii() }
            let isOpaque = number % 2 == 0
            let bitmap = try Bitmap.noise(size.width, size.height, seed: UInt64(number), isOpaque: isOpaque)
                .converted(to: depth)
            let result = try Self.framed(bitmap, frame)
            #expect(result.size == size && result.depth == depth)
            let expected = frame.samples(of: bitmap, lines: depth == .eight ? 256 : 1_024)
            let differences = zip(result.samples, expected).map { abs($0 - $1) }
            #expect((differences.max() ?? .infinity) <= 1, "\(size)")
            if result.isOpaque { #expect(try result.converted(to: .eight).hasOpaquePixelsOnly) }
        }
    }

    @Test("lets the image not shine through at the outer edge of an opaque line")
    func edgeOfLine() throws {
        let green = try Bitmap(20, 20, isOpaque: true) { _, _ in Pixel(0, 255, 0, 255) }
        let black = PixelBorder(width: 3)
        let result = try green.roundingCorners(CornerRadii(10), border: black)
        for x in 0..<20 {
            #expect(result.pixel(x, 0).y == 0)
        }
    }

    @Test("is the same in each corner, to the last bit", arguments: [PixelBorder(width: 1.3), border, centered])
    func isSymmetric(border: PixelBorder) throws {
        let white = try Bitmap(23, 23, isOpaque: true) { _, _ in Pixel(repeating: 255) }
        let result = try white.roundingCorners(CornerRadii(7.3), border: border)
        for orientation in Orientation.allCases {
            #expect(try result.oriented(orientation).pixels == result.pixels, "\(orientation)")
        }
    }

    @Test("without a line or a corner changes nothing", arguments: [0, -1, Double.nan, -Double.infinity])
    func nothing(width: Double) throws {
        let bitmap = try Bitmap.noise(9, 5, seed: 3)
        let border = PixelBorder(width: width)
        #expect(try bitmap.bordered(border, radii: CornerRadii(3)).pixels == bitmap.pixels)
        #expect(try bitmap.roundingCorners(CornerRadii(), border: border).pixels == bitmap.pixels)
    }

    @Test("of a line without end covers the image", arguments: [1e300, Double.infinity])
    func everything(width: Double) throws {
        let bitmap = try Bitmap.noise(9, 5, seed: 4)
        let result = try bitmap.bordered(PixelBorder(width: width, color: .white))
        #expect(result.pixels.joined().allSatisfy { $0 == Pixel(repeating: 255) })
    }

    @Test("is opaque only where it has to be")
    func opacity() throws {
        let opaque = try Bitmap.noise(12, 12, seed: 5, isOpaque: true)
        #expect(try opaque.bordered(Self.border, radii: CornerRadii(4)).isOpaque)
        #expect(try opaque.roundingCorners(CornerRadii(), border: Self.border).isOpaque)
        #expect(try !opaque.roundingCorners(CornerRadii(), border: Self.centered).isOpaque)
        #expect(try !opaque.roundingCorners(CornerRadii(4), border: Self.opaque).isOpaque)
        #expect(try opaque.roundingCorners(CornerRadii(4), border: Self.opaque, background: .white).isOpaque)
    }
}
