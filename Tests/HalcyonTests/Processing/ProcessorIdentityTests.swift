import Testing

@testable import Halcyon

@Suite("The identities of processors")
struct ProcessorIdentityTests {
    private static let chains = ProcessorExamples.families.flatMap(\.chains)

    @Test("differ wherever a parameter differs")
    func differ() {
        var names: [[UInt8]: Int] = [:]
        for (index, chain) in Self.chains.enumerated() {
            let bytes = chain.steps.flatMap(\.identity)
            #expect(names.updateValue(index, forKey: bytes) == nil, "\(chain.steps[0].processor)")
        }
        #expect(Set(Self.chains).count == Self.chains.count)
    }

    @Test("of lengths in points become those of the pixels, at each scale others", arguments: [2.0, 3])
    func points(scale: Double) {
        for chain in Self.chains where chain.hasLengthsInPoints {
            let pixels = chain.inPixels(atScale: scale)
            #expect(pixels != chain && !pixels.hasLengthsInPoints, "\(chain.steps[0].processor)")
            #expect(pixels.inPixels(atScale: scale) == pixels)
        }
    }

    @Test("of a program's processor follow the scale where inPixels(atScale:) changes it")
    func ownProcessor() {
        let chain = ImageProcessorChain(Inset(width: 4))
        #expect(chain.hasLengthsInPoints && !ImageProcessorChain(Inset(width: 0)).hasLengthsInPoints)
        #expect(chain.inPixels(atScale: 3) == ImageProcessorChain(Inset(width: 12)))
        #expect(!ImageProcessorChain(Inset(width: .nan)).hasLengthsInPoints)
        // Its identity is the same at each scale.
        let wide = ImageProcessorChain(Inset(width: 60)).inPixels(atScale: 2)
        #expect(wide.steps[0].processor as? Inset == Inset(width: 120))
    }

    @Test("are the same for what has the same effect")
    func equals() {
        #expect(ImageProcessorChain.flip(.horizontal) == .orient(.upMirrored))
        #expect(ImageProcessorChain.rotate(quarterTurns: 5) == .rotate(quarterTurns: 1))
        #expect(
            ImageProcessorChain.roundCorners(radius: .pixels(5), corners: .topLeft)
                == .roundCorners(RoundedCorners(topLeft: .pixels(5)))
        )
        #expect(
            ImageProcessorChain.border(Border(width: .points(2))).inPixels(atScale: 2)
                == .border(Border(width: .pixels(4)))
        )
    }
}

private struct Inset: ImageProcessing {
    let width: Double

    func encodeParameters(into encoder: inout CacheKeyEncoder) { encoder.encode(min(width, 50)) }

    func inPixels(atScale scale: Double) -> Inset { Inset(width: width * scale) }

    func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage { image }
}
