import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A watermark")
struct WatermarkTests {
    /// Opaque white.
    private static func sheet(_ width: Int, _ height: Int, depth: SampleDepth = .eight) throws -> Bitmap {
        var bitmap = try Bitmap(size: PixelSize(width, height), depth: depth)
        bitmap.fill(PixelRect(size: bitmap.size), with: .white)
        return bitmap
    }

    /// Opaque black.
    private static func mark(_ width: Int, _ height: Int) throws -> WatermarkImage {
        var bitmap = try Bitmap(size: PixelSize(width, height))
        bitmap.fill(PixelRect(size: bitmap.size), with: .black)
        return WatermarkImage(bitmap)
    }

    /// Returns the rows of an image that is white where it is `.`, and black where it is `#`.
    private static func rows(
        _ mark: WatermarkImage,
        _ placement: WatermarkPlacement,
        on size: (Int, Int) = (8, 5),
        scale: Double = 1
    ) throws -> [String] {
        let chain: ImageProcessorChain = .watermark(mark, placement: placement)
        let bitmap = try chain.bitmap(from: sheet(size.0, size.1), scale: scale)
        return (0..<size.1).map { y in
            String((0..<size.0).map { x in bitmap.pixel(x, y)[0] == 255 ? "." : "#" })
        }
    }

    @Test("lies at its anchor, moved by its offset, in its own size")
    func place() throws {
        let mark = try Self.mark(3, 2)
        #expect(
            try Self.rows(mark, WatermarkPlacement()) == ["........", "........", "........", ".....###", ".....###"]
        )
        #expect(
            try Self.rows(mark, WatermarkPlacement(anchor: .topLeft, offset: .pixels(2, 1)))
                == ["........", "..###...", "..###...", "........", "........"]
        )
        #expect(
            try Self.rows(mark, WatermarkPlacement(offset: .pixels(1.4, -1)))
                == ["........", "........", "......##", "......##", "........"]
        )
        #expect(
            try Self.rows(mark, WatermarkPlacement(anchor: .topRight, offset: .pixels(.infinity, .nan)))
                == [String](repeating: "........", count: 5)
        )
    }

    @Test("is as large as fits into its size, in pixels, points or parts of the image")
    func size() throws {
        let mark = try Self.mark(40, 20)
        let expected = ["####....", "####....", "........", "........", "........"]
        let sizes: [WatermarkPlacement.Size] = [
            .fitting(.pixels(4, 100)), .fitting(.pixels(100, 2)), .fitting(.points(4, 4)), .fraction(0.5),
        ]
        for size in sizes {
            #expect(try Self.rows(mark, WatermarkPlacement(size: size, anchor: .topLeft)) == expected)
        }
        let empty = WatermarkPlacement(size: .fraction(0))
        #expect(try Self.rows(mark, empty) == [String](repeating: "........", count: 5))
    }

    @Test("has lengths in points that become pixels by the scale")
    func points() throws {
        let mark = try Self.mark(4, 4)
        let points = WatermarkPlacement(
            size: .fitting(.points(1, 1)),
            anchor: .topLeft,
            offset: .points(1, 0.5),
            tileSpacing: .points(1, 1)
        )
        let pixels = WatermarkPlacement(
            size: .fitting(.pixels(2, 2)),
            anchor: .topLeft,
            offset: .pixels(2, 1),
            tileSpacing: .pixels(2, 2)
        )
        #expect(try Self.rows(mark, points, scale: 2) == Self.rows(mark, pixels, scale: 2))
        let chain: ImageProcessorChain = .watermark(mark, placement: points)
        #expect(chain.hasLengthsInPoints)
        #expect(chain.inPixels(atScale: 2) == .watermark(mark, placement: pixels))
        #expect(!ImageProcessorChain.watermark(mark, placement: pixels).hasLengthsInPoints)
    }

    @Test("covers the image as tiles, in both directions from where it lies")
    func tiles() throws {
        let mark = try Self.mark(2, 1)
        let placement = WatermarkPlacement(anchor: .topLeft, offset: .pixels(1, 2), tileSpacing: .pixels(1, 1))
        #expect(try Self.rows(mark, placement) == [".##.##.#", "........", ".##.##.#", "........", ".##.##.#"])
        let dense = WatermarkPlacement(offset: .pixels(-3, 1), tileSpacing: .pixels(-5, -5))
        #expect(try Self.rows(mark, dense) == [String](repeating: "########", count: 5))
        // Distances are limited to 2^30: the second copy begins 2^30 and its width of 2 after the first, at column 2.
        let far = WatermarkPlacement(anchor: .topLeft, offset: .pixels(-1e12, 0), tileSpacing: .pixels(1e12, 1e12))
        #expect(try Self.rows(mark, far) == [String](repeating: "........", count: 5).replacingFirst("..##...."))
    }

    @Test("is drawn by a mode and an opacity, into any depth", arguments: SampleDepth.allCases)
    func blending(depth: SampleDepth) throws {
        let sheet = try Self.sheet(6, 4, depth: depth)
        let mark = WatermarkImage(Sample.bitmap(5, 3))
        var expected = sheet
        try expected.draw(mark.bitmap, at: PixelPoint(1, 1), mode: .difference, opacity: 0.5)
        let result = try ImageProcessorChain.watermark(mark, mode: .difference, opacity: 0.5).bitmap(from: sheet)
        #expect(result.depth == depth && result.isOpaque)
        #expect(result.straightRGBA16() == expected.straightRGBA16())
    }

    @Test("has the identity of its pixels, and so has the processor, with each parameter")
    func identity() throws {
        #expect(WatermarkImage(Sample.bitmap()) == WatermarkImage(Sample.bitmap()))
        #expect(WatermarkImage(Sample.bitmap(seed: 1)) != WatermarkImage(Sample.bitmap()))
        let white = WatermarkImage(try Self.sheet(4, 2))
        let marks = [
            white, WatermarkImage(try Self.sheet(2, 4)), WatermarkImage(try Self.sheet(4, 2, depth: .sixteen)),
            try Self.mark(4, 2),
        ]
        #expect(Set(marks).count == marks.count)
        let placements = [
            WatermarkPlacement(), WatermarkPlacement(size: .fitting(.pixels(1, 1))),
            WatermarkPlacement(size: .fitting(.points(1, 1))), WatermarkPlacement(size: .fraction(1)),
            WatermarkPlacement(anchor: .bottomLeft), WatermarkPlacement(anchor: .topRight),
            WatermarkPlacement(offset: .pixels(1, 0)), WatermarkPlacement(offset: .pixels(0, 1)),
            WatermarkPlacement(offset: .points(1, 0)), WatermarkPlacement(tileSpacing: .zero),
            WatermarkPlacement(tileSpacing: .pixels(1, 0)), WatermarkPlacement(tileSpacing: .points(0, 0)),
        ]
        let chains: [ImageProcessorChain] =
            marks.map { .watermark($0) } + placements.dropFirst().map { .watermark(white, placement: $0) } + [
                .watermark(white, mode: .multiply), .watermark(white, opacity: 0.5),
            ]
        #expect(Set(chains).count == chains.count)
    }

    @Test("scales with the image where size and place are parts of it")
    func scaling() throws {
        let mark = try Self.mark(4, 2)
        func scales(_ placement: WatermarkPlacement) -> Bool {
            WatermarkProcessor(watermark: mark, placement: placement, mode: .normal, opacity: 1).scalesWithImage
        }
        #expect(scales(WatermarkPlacement(size: .fraction(0.2))))
        #expect(!scales(WatermarkPlacement()))
        #expect(!scales(WatermarkPlacement(size: .fraction(0.2), offset: .pixels(-4, 0))))
        #expect(!scales(WatermarkPlacement(size: .fraction(0.2), tileSpacing: .points(2, 0))))
    }

    @Test("takes no more memory than the budget knows of, and refuses impossible sizes")
    func workingSize() throws {
        let image = DecodedImage(processing: try Self.sheet(8, 5))
        func processor(_ size: WatermarkPlacement.Size) throws -> WatermarkProcessor {
            let placement = WatermarkPlacement(size: size)
            return WatermarkProcessor(watermark: try Self.mark(4, 2), placement: placement, mode: .normal, opacity: 1)
        }
        #expect(try processor(.original).workingSize(for: image) == PixelSize(8, 5))
        #expect(try processor(.fitting(.pixels(400, 400))).workingSize(for: image) == PixelSize(400, 200))
        #expect(try processor(.fitting(.points(0, 9))).workingSize(for: image) == PixelSize(8, 5))
        // Scaled with 16 bits a sample, for an image of 8.
        let deep = WatermarkProcessor(
            watermark: WatermarkImage(try Self.mark(4, 2).bitmap.converted(to: .sixteen)),
            placement: WatermarkPlacement(size: .fitting(.pixels(400, 400))),
            mode: .normal,
            opacity: 1
        )
        #expect(deep.workingSize(for: image) == PixelSize(400, 400))
        let immense = try processor(.fitting(.points(1e15, 1e15)))
        #expect(immense.workingSize(for: image).width > 1 << 26)
        #expect(throws: BitmapError.self) { _ = try immense.process(image) { false } }
    }

    @Test("is not drawn once the work is cancelled")
    func cancellation() throws {
        let image = DecodedImage(processing: try Self.sheet(8, 5))
        let placement = WatermarkPlacement(tileSpacing: .zero)
        let mark = try Self.mark(1, 1)
        let processor = WatermarkProcessor(watermark: mark, placement: placement, mode: .normal, opacity: 1)
        let calls = CallCounter()
        #expect(throws: CancellationError.self) {
            _ = try processor.process(image) {
                calls.add()
                return calls.value == 3
            }
        }
        #expect(calls.value == 3)
    }
}

extension [String] {
    fileprivate func replacingFirst(_ row: String) -> [String] { [row] + dropFirst() }
}
