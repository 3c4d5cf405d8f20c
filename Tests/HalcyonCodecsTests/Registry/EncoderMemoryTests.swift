import Foundation
import HalcyonCodecs
import HalcyonJPEGXL
import HalcyonRaster
import HalcyonSystem
import HalcyonTIFF
import Testing

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
        try limitMemory(toAdditional: 64 << 20)
        for encoder in encoders {
            do {
                _ = try encoder.encode(bitmap, options: EncodeOptions())
                Issue.record("\(encoder.format) has been encoded")
            } catch CodecError.bitmap(.outOfMemory) {}
        }
    }
}

@Test("an encoder that is refused memory for its file throws, and the process goes on", .disabled(if: isInstrumented))
func encodersWithoutMemoryForFiles() async {
    await #expect(processExitsWith: .success) {
        let encoders: [any ImageEncoder] = [QOIEncoder(), GIFEncoder(), PNGEncoder(), TIFFEncoder()]
        // 16 MiB of pixels that no format makes much smaller. The room that is left is not enough for a file of them.
        MemoryPool.shared.byteLimit = 0
        var bitmap = try Bitmap(size: PixelSize(2_048, 2_048))
        bitmap.withUnsafeMutableBytes { pixels in
            var (state, period) = (UInt32(1), 1 << 20)
            for place in stride(from: 0, to: period, by: 4) {
                state = state &* 1_664_525 &+ 1_013_904_223
                // The upper half of a product, because the lower bits repeat soon.
                let noise = UInt32(truncatingIfNeeded: (UInt64(state) &* 0x9E37_79B9_7F4A_7C15) >> 32)
                let colors = noise & 0x7F7F_7F7F
                pixels.storeBytes(of: (colors | 0x8000_0000).littleEndian, toByteOffset: place, as: UInt32.self)
            }
            while period < pixels.count {
                let copied = UnsafeRawBufferPointer(rebasing: pixels[..<min(period, pixels.count - period)])
                UnsafeMutableRawBufferPointer(rebasing: pixels[period...]).copyMemory(from: copied)
                period *= 2
            }
        }
        try limitMemory(toAdditional: 8 << 20)
        for encoder in encoders {
            do {
                _ = try encoder.encode(bitmap, options: EncodeOptions())
                Issue.record("\(encoder.format) has been encoded")
            } catch is CodecError {}
        }
    }
}
#endif
