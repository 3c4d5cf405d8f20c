internal import CReferences
internal import HalcyonCodecs
internal import HalcyonRaster

/// A lossy WebP to pixels.
struct WebPDecodeCase: PairedCase {
    var name: String { "WebP 2 MP" }
    var unit: TimeUnit { .milliseconds }
    var measures: [Measure] { [.processor(budget: 1)] }

    func contest() throws -> Contest {
        let size = PixelSize(1_632, 1_224)
        let bytes = try ImageCodecs.standard.encode(
            try SyntheticPicture.photograph(size),
            as: .webp,
            options: EncodeOptions(quality: 80)
        )
        var pixels = [UInt8](repeating: 0, count: size.area * 4)
        return Contest(
            ours: Contender("Halcyon") { count in
                for _ in 0..<count {
                    blackHole(try ImageCodecs.standard.decode(bytes))
                }
            },
            references: [
                Contender("libwebp") { count in
                    for _ in 0..<count {
                        try CodecReference.check {
                            bytes.withUnsafeBytes { bytes in
                                halcyon_reference_decode_webp(
                                    bytes.baseAddress,
                                    bytes.count,
                                    Int32(size.width),
                                    Int32(size.height),
                                    &pixels,
                                    pixels.count
                                )
                            }
                        }
                    }
                }
            ]
        )
    }
}
