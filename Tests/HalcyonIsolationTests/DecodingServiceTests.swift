import HalcyonRaster
import HalcyonSystem
import Testing

@testable import HalcyonCodecs
@testable import HalcyonIsolation

@Suite("The work of a worker")
struct DecodingServiceTests {
    @Test("keeps an animation open until other work comes, which may need its memory")
    func keptAnimation() throws {
        let service = DecodingService(DecodingTrial.codecs)
        let kept = WorkerTask.KeptValue()
        let data = try DecodingTrial.file(of: .gif)
        func perform(_ operation: DecodeCall.Operation) throws {
            let record = Record(.request, payload: DecodeCall(GIFDecoder(), operation).record)
            let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
            let flag = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
            flag.initialize(to: 0)
            defer {
                output.deallocate()
                flag.deallocate()
            }
            try data.withUnsafeBytes { bytes in
                let task = WorkerTask(
                    record,
                    input: bytes,
                    cancellation: CancellationByte(flag),
                    kept: kept,
                    lentOutput: UnsafeMutableRawBufferPointer(start: nil, count: 0)
                ) { count in
                    UnsafeMutableRawBufferPointer(rebasing: output[..<count])
                }
                _ = try service.perform(task)
            }
        }
        try perform(.open(DecodeOptions(), animation: 1))
        let opened = try #require(kept.value)
        try perform(.frame(0, DecodeOptions(), animation: 1))
        #expect(kept.value === opened)
        try perform(.image(DecodeOptions()))
        #expect(kept.value == nil)
        try perform(.frame(0, DecodeOptions(), animation: 2))
        #expect(kept.value != nil)
    }

    // Tests that end a process are of Swift 6.2. In one of its own, nobody else takes pixels.
    #if compiler(>=6.2)
    @Test("decodes images into the memory that the program shares, without a copy")
    func noCopy() async {
        await #expect(processExitsWith: .success) {
            let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
            var bitmap = try Bitmap(size: PixelSize(200, 150), isOpaque: true)
            bitmap.withUnsafeMutableBytes { bytes in
                for offset in bytes.indices {
                    bytes[offset] = offset % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: offset)
                }
            }
            for format in [ImageFormat.jpeg, .png, .webp, .avif, .gif, .bmp, .qoi] {
                let file = try DecodingTrial.codecs.encode(bitmap, as: format)
                let isThere = try MemoryPool.shared.lending(output) {
                    let image = try DecodingTrial.codecs.decode(file)
                    return image.bitmap.withUnsafeBytes { $0.baseAddress == UnsafeRawPointer(output.baseAddress) }
                }
                #expect(isThere, "\(format)")
            }
        }
    }
    #endif
}
