internal import CReferences
internal import HalcyonCodecs
internal import HalcyonRaster

/// A PNG with alpha to pixels.
struct PNGDecodeCase: PairedCase {
    var name: String { "PNG RGBA 1 MP" }
    var unit: TimeUnit { .milliseconds }
    var measures: [Measure] { [.processor(budget: 1 / 1.6)] }

    func contest() throws -> Contest {
        let size = PixelSize(1_152, 896)
        let bytes = try ImageCodecs.standard.encode(try SyntheticPicture.photograph(size, hasAlpha: true), as: .png)
        var pixels = [UInt8](repeating: 0, count: size.area * 4)
        let library = Contender("libpng") { count in
            for _ in 0..<count {
                try CodecReference.check {
                    bytes.withUnsafeBytes { bytes in
                        halcyon_reference_decode_png(bytes.baseAddress, bytes.count, &pixels, pixels.count)
                    }
                }
            }
        }
        return Contest(
            ours: Contender("Halcyon") { count in
                for _ in 0..<count {
                    blackHole(try ImageCodecs.standard.decode(bytes))
                }
            },
            references: halcyon_reference_has_png() == 1 ? [library] : []
        )
    }
}
