import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Processing")
struct ProcessingTests {
    private let test = TestPipeline()
    private let url = Sample.url()

    private func size(of body: Data, _ processing: ImageProcessorChain) async throws -> PixelSize {
        let url = Sample.url()
        test.transport.serve(url, body)
        return try await test.pipeline.image(from: url, options: [.processor(processing)]).size
    }

    @Test(
        "fits, fills or stretches to a size",
        arguments: [
            (ResizeMode.fit, PixelSize(32, 32), PixelSize(32, 24)), (.fill, PixelSize(32, 32), PixelSize(32, 32)),
            (.stretch, PixelSize(10, 40), PixelSize(10, 40)), (.fit, PixelSize(640, 640), PixelSize(640, 480)),
            (.fit, PixelSize(1, 1), PixelSize(1, 1)),
        ]
    )
    func modes(mode: ResizeMode, target: PixelSize, expected: PixelSize) async throws {
        #expect(try await size(of: Sample.png(64, 48), .resize(to: .pixels(target), mode: mode)) == expected)
        #expect(try await size(of: Sample.jpeg(64, 48), .resize(to: .pixels(target), mode: mode)) == expected)
    }

    @Test("does not enlarge unless asked to")
    func downsample() async throws {
        #expect(try await size(of: Sample.png(64, 48), .downsample(to: .pixels(200, 200))) == PixelSize(64, 48))
        #expect(try await size(of: Sample.png(64, 48), .downsample(to: .pixels(16, 16))) == PixelSize(16, 12))
        // Sides that are rounded to what they were do not hide that the others are too long.
        #expect(try await size(of: Sample.png(1, 1_000), .downsample(to: .pixels(100, 500))) == PixelSize(1, 500))
        #expect(try await size(of: Sample.png(1_000, 3), .downsample(to: .pixels(900, 100))) == PixelSize(900, 3))
        let fill = ImageProcessorChain.resize(to: .pixels(100, 10), mode: .fill, enlarges: false)
        #expect(try await size(of: Sample.png(64, 48), fill) == PixelSize(64, 10))
    }

    @Test("of a reduced JPEG keeps the ratio of the whole image", arguments: [(1001, 333), (333, 1001), (997, 991)])
    func ratio(width: Int, height: Int) async throws {
        let processing = ImageProcessorChain.downsample(to: .pixels(50, 50))
        let expected = PixelSize(width, height).fitting(in: PixelSize(50, 50))
        #expect(try await size(of: Sample.jpeg(width, height), processing) == expected)
    }

    @Test("makes no image of more bytes than the limits of decoding allow, whatever a file makes of a rotation")
    func memoryLimit() async throws {
        let limits = DecodeLimits(memory: 1 << 20)
        test.transport.serve(url, Sample.png(2_000, 1))
        let options: [ImageOption] = [.processor(.rotate(byDegrees: 45)), .decodeLimits(limits)]
        await #expect {
            try await test.pipeline.image(from: url, options: options)
        } throws: { error in
            guard case .processing(let reason) = (error as? ImageError)?.reason else { return false }
            return reason.hasSuffix("bytes would be taken; the limit is 1048576")
        }
        // Sharpening works on rows of more bytes than the image, which is within the limit.
        test.transport.serve(url, Sample.png(300, 300))
        let sharpened = try await test.pipeline.image(
            from: url,
            options: [.processor(.sharpen()), .decodeLimits(limits), .forceRefresh]
        )
        #expect(sharpened.size == PixelSize(300, 300))
    }

    @Test("after a crop works on the crop")
    func cropThenResize() async throws {
        let chain: ImageProcessorChain = .crop(to: .pixels(400, 100)) |> .downsample(to: .pixels(100, 100))
        #expect(try await size(of: Sample.jpeg(1000, 800), chain) == PixelSize(100, 25))
    }

    @Test("rounds corners and keeps them through the disk cache")
    func roundCorners() async throws {
        test.transport.serve(url, Sample.jpeg(64, 48))
        let options: [ImageOption] = [.processor(.roundCorners(radius: .points(10))), .waitForCache]
        let first = try await test.pipeline.response(for: url, options: options)
        #expect(first.image.bitmap.pixel(0, 0)[3] == 0)
        #expect(first.image.bitmap.pixel(32, 24)[3] == 255)
        test.pipeline.cache.removeAllFromMemory()
        let second = try await test.pipeline.response(for: url, options: options)
        #expect(second.source == .disk)
        #expect(second.image.bitmap.hasSamePixels(as: first.image.bitmap))
    }

    @Test("sees an upright image in every orientation")
    func orientation() async throws {
        // The stored image is 64 × 48; with orientation 6 it is shown as 48 × 64.
        let body = JPEGWithOrientation.data(Sample.jpeg(64, 48), orientation: 6)
        #expect(try await size(of: body, .identity) == PixelSize(48, 64))
        #expect(try await size(of: body, .downsample(to: .pixels(24, 24))) == PixelSize(18, 24))
    }
}

enum JPEGWithOrientation {
    /// The same JPEG with an EXIF segment behind its first marker.
    static func data(_ jpeg: Data, orientation: UInt8) -> Data {
        let tiff: [UInt8] = [
            0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0,
        ]
        let body = Array("Exif\0\0".utf8) + tiff
        let segment: [UInt8] = [0xFF, 0xE1, UInt8((body.count + 2) >> 8), UInt8((body.count + 2) & 255)] + body
        return jpeg.prefix(2) + Data(segment) + jpeg.dropFirst(2)
    }
}
