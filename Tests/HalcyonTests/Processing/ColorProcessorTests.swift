import FoundationEssentials
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Colour processors")
struct ColorProcessorTests {
    private static let red = Color(red: 1, green: 0, blue: 0)

    /// An image of opaque gray, then of half and of fully transparent white.
    private static func image() throws -> Bitmap {
        var bitmap = try Bitmap(size: PixelSize(3, 1))
        bitmap.fill(PixelRect(x: 0, y: 0, width: 1, height: 1), with: Color(white: 0.4))
        bitmap.fill(PixelRect(x: 1, y: 0, width: 1, height: 1), with: Color(white: 1, alpha: 0.5))
        return bitmap
    }

    private static func pixels(_ chain: ImageProcessorChain) throws -> [[UInt8]] {
        let bitmap = try chain.bitmap(from: image())
        return (0..<3).map { bitmap.pixel($0, 0) }
    }

    @Test("overlay keeps the image's shape, and mixes by a fraction")
    func overlay() throws {
        #expect(try Self.pixels(.overlay(Self.red)) == [[179, 51, 51, 255], [128, 64, 64, 128], [0, 0, 0, 0]])
        #expect(
            try Self.pixels(.overlay(Self.red, fraction: 0)) == [[255, 0, 0, 255], [128, 0, 0, 128], [0, 0, 0, 0]]
        )
        #expect(try Self.pixels(.overlay(Self.red, fraction: 1)) == Self.pixels(.identity))
    }

    @Test("tint covers everything, or the image's shape by another mode")
    func tint() throws {
        let half = Color(red: 1, green: 0, blue: 0, alpha: 0.5)
        #expect(try Self.pixels(.tint(Self.red)) == [[UInt8]](repeating: [255, 0, 0, 255], count: 3))
        let shaped = try Self.pixels(.tint(half, mode: .sourceAtop))
        #expect(shaped.map { $0[3] } == [255, 128, 0])
        #expect(shaped[2] == [0, 0, 0, 0])
        #expect(try Self.pixels(.tint(Self.red, mode: .multiply))[0] == [102, 0, 0, 255])
    }

    @Test("a background shows where the image is transparent, and opacity lets it through")
    func background() throws {
        let expected: [[UInt8]] = [[102, 102, 102, 255], [255, 128, 128, 255], [255, 0, 0, 255]]
        for (value, wanted) in zip(try Self.pixels(.background(Self.red)), expected) {
            #expect(zip(value, wanted).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
        }
        #expect(try ImageProcessorChain.background(Self.red).bitmap(from: Self.image()).isOpaque)
        #expect(try Self.pixels(.opacity(0.5))[0] == [51, 51, 51, 128])
        #expect(try Self.pixels(.opacity(0)) == [[UInt8]](repeating: [0, 0, 0, 0], count: 3))
        let darkened = try Self.pixels(.blend(.multiply, opacity: 1, background: Self.red))
        #expect(darkened[0] == [102, 0, 0, 255])
    }

    @Test("an opaque image is not copied for a background that it hides")
    func hiddenBackground() throws {
        let bitmap = Sample.bitmap()
        let result = try ImageProcessorChain.background(.white).bitmap(from: bitmap)
        #expect(result.buffer === bitmap.buffer)
    }

    @Test("colour controls compute in linear light unless told otherwise")
    func colorControls() throws {
        let bitmap = Sample.bitmap()
        let controls = ColorAdjustment.controls(brightness: 0.1, contrast: 1.2, saturation: 0.5, exposure: 0.5)
        for space in ColorAdjustment.WorkingSpace.allCases {
            let chain: ImageProcessorChain = .colorControls(
                brightness: 0.1,
                contrast: 1.2,
                saturation: 0.5,
                exposure: 0.5,
                in: space
            )
            let expected = try bitmap.adjustingColors(controls, in: space)
            #expect(try chain.bitmap(from: bitmap).hasSamePixels(as: expected))
        }
        #expect(
            ImageProcessorChain.colorControls(contrast: 2) == .colorControls(contrast: 2, in: .linear)
        )
    }

    @Test("black and white is gray, 0.7 stops brighter")
    func blackAndWhite() throws {
        // 0.4 encoded is 0.1329 linear; times 2^0.7 that is 0.2159, and 0.5022 encoded.
        #expect(try Self.pixels(.blackAndWhite)[0] == [128, 128, 128, 255])
        let result = try ImageProcessorChain.blackAndWhite.bitmap(from: Sample.bitmap())
        #expect(result.isGray)
    }

    @Test("adjustments of a list are limited once, after the last")
    func list() throws {
        let bitmap = Sample.bitmap()
        let chain: ImageProcessorChain = .adjustColors([.brightness(2), .brightness(-2)])
        #expect(try chain.bitmap(from: bitmap).hasSamePixels(as: bitmap))
        let separate: ImageProcessorChain = .adjustColors([.brightness(2)]) |> .adjustColors([.brightness(-2)])
        #expect(try separate.bitmap(from: bitmap).pixel(10, 10) == [0, 0, 0, 255])
        #expect(try ImageProcessorChain.adjustColors([]).bitmap(from: bitmap).buffer === bitmap.buffer)
    }

    @Test(
        "16 bits a sample stay 16 bits",
        arguments: [ImageProcessorChain.blackAndWhite, .tint(.white), .opacity(0.5)]
    )
    func sixteenBits(chain: ImageProcessorChain) throws {
        let bitmap = try Sample.bitmap().converted(to: .sixteen)
        #expect(try chain.bitmap(from: bitmap).depth == .sixteen)
    }

    @Test("parameters that differ in one place give different identities")
    func identities() throws {
        let translucent = Color(red: 1, green: 0, blue: 0, alpha: 0.5)
        let chains: [ImageProcessorChain] = [
            .overlay(Self.red), .overlay(Self.red, fraction: 0.6), .overlay(translucent), .overlay(.white),
            .tint(Self.red), .tint(translucent), .tint(Self.red, mode: .multiply), .tint(Self.red, mode: .screen),
            .blend(.multiply), .blend(.multiply, opacity: 0.5), .blend(.multiply, background: .clear),
            .blend(.multiply, background: .white), .blend(.normal, background: .white), .opacity(0.5), .opacity(0.25),
            .blackAndWhite, .colorControls(exposure: 0.7), .colorControls(saturation: 0, exposure: 0.7, in: .sRGB),
            .colorControls(brightness: 0.1), .colorControls(contrast: 1.1), .colorControls(saturation: 1.1),
            .adjustColors([]), .adjustColors([.sepia()]), .adjustColors([.sepia(0.9)]),
            .adjustColors([.sepia(), .inverted()]), .adjustColors([.inverted(), .sepia()]),
        ]
        #expect(Set(chains).count == chains.count)
        #expect(ImageProcessorChain.background(.white) == .blend(.normal, background: .white))
    }

    @Test("lets a larger image answer for a smaller one")
    func scaling() {
        let chains: [ImageProcessorChain] = [
            .overlay(.white), .tint(.white), .blend(.multiply), .blackAndWhite,
        ]
        #expect(chains.flatMap(\.steps).allSatisfy { $0.processor.scalesWithImage })
    }

    @Test(
        "ends soon after it is cancelled",
        arguments: [ImageProcessorChain.overlay(.white), .tint(.white), .opacity(0.5), .blackAndWhite]
    )
    func cancellation(chain: ImageProcessorChain) throws {
        let image = DecodedImage(processing: try Bitmap(size: PixelSize(1_000, 200)))
        let processor = try #require(chain.steps.first?.processor)
        let calls = CallCounter()
        #expect(throws: CancellationError.self) {
            _ = try processor.process(image) {
                calls.add()
                return calls.value == 2
            }
        }
        #expect(calls.value == 2)
    }

    @Test("results are found again on disk")
    func disk() async throws {
        let test = TestPipeline()
        let url = Sample.url()
        test.transport.serve(url, Sample.png())
        let options: [ImageOption] = [.processor(.tint(Self.red, mode: .softLight) |> .blackAndWhite), .waitForCache]
        let first = try await test.pipeline.response(for: url, options: options)
        test.pipeline.cache.removeAllFromMemory()
        let second = try await test.pipeline.response(for: url, options: options)
        #expect(second.source == .disk)
        #expect(second.image.bitmap.hasSamePixels(as: first.image.bitmap))
        #expect(first.image.bitmap.isGray)
    }
}
