internal import CReferences
internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster

/// A JPEG of quality 85 with halved chroma to a small picture: decoding at reduced size, then Lanczos-3.
///
/// The reference is the decoding alone, at the same reduced size: what no tool over libjpeg can go below.
struct JPEGThumbnailCase: PairedCase {
    let name: String
    let size: PixelSize
    let target: PixelSize

    var unit: TimeUnit { size.area > 1_000_000 ? .milliseconds : .microseconds }
    var measures: [Measure] { [.processor()] }

    func contest() throws -> Contest {
        let picture = try SyntheticPicture.photograph(size)
        let bytes = try ImageCodecs.standard.encode(picture, as: .jpeg, options: EncodeOptions(quality: 85))
        let target = target
        let options = DecodeOptions(targetSize: target)
        // The eighths that leave twice the target's sides, as the decoder chooses them.
        let eighths = [1, 2, 4, 8].first { size.width * $0 / 8 >= target.width * 2 } ?? 8
        let reduced = PixelSize((size.width * eighths + 7) / 8, (size.height * eighths + 7) / 8)
        var pixels = [UInt8](repeating: 0, count: reduced.area * 4)
        return Contest(
            ours: Contender("Halcyon") { count in
                for _ in 0..<count {
                    let image = try ImageCodecs.standard.decode(bytes, options: options)
                    blackHole(try image.bitmap.resampled(to: target))
                }
            },
            references: [
                Contender("libjpeg-turbo's decoding at \(eighths)/8 alone") { count in
                    for _ in 0..<count {
                        try CodecReference.check {
                            bytes.withUnsafeBytes { bytes in
                                halcyon_reference_decode_jpeg(
                                    bytes.baseAddress,
                                    bytes.count,
                                    UInt32(eighths),
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

/// What the C libraries say.
enum CodecReference {
    static func check(_ body: () -> Int32) throws {
        guard body() == 0 else { throw BenchmarkError("the reference did not decode the picture") }
    }
}
