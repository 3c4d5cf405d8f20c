import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs

@Suite("Decoding damaged files while bytes arrive")
struct IncrementalDamageTests {
    private func decode(
        _ data: Data,
        options: DecodeOptions = DecodeOptions(),
        isCancelled: @Sendable () -> Bool = { false }
    ) throws -> DecodedImage? {
        let decoder = IncrementalDecoder(options: options)
        try decoder.append(data)
        decoder.end()
        while try decoder.advance(isCancelled: isCancelled) {}
        return try decoder.image(isCancelled: isCancelled)
    }

    @Test("a file that is cut short is truncated at its end, not before", arguments: IncrementalSample.allCases)
    func truncation(sample: IncrementalSample) throws {
        let data = try sample.data.dropLast(try sample.data.count / 3)
        // Of an animation, the first frame is there.
        if sample == .animatedGIF { return }
        let decoder = IncrementalDecoder(options: DecodeOptions(damage: .isRefused))
        try decoder.append(data)
        while try decoder.advance() {}
        #expect(!decoder.progress.isComplete)
        decoder.end()
        #expect(throws: CodecError.self) { while try decoder.advance() {} }
    }

    @Test("what is there of a file that is cut short is shown at its end as of the whole bytes")
    func whatIsThere() throws {
        let samples: [IncrementalSample] = [
            .baselineJPEG, .progressiveJPEG, .turnedJPEG, .png, .palettePNG, .translucentPNG, .interlacedPNG, .widePNG,
            .turnedInterlacedPNG, .interruptedPNG, .gif,
        ]
        for sample in samples {
            let data = try sample.data
            for share in stride(from: 2, to: 20, by: 3) {
                let part = data.prefix(data.count * share / 20)
                let whole = try? ImageCodecs.all.decode(part)
                let image = try? decode(part)
                #expect(image?.isPartial == whole?.isPartial, "\(sample), \(share)")
                #expect(image?.bitmap.rowBytes() == whole?.bitmap.rowBytes(), "\(sample), \(share)")
                #expect(image?.info == whole?.info && image?.bitmap.isOpaque == whole?.bitmap.isOpaque)
            }
        }
        for sample in [IncrementalSample.baselineJPEG, .png, .interlacedPNG, .widePNG, .gif] {
            let data = try sample.data
            #expect(try decode(data.dropLast(data.count / 8))?.isPartial == true, "\(sample)")
        }
    }

    @Test("damage at any byte is a typed error, or an image", arguments: IncrementalSample.allCases)
    func damage(sample: IncrementalSample) throws {
        let data = try sample.data
        for place in stride(from: 0, to: data.count, by: 11) {
            var damaged = data
            damaged[place] ^= 0x5a
            do {
                let image = try decode(damaged, options: DecodeOptions(limits: DecodeLimits(pixelCount: 1 << 16)))
                if let bitmap = image?.bitmap { #expect(!bitmap.isOpaque || !bitmap.containsTransparency()) }
            } catch is CodecError {
            }
        }
    }

    @Test("an error is thrown again by each call")
    func sameError() throws {
        let decoder = IncrementalDecoder()
        try decoder.append(Data(repeating: 1, count: 100))
        for _ in 0..<2 {
            #expect(throws: CodecError.unknownFormat(detected: nil)) { try decoder.advance() }
            #expect(throws: CodecError.unknownFormat(detected: nil)) { try decoder.append(Data([1])) }
        }
    }

    @Test("limits are checked before memory is taken", arguments: IncrementalSample.allCases)
    func limits(sample: IncrementalSample) throws {
        for limits in [DecodeLimits(pixelCount: 2), DecodeLimits(sideLength: 2), DecodeLimits(memory: 3)] {
            do {
                _ = try decode(sample.data, options: DecodeOptions(limits: limits))
                Issue.record("\(limits) do not hold")
            } catch let error as CodecError {
                guard case .limitExceeded = error else {
                    Issue.record("\(error)")
                    continue
                }
            }
        }
    }

    @Test("a cancelled decoder ends", arguments: IncrementalSample.allCases)
    func cancellation(sample: IncrementalSample) throws {
        let data = try sample.data
        #expect(throws: CancellationError.self) { try decode(data, isCancelled: { true }) }
    }

    @Test("files that have to be there as a whole are unsupported")
    func unsupported() throws {
        let bmp = try BMPEncoder().encode(TestImages.photo(40, 10), options: EncodeOptions())
        let animation = try AnimationBytes.webp()
        let arithmetic = JPEGBytes(process: 0xc9).data
        for data in [bmp, animation, arithmetic] {
            do {
                _ = try decode(data)
                Issue.record("it is decoded")
            } catch let error as CodecError {
                guard case .unsupported = error else {
                    Issue.record("\(error)")
                    continue
                }
            }
        }
        #expect(throws: CodecError.self) {
            try decode(try IncrementalSample.animatedGIF.data, options: DecodeOptions(frame: 1))
        }
    }
}
