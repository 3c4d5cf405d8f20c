import FoundationEssentials
import HalcyonFormats
import HalcyonTesting
import Testing

@testable import Halcyon

/// The workers are `halcyon-decoder`, which lies beside the program of the tests.
@Suite("A load whose image is decoded in a confined process")
struct IsolatedLoadTests {
    private let test = TestPipeline(codecs: ImageCodecs.standard + [.all])
    private let url = URL(string: "https://origin.example/a")

    private func image(_ data: Data, _ options: [ImageOption]) async throws -> DecodedImage {
        let url = try #require(url)
        test.transport.serve(url, data)
        return try await test.pipeline.response(for: url, options: options + [.noCache]).image
    }

    private func samples(_ image: DecodedImage) -> [UInt8] { image.bitmap.straightRGBA() }

    @Test("gives the image that the program would decode", arguments: [ImageFormat.jpeg, .webp, .png, .tiff])
    func same(format: ImageFormat) async throws {
        let data = try (ImageCodecs.standard + [.all]).encode(Sample.bitmap(90, 60), as: format)
        let resize = ImageOption.processor(.downsample(to: .pixels(30, 20)))
        for options in [[], [resize]] {
            let expected = try await image(data, options)
            // Not every system offers all kinds.
            let reached = try HalcyonWorker.report().reached
            for isolation in [DecodeIsolation.preferred, .required(.process), .required(reached)] {
                let isolated = try await image(data, options + [.isolation(isolation)])
                #expect(samples(isolated) == samples(expected) && isolated.info == expected.info)
            }
        }
    }

    @Test("is of a page whose shape is not that of the first")
    func page() async throws {
        let pages = [Sample.bitmap(8, 8), Sample.bitmap(60, 90), Sample.bitmap(90, 30)]
        let data = try (ImageCodecs.standard + [.all]).encode(pages: pages, as: .tiff)
        for index in pages.indices {
            let options: [ImageOption] = [.frame(index), .processor(.resize(to: .pixels(20, 20)))]
            let expected = try await image(data, options)
            let isolated = try await image(data, options + [.isolation(.required(.process))])
            #expect(isolated.size == expected.size && samples(isolated) == samples(expected))
        }
    }

    @Test("is found in a cache by one that decodes in the program, as isolation is in no key")
    func key() async throws {
        let url = try #require(url)
        test.transport.serve(url, try ImageCodecs.standard.encode(Sample.bitmap(9, 6), as: .jpeg))
        _ = try await test.pipeline.response(for: url, options: [.isolation(.required(.process))])
        #expect(try await test.pipeline.response(for: url).source == .memory)
        #expect(test.transport.startedCount == 1)
    }

    @Test("has the frames of an animation")
    func animation() async throws {
        let frames = (1...3).map { AnimationFrame(bitmap: Sample.bitmap(8, 8, seed: $0 * 60), duration: 50) }
        let data = try ImageCodecs.standard.encode(frames, as: .webp)
        let expected = try await image(data, [.animation(.preloaded)])
        let isolated = try await image(data, [.animation(.preloaded), .isolation(.required(.process))])
        let (one, other) = (expected.animation?.preloadedFrames ?? [], isolated.animation?.preloadedFrames ?? [])
        #expect(
            one.count == 3 && one.map(samples) == other.map(samples),
            "\(one.count), \(other.count), \(expected.info)"
        )
    }

    @Test("is of a video in a file, which the worker reads")
    func video() async throws {
        let path = TestPipeline.temporaryPath() + ".mp4"
        try VideoFixture.data("keys.mp4").write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        func frame(_ options: [ImageOption]) async throws -> DecodedImage {
            let source = Source.videoFrame(of: URL(filePath: path), at: .seconds(1.6), tolerance: .exact)
            return try await test.pipeline.response(for: ImageRequest(source, options: options + [.noCache])).image
        }
        let expected = try await frame([])
        let reached = try HalcyonWorker.report().reached
        #expect(samples(try await frame([.isolation(.required(reached))])) == samples(expected))
        #expect(samples(try await frame([.isolation(.preferred)])) == samples(expected))
        try Data("no video".utf8).write(to: URL(filePath: path))
        let error = await #expect(throws: ImageError.self) { try await frame([.isolation(.preferred)]) }
        #expect(error?.code == "notAnImage")
    }

    @Test("fails with a typed error where the process has no decoder, and is decoded in the program if that may be")
    func noDecoder() async throws {
        let test = TestPipeline(codecs: ImageCodecs(decoders: [OwnDecoder()]))
        let (url, observer) = (try #require(url), RecordingObserver())
        test.transport.serve(url, Data("own".utf8))
        let required: [ImageOption] = [.isolation(.required(.process)), .noCache]
        let error = try await test.pipeline.task(for: url, options: required).failure()
        guard case .codec(.isolation(.noDecoder(let type))) = error.reason else {
            Issue.record("\(error)")
            return
        }
        #expect(type.contains("OwnDecoder") && error.code == "isolation" && error.stage == .decode)
        for _ in 0..<2 {
            let options: [ImageOption] = [.isolation(.preferred), .noCache, .observers(observer)]
            #expect(try await test.pipeline.image(from: url, options: options).size == PixelSize(1, 1))
        }
        #expect(observer.texts.filter { $0 == "decoded OWN in the program" }.count == 1)
    }
}

/// A decoder that no other process has.
private struct OwnDecoder: ImageDecoder, ConfinableDecoder {
    var format: ImageFormat { ImageFormat(rawValue: "own") }

    var confinement: DecoderConfinement { .library }

    func recognizes(_ prefix: Data) -> Bool { prefix.starts(with: Data("own".utf8)) }

    func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        ImageInfo(format: format, size: PixelSize(1, 1))
    }

    func decode(_ data: Data, options: DecodeOptions, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        DecodedImage(bitmap: try Bitmap(size: PixelSize(1, 1)), info: try info(of: data, limits: .standard))
    }
}
