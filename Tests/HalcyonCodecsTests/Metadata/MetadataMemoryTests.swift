import Foundation
import HalcyonCodecs
import HalcyonJPEGXL
import HalcyonRaster
import HalcyonSystem
import Testing

// Tests that end a process are of Swift 6.2.
#if compiler(>=6.2)
@Test("a decoder that is refused memory for metadata throws, and the process goes on", .disabled(if: isInstrumented))
func metadataWithoutMemory() async {
    await #expect(processExitsWith: .success) {
        MemoryPool.shared.byteLimit = 0
        // More than malloc takes from memory that it has kept.
        let metadata = ImageMetadata(xmp: Data(count: 40 << 20))
        let bitmap = try Bitmap(size: PixelSize(16, 16))
        let coders: [(any ImageEncoder, any ImageDecoder)] = [
            (PNGEncoder(), PNGDecoder()), (WebPEncoder(), WebPDecoder()), (JPEGXLEncoder(), JPEGXLDecoder()),
        ]
        let files = try coders.map { encoder, decoder in
            (try encoder.encode(bitmap, options: EncodeOptions(metadata: metadata)), decoder)
        }
        for (file, decoder) in files {
            try #require(try decoder.metadata(of: file).xmp?.count == 40 << 20)
        }
        try limitMemory(toAdditional: 8 << 20)
        for (file, decoder) in files {
            do {
                _ = try decoder.metadata(of: file)
                Issue.record("\(decoder.format) has metadata")
            } catch CodecError.bitmap(.outOfMemory) {}
        }
    }
}
#endif
