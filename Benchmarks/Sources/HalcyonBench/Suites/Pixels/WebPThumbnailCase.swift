internal import CReferences
internal import HalcyonCodecs
internal import HalcyonRaster

/// A lossy WebP to a small picture, Lanczos-3; libwebp's own scaler averages areas.
struct WebPThumbnailCase: PairedCase {
    var name: String { "WebP 2 MP to 400" }
    var unit: TimeUnit { .milliseconds }
    var measures: [Measure] { [.processor()] }

    func contest() throws -> Contest {
        let (size, target) = (PixelSize(1_632, 1_224), PixelSize(400, 300))
        let bytes = try ImageCodecs.standard.encode(
            try SyntheticPicture.photograph(size),
            as: .webp,
            options: EncodeOptions(quality: 80)
        )
        let options = DecodeOptions(targetSize: target)
        var pixels = [UInt8](repeating: 0, count: target.area * 4)
        return Contest(
            ours: Contender("Halcyon") { count in
                for _ in 0..<count {
                    let image = try ImageCodecs.standard.decode(bytes, options: options)
                    blackHole(try image.bitmap.resampled(to: target))
                }
            },
            references: [
                Contender("libwebp with its own scaler") { count in
                    for _ in 0..<count {
                        try CodecReference.check {
                            bytes.withUnsafeBytes { bytes in
                                halcyon_reference_decode_webp(
                                    bytes.baseAddress,
                                    bytes.count,
                                    Int32(target.width),
                                    Int32(target.height),
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
