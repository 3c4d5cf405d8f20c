import FoundationEssentials
import HalcyonCodecs
import HalcyonRaster
import Testing

@Suite("Animations of the public corpora", .enabled(if: PixelCorpus.isPresent, "the corpora are not there"))
struct FrameCorpusTests {
    /// The number of pixels that a debug build compares in reasonable time.
    private static let greatestPixelCount = 600_000

    @Test(
        "show the same frames in any order, and as single frames",
        arguments: [GIFDecoder() as any ImageDecoder, PNGDecoder(), WebPDecoder()]
    )
    func anyOrder(_ decoder: any ImageDecoder) throws {
        var random = SeededRandom(seed: 2)
        var count = 0
        for row in try PixelCorpus.rows(format: decoder.format.rawValue)
        where row.frameCount ?? 1 > 1 && row.totalPixelCount <= Self.greatestPixelCount {
            let data = try PixelCorpus.data(row.path)
            guard let reader = try? FrameReader(data, decoder: decoder), reader.frameCount > 1 else {
                continue
            }
            count += 1
            let sequence = try FrameReader(data, decoder: decoder)
            let readable = (0..<reader.frameCount).map { try? hash(sequence.frame(at: $0).bitmap) }
            for _ in 0..<min(12, 2 * reader.frameCount) {
                let index = random.next(below: reader.frameCount)
                let shown = try? hash(reader.frame(at: index).bitmap)
                #expect(shown == readable[index], "\(row.path), frame \(index)")
            }
            // Frame 0 of a PNG is its default image, which need not be a frame.
            let last = reader.frameCount - 1
            let single = try? decoder.decode(data, options: DecodeOptions(frame: last)) { false }
            #expect(single.map { hash($0.bitmap) } == readable[last], "\(row.path)")
        }
        #expect(count > 3)
    }

    private func hash(_ bitmap: Bitmap) -> Int {
        bitmap.withUnsafeBytes { bytes in
            var hasher = Hasher()
            for y in 0..<bitmap.height {
                let start = y * bitmap.bytesPerRow
                hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: bytes[start..<start + 4 * bitmap.width]))
            }
            return hasher.finalize()
        }
    }
}
