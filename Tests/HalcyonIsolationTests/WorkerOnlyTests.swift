import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs
@testable import HalcyonIsolation
@testable import IsolationTrial

@Suite("An image that a worker must decode")
struct WorkerOnlyTests {
    @Test("is decoded by nothing in the program, whatever is asked for", arguments: WorkerOnlyDecoder.all.map(\.format))
    func program(format: ImageFormat) throws {
        let trial = try Trial { $0.isStrict = false }
        let codecs = WorkerOnlyDecoder.all.reduce(ImageCodecs.core) { $0.registering(decoder: $1) }
            .isolated(WorkerIsolation(.required(.process), pool: trial.pool))
        let data = try DecodingTrial.file(of: format)
        let size = try codecs.info(of: data).size
        _ = try codecs.metadata(of: data)
        #expect(try codecs.decode(data).info.size == size)
        let small = DecodeOptions(targetSize: PixelSize(2, 2), usesEmbeddedThumbnail: true, largestSideLength: 3)
        #expect(try codecs.decode(data, options: small).bitmap.width <= 3)
        let decoder = try codecs.decoder(for: data)
        #expect(try decoder.decode(data, options: DecodeOptions(), isCancelled: { false }).info.size == size)
        let frames = try codecs.frames(of: data)
        for index in 0..<min(3, frames.frameCount) { #expect(try frames.frame(at: index).info.size == size) }
        let incremental = try #require(decoder as? any IncrementalDecoding)
        _ = try incremental.embeddedThumbnail(in: data, options: DecodeOptions(), isCancelled: { false })
        if let reader = try? incremental.incrementalReader(for: data, options: DecodeOptions()) {
            reader.end()
            while try reader.advance(isCancelled: { false }) {}
            #expect(try reader.image(isCancelled: { false }).info.size == size)
        }
        #expect(WorkerOnlyDecoder.callCount == 0)
    }
}
