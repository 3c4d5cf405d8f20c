internal import CReferences
internal import HalcyonRaster

/// Pixels to fewer pixels, Lanczos-3.
struct ResizeCase: PairedCase {
    var name: String { "resize RGBA 1632×1224 to 400" }
    var unit: TimeUnit { .milliseconds }
    var measures: [Measure] { [.processor()] }

    func contest() throws -> Contest {
        let (size, target) = (PixelSize(1_632, 1_224), PixelSize(400, 300))
        let picture = try SyntheticPicture.photograph(size, hasAlpha: true)
        let rows = picture.withUnsafeBytes { Array($0) }
        precondition(rows.count == size.area * 4, "the reference takes rows without padding")
        var result = [UInt8](repeating: 0, count: target.area * 4)
        return Contest(
            ours: Contender("Halcyon") { count in
                for _ in 0..<count {
                    blackHole(try picture.resampled(to: target))
                }
            },
            references: [
                Contender("textbook Lanczos-3 in C, 32-bit float") { count in
                    for _ in 0..<count {
                        try CodecReference.check {
                            halcyon_reference_resize(
                                rows,
                                Int32(size.width),
                                Int32(size.height),
                                &result,
                                Int32(target.width),
                                Int32(target.height)
                            )
                        }
                    }
                }
            ]
        )
    }
}
