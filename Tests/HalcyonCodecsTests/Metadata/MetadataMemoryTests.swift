import Foundation
import HalcyonCodecs
import HalcyonJPEGXL
import HalcyonRaster
import HalcyonSystem
import Testing

/// Whether this is a build with a sanitizer, which needs an address space of its own.
private let isInstrumented = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

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
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).prefix { $0.isNumber }
        let byteCount = (rlim_t(pages) ?? 0) * rlim_t(getpagesize()) + 8 << 20
        var limit = rlimit(rlim_cur: byteCount, rlim_max: byteCount)
        try #require(setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0)
        for (file, decoder) in files {
            do {
                _ = try decoder.metadata(of: file)
                Issue.record("\(decoder.format) has metadata")
            } catch CodecError.bitmap(.outOfMemory) {}
        }
    }
}
#endif
