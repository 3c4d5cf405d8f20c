internal import CReferences
internal import HalcyonRaster

/// A change of the colours of an image of 2 megapixels, on one thread.
struct ColorProcessorCase: PairedCase {
    let work: ColorWork
    let libraries: ColorLibraries

    var name: String { "\(work.name) RGBA 2 MP" }
    var unit: TimeUnit { .milliseconds }

    func contest() throws -> Contest {
        let size = PixelSize(1_632, 1_224)
        let image = try SyntheticImage.photograph(size, hasAlpha: true)
        let other = try SyntheticImage.photograph(size.transposed, hasAlpha: true).resampled(to: size)
        let (pixels, otherPixels) = (Self.pixels(image), Self.pixels(other))
        let work = work
        let textbook = work.textbook(pixels, under: otherPixels)
        let references = [
            Self.contender("one pass over memory", byteCount: pixels.count) {
                halcyon_reference_copy(pixels, &$0, pixels.count)
            },
            Self.contender(
                Self.isMultiplyInstead(work) ? "textbook C, multiply" : "textbook C",
                byteCount: pixels.count
            ) {
                textbook(&$0)
            },
        ]
        return Contest(
            ours: Contender("Halcyon") { repetitions in
                for _ in 0..<repetitions { blackHole(try work.processed(image, under: other)) }
            },
            references: references + libraries.contenders(work, pixels, under: otherPixels, size)
        )
    }

    /// Whether the textbook's multiply stands in for a mode that costs more.
    private static func isMultiplyInstead(_ work: ColorWork) -> Bool {
        work == .softLight || work == .luminosity
    }

    private static func contender(
        _ name: String,
        byteCount: Int,
        _ body: @escaping (inout [UInt8]) -> Void
    ) -> Contender {
        // One result for all repetitions, so that its memory is not counted.
        var out = [UInt8](repeating: 0, count: byteCount)
        return Contender(name) { repetitions in
            for _ in 0..<repetitions { body(&out) }
            blackHole(out[0])
        }
    }

    /// The pixels without padding.
    private static func pixels(_ bitmap: Bitmap) -> [UInt8] {
        let rowByteCount = bitmap.width * bitmap.bytesPerPixel
        return bitmap.withUnsafeBytes { bytes in
            (0..<bitmap.height).flatMap { y in bytes[(y * bitmap.bytesPerRow)...].prefix(rowByteCount) }
        }
    }
}
