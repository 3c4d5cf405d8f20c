import FoundationEssentials
import HalcyonRaster

@testable import HalcyonCodecs

/// Inputs to start from where the public corpora are not there: what our own encoders write, and what is short enough to
/// be written by hand.
enum FuzzSeeds {
    /// Writes files with the formats as their extensions.
    static func write(to folder: String) throws {
        for (name, bitmap) in [("opaque", try sample(hasAlpha: false)), ("translucent", try sample(hasAlpha: true))] {
            for encoder in ImageCodecs.standard.encoders {
                let path = "\(folder)/\(name).\(encoder.format.rawValue)"
                guard let data = try? encoder.encode(bitmap, options: EncodeOptions()) else {
                    print("\(path): cannot be encoded")
                    continue
                }
                try data.write(to: URL(filePath: path))
                if let animations = encoder as? any AnimationEncoder {
                    let frames = [bitmap, try sample(hasAlpha: true, phase: 9), bitmap].map {
                        AnimationFrame(bitmap: $0, duration: 70)
                    }
                    let animation = try? animations.encode(frames, loopCount: 0, options: EncodeOptions())
                    try animation?.write(to: URL(filePath: "\(folder)/\(name)-animation.\(encoder.format.rawValue)"))
                }
            }
            for type in [1, 2] as [UInt8] {
                let path = "\(folder)/\(name).\(type == 1 ? "ico" : "cur")"
                try icon(of: bitmap, type: type).write(to: URL(filePath: path))
            }
        }
        let metadata = ImageMetadata(
            exif: exif,
            xmp: Data("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8),
            iccProfile: ICCProfileWriter.profile(exponent: 1.8, primaries: .sRGB, isGray: false)
        )
        for encoder in ImageCodecs.standard.encoders {
            let options = EncodeOptions(metadata: metadata)
            let data = try? encoder.encode(sample(hasAlpha: false), options: options)
            try data?.write(to: URL(filePath: "\(folder)/profile.\(encoder.format.rawValue)"))
        }
        try Data(drawing.utf8).write(to: URL(filePath: "\(folder)/drawing.svg"))
        try writeRoundTripSeeds(to: "\(folder)/roundtrip")
        try writeReaderSeeds(to: folder)
    }

    /// Images of each format, with alpha, with 16 bits and as animations.
    private static func writeRoundTripSeeds(to folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for format in ImageCodecs.standard.encoders.indices {
            for (number, flags) in ([0, 2, 5, 12] as [UInt8]).enumerated() {
                let seed = Data([UInt8(format), 16, 9, flags, 80, 2] + (0..<64).map { UInt8($0 * 37 & 255) })
                try seed.write(to: URL(filePath: "\(folder)/\(format)-\(number)"))
            }
        }
    }

    private static let drawing = """
        <svg xmlns="http://www.w3.org/2000/svg" width="20" height="10" viewBox="0 0 40 20">
        <defs><linearGradient id="a"><stop offset="0" stop-color="red"/><stop offset="1" stop-color="blue"/>
        </linearGradient></defs>
        <g transform="rotate(10)"><rect width="30" height="10" fill="url(#a)"/><path d="M1 1h9v9z" opacity="0.5"/></g>
        <use href="#b" x="3"/><circle id="b" r="4"/></svg>
        """

    /// A PNG with alpha.
    static func smallImage() throws -> Data {
        try PNGEncoder().encode(sample(hasAlpha: true), options: EncodeOptions())
    }

    private static func sample(hasAlpha: Bool, phase: Int = 0) throws -> Bitmap {
        let size = PixelSize(24, 20)
        var samples: [UInt8] = []
        for y in 0..<size.height {
            for x in 0..<size.width {
                let alpha = hasAlpha && (x + y) % 3 == 0 ? x * 10 : 255
                samples += [x * 10, y * 12, (x ^ y + phase) * 8, alpha].map { UInt8(truncatingIfNeeded: $0) }
            }
        }
        return try samples.withUnsafeBytes { try Bitmap(premultiplying: $0, size: size) }
    }

    /// An icon of a PNG.
    private static func icon(of bitmap: Bitmap, type: UInt8) throws -> Data {
        let png = try PNGEncoder().encode(bitmap, options: EncodeOptions())
        let length = withUnsafeBytes(of: UInt32(png.count).littleEndian) { Array($0) }
        let size = [UInt8(bitmap.width), UInt8(bitmap.height)]
        return Data([0, 0, type, 0, 1, 0] + size + [0, 0, 1, 0, 32, 0] + length + [22, 0, 0, 0]) + png
    }
}
