import HalcyonRaster
import Testing

@Suite("blend modes")
struct BlendModeTests {
    private static let color = Color(red: 0.9, green: 0.25, blue: 0.5, alpha: 0.6)

    @Test(
        "every mode is what its definition says, at most one level off",
        arguments: BlendMode.allCases,
        SampleDepth.allCases
    )
    func definition(mode: BlendMode, depth: SampleDepth) throws {
        for opacity in [1, 0.7] {
            let source = try Bitmap.noise(1_027, 2, depth: depth, seed: 501)
            let below = try Bitmap.noise(1_027, 2, depth: depth, seed: 502)
            var result = below
            try result.draw(source, mode: mode, opacity: opacity)
            let reference = BlendReference(mode: mode, opacity: opacity, largest: depth.largestSample)
            #expect(result.distance(from: source, below) { reference.blend($0, over: $1) } <= 1)
            #expect(result.hasPremultipliedValues)
        }
    }

    @Test(
        "colours at their limits, where quotients have no value, are those of the definition",
        arguments: BlendMode.allCases,
        SampleDepth.allCases
    )
    func limits(mode: BlendMode, depth: SampleDepth) throws {
        let levels = [0, 0.25, 0.5, 1]
        let colors = levels.flatMap { alpha in
            levels.flatMap { red in levels.map { Color(red: red, green: 1 - red, blue: $0, alpha: alpha) } }
        }
        // A column for each colour of the source, and a row for each of the backdrop.
        var source = try Bitmap(size: PixelSize(colors.count, colors.count), depth: depth)
        var below = source
        for (index, color) in colors.enumerated() {
            source.fill(PixelRect(x: index, y: 0, width: 1, height: colors.count), with: color)
            below.fill(PixelRect(x: 0, y: index, width: colors.count, height: 1), with: color)
        }
        var result = below
        try result.draw(source, mode: mode)
        let reference = BlendReference(mode: mode, largest: depth.largestSample)
        #expect(result.distance(from: source, below) { reference.blend($0, over: $1) } <= 1)
    }

    @Test("a colour is blended as an image of that colour is", arguments: SampleDepth.allCases)
    func color(depth: SampleDepth) throws {
        let bitmap = try Bitmap.noise(2_051, 3, depth: depth, seed: 503)
        var sheet = try Bitmap(size: bitmap.size, depth: depth)
        sheet.fill(PixelRect(size: sheet.size), with: Self.color)
        for mode in BlendMode.allCases {
            var expected = bitmap
            try expected.draw(sheet, mode: mode, opacity: 0.5)
            #expect(try bitmap.blended(with: Self.color, mode: mode, opacity: 0.5).samples == expected.samples)
            var reversed = sheet
            try reversed.draw(bitmap, mode: mode, opacity: 0.5)
            #expect(try bitmap.blended(over: Self.color, mode: mode, opacity: 0.5).samples == reversed.samples)
        }
    }

    @Test("a result is opaque where its pixels are, and says so only then", arguments: BlendMode.allCases)
    func opacity(mode: BlendMode) throws {
        for depth in SampleDepth.allCases {
            for (sourceIsOpaque, backdropIsOpaque) in [(true, true), (true, false), (false, true), (false, false)] {
                for opacity in [1, 0.5] {
                    let source = try Bitmap.noise(33, 5, depth: depth, seed: 504, isOpaque: sourceIsOpaque)
                    var result = try Bitmap.noise(33, 5, depth: depth, seed: 505, isOpaque: backdropIsOpaque)
                    try result.draw(source, mode: mode, opacity: opacity)
                    #expect(!result.isOpaque || !result.containsTransparency())
                }
            }
        }
        let opaque = try Bitmap.noise(33, 5, seed: 506, isOpaque: true)
        #expect(try opaque.blended(with: Self.color, mode: .multiply).isOpaque)
        #expect(try opaque.blended(over: .white, opacity: 0.5).isOpaque)
        #expect(try !opaque.blended(over: .clear, opacity: 0.5).isOpaque)
    }

    @Test("drawing leaves alone what the source does not reach")
    func clipping() throws {
        let source = try Bitmap.noise(5, 4, seed: 507)
        let before = try Bitmap.noise(9, 8, seed: 508)
        for point in [PixelPoint(-2, -1), PixelPoint(6, 5), PixelPoint(2, 3), PixelPoint(9, 0), PixelPoint(.max, .min)]
        {
            var after = before
            try after.draw(source, at: point, mode: .clear)
            for y in 0..<8 {
                for x in 0..<9 {
                    let isInside =
                        point.x != .max && (0..<5).contains(x - point.x) && (0..<4).contains(y - point.y)
                    #expect(after.pixel(x, y) == (isInside ? Pixel() : before.pixel(x, y)))
                }
            }
        }
    }

    @Test("a source of another depth is converted", arguments: [BlendMode.normal, .softLight])
    func otherDepth(mode: BlendMode) throws {
        let narrow = try Bitmap.noise(1_100, 3, seed: 509)
        var (first, second) = (try Bitmap.wideNoise(1_300, 4, seed: 510), try Bitmap.wideNoise(1_300, 4, seed: 510))
        try first.draw(narrow, at: PixelPoint(7, 2), mode: mode)
        try second.draw(narrow.converted(to: .sixteen), at: PixelPoint(7, 2), mode: mode)
        #expect(first.widePixels == second.widePixels)
    }

    @Test("an opacity beyond 0…1 is limited")
    func opacityIsLimited() throws {
        let bitmap = try Bitmap.noise(40, 3, seed: 511)
        #expect(try bitmap.blended(with: .white, opacity: 3).pixels == bitmap.blended(with: .white).pixels)
        for opacity in [-1, Double.nan] {
            #expect(try bitmap.blended(with: .white, opacity: opacity).pixels == bitmap.pixels)
        }
    }

    @Test("a cancelled drawing ends before the next 65,536 pixels")
    func cancellation() throws {
        let bitmap = try Bitmap(size: PixelSize(70_000, 3))
        var calls = 0
        #expect(throws: CancellationError.self) {
            _ = try bitmap.blended(with: .white) {
                calls += 1
                return calls == 3
            }
        }
        #expect(calls == 3)
    }
}
