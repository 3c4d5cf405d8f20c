import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs

@Suite("JPEG at reduced size and upright")
struct JPEGScaleTests {
    private let decoder = JPEGDecoder()

    @Test(
        "the smallest eighth with twice the target's sides is used, and the full size where none has them",
        arguments: [
            (PixelSize(4_000, 3_000), PixelSize(400, 300), 2, PixelSize(1_000, 750)),
            (PixelSize(4_000, 3_000), PixelSize(250, 187), 1, PixelSize(500, 375)),
            (PixelSize(4_000, 3_000), PixelSize(250, 188), 2, PixelSize(1_000, 750)),
            (PixelSize(4_000, 3_000), PixelSize(501, 100), 4, PixelSize(2_000, 1_500)),
            (PixelSize(4_000, 3_000), PixelSize(1_000, 750), 4, PixelSize(2_000, 1_500)),
            (PixelSize(4_000, 3_000), PixelSize(1_001, 1), 8, PixelSize(4_000, 3_000)),
            (PixelSize(4_000, 3_000), PixelSize(9_000, 9_000), 8, PixelSize(4_000, 3_000)),
            (PixelSize(4_000, 3_000), PixelSize(.max, .max), 8, PixelSize(4_000, 3_000)),
            (PixelSize(4_000, 3_000), PixelSize(0, 100), 8, PixelSize(4_000, 3_000)),
            (PixelSize(17, 9), PixelSize(1, 1), 1, PixelSize(3, 2)),
            (PixelSize(1, 1), PixelSize(1, 1), 8, PixelSize(1, 1)),
        ]
    )
    func scales(_ stored: PixelSize, target: PixelSize, eighths: Int, size: PixelSize) {
        let scale = JPEGScale(of: stored, serving: target)
        #expect(Int(scale.eighths) == eighths)
        #expect(scale.size == size)
        #expect(JPEGScale(of: stored, serving: nil).size == stored)
    }

    @Test(
        "each scale shows the same image, with the stored size in its description",
        arguments: [
            (PixelSize(20, 14), PixelSize(42, 30)), (PixelSize(40, 28), PixelSize(84, 60)),
            (PixelSize(80, 56), PixelSize(167, 119)), (PixelSize(200, 200), PixelSize(334, 238)),
        ]
    )
    func scaledImages(_ target: PixelSize, size: PixelSize) throws {
        let stored = PixelSize(334, 238)
        let data = try JPEGEncoder().encode(Bitmap.sample(stored), options: EncodeOptions(quality: 95))
        let options = DecodeOptions(targetSize: target)
        let image = try decoder.decode(data, options: options, isCancelled: { false })
        #expect(image.size == size)
        #expect(image.info.size == stored)
        for (x, y) in [(0.1, 0.1), (0.9, 0.1), (0.5, 0.5), (0.1, 0.9), (0.9, 0.9)] {
            let pixel = image.bitmap[Int(x * Double(size.width)), Int(y * Double(size.height))]
            let expected = [40 + x * 180, 30 + y * 200]
            #expect(zip(pixel, expected).allSatisfy { abs(Double($0) - $1) < 6 }, "\(pixel) for \(expected)")
        }
    }

    /// The places at which the corners of the stored image, clockwise from the upper left, are seen: 0 upper left, 1
    /// upper right, 2 lower right, 3 lower left (TIFF 6.0, tag 274).
    private static let corners: [Orientation: [Int]] = [
        .up: [0, 1, 2, 3], .upMirrored: [1, 0, 3, 2], .down: [2, 3, 0, 1], .downMirrored: [3, 2, 1, 0],
        .leftMirrored: [0, 3, 2, 1], .right: [1, 2, 3, 0], .rightMirrored: [2, 1, 0, 3], .left: [3, 0, 1, 2],
    ]

    @Test(
        "all eight orientations are upright, at full and at reduced size",
        arguments: Orientation.allCases,
        [
            nil, PixelSize(20, 20),
        ]
    )
    func orientations(_ orientation: Orientation, target: PixelSize?) throws {
        let stored = PixelSize(320, 200)
        let plain = try JPEGEncoder().encode(Bitmap.sample(stored), options: EncodeOptions(quality: 95))
        let file = plain.prefix(2) + JPEGBytes.exif(orientation: UInt16(orientation.rawValue)) + plain.dropFirst(2)
        let options = DecodeOptions(targetSize: target)
        let image = try decoder.decode(file, options: options, isCancelled: { false })
        #expect(image.info.orientation == orientation)
        #expect(image.info.size == stored)
        let reduced = target == nil ? stored : PixelSize(80, 50)
        #expect(image.size == orientation.displaySize(of: reduced))
        let seen = corners(of: image.bitmap)
        let original = corners(of: try Bitmap.sample(stored))
        for (corner, place) in (Self.corners[orientation] ?? []).enumerated() {
            let isSame = zip(seen[place], original[corner]).allSatisfy { abs(Int($0) - Int($1)) < 12 }
            #expect(isSame, "corner \(corner): \(seen[place]) instead of \(original[corner])")
        }
    }

    @Test("the target is meant for the upright image")
    func turnedTarget() throws {
        let plain = JPEGBytes(width: 320, height: 200)
        var turned = plain
        turned.segments = JPEGBytes.exif(orientation: 6)
        // 40 × 60 stored upright: 320 × 1/2 ≥ 2 × 60.
        let options = DecodeOptions(targetSize: PixelSize(40, 60))
        #expect(try decoder.decode(turned.data, options: options, isCancelled: { false }).size == PixelSize(100, 160))
        #expect(try decoder.decode(plain.data, options: options, isCancelled: { false }).size == PixelSize(320, 200))
    }

    private func corners(of bitmap: Bitmap) -> [[UInt8]] {
        let (right, bottom) = (bitmap.width - 1, bitmap.height - 1)
        return [bitmap[0, 0], bitmap[right, 0], bitmap[right, bottom], bitmap[0, bottom]]
    }
}
