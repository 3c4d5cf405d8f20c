import Foundation
import HalcyonCodecs
import HalcyonJPEGXL
import HalcyonRaster
import Testing

/// Whether this is a build with a sanitizer, which needs an address space of its own.
private let isInstrumented = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

// Tests that end a process are of Swift 6.2.
#if compiler(>=6.2)
@Test("an encoder that is refused memory for the pixels throws, and the process goes on", .disabled(if: isInstrumented))
func encodersWithoutMemory() async {
    await #expect(processExitsWith: .success) {
        let encoders: [any ImageEncoder] = [
            BMPEncoder(), PAMEncoder(), WebPEncoder(), AVIFEncoder(), JPEGXLEncoder(),
        ]
        // 128 MiB of transparent pixels, where there are 64 left.
        let bitmap = try Bitmap(size: PixelSize(8_192, 4_096))
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).prefix { $0.isNumber }
        let byteCount = (rlim_t(pages) ?? 0) * rlim_t(getpagesize()) + 64 << 20
        var limit = rlimit(rlim_cur: byteCount, rlim_max: byteCount)
        try #require(setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0)
        for encoder in encoders {
            do {
                _ = try encoder.encode(bitmap, options: EncodeOptions())
                Issue.record("\(encoder.format) has been encoded")
            } catch CodecError.bitmap(.outOfMemory) {}
        }
    }
}
#endif
