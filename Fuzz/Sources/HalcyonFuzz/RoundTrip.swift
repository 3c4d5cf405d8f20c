import FoundationEssentials
import HalcyonCodecs
import HalcyonRaster

/// An image that is encoded and decoded: its format, sides and options are the first bytes of an input, its samples the
/// others, over and over.
struct RoundTrip {
    private let encoder: any ImageEncoder
    private let frames: [Bitmap]
    private let options: EncodeOptions
    private let keepsSixteenBits: Bool

    /// - Returns: `nil` where the input is too short.
    init?(_ data: Data) throws {
        let bytes = [UInt8](data)
        guard bytes.count > 6 else { return nil }
        let encoders = ImageCodecs.standard.encoders
        encoder = encoders[Int(bytes[0]) % encoders.count]
        let size = PixelSize(Int(bytes[1]) % 64 + 1, Int(bytes[2]) % 64 + 1)
        keepsSixteenBits = bytes[3] & 1 != 0
        let isOpaque = bytes[3] & 2 != 0
        options = EncodeOptions(quality: bytes[3] & 4 != 0 ? nil : Int(bytes[4]) % 100 + 1)
        let frameCount = bytes[3] & 8 != 0 && encoder is any AnimationEncoder ? Int(bytes[5]) % 3 + 1 : 1
        let samples = Array(bytes[6...])
        let byteCount = size.area * (keepsSixteenBits ? 8 : 4)
        let wide = keepsSixteenBits
        frames = try (0..<frameCount).map { frame in
            var pixels = (0..<byteCount).map { samples[($0 + frame * 7) % samples.count] }
            if isOpaque {
                for index in stride(from: wide ? 6 : 3, to: byteCount, by: wide ? 8 : 4) {
                    pixels[index] = 255
                    if wide { pixels[index + 1] = 255 }
                }
            }
            return try pixels.withUnsafeBytes {
                wide ? try Bitmap(premultiplying16: $0, size: size) : try Bitmap(premultiplying: $0, size: size)
            }
        }
    }

    /// A ``CodecError`` of the encoder is an answer, since not all formats hold all images; one of the decoder is not.
    func run() throws {
        let (bitmap, format) = (frames[0], encoder.format)
        let data: Data
        if frames.count > 1, let animations = encoder as? any AnimationEncoder {
            let animation = frames.map { AnimationFrame(bitmap: $0, duration: 70) }
            data = try animations.encode(animation, loopCount: 0, options: options)
        } else {
            data = try encoder.encode(bitmap, options: options)
        }
        guard ImageCodecs.standard.canDecode(format) else { return }
        let image: DecodedImage
        do {
            image = try ImageCodecs.standard.decode(data, options: DecodeOptions(keepsSixteenBits: keepsSixteenBits))
        } catch {
            fatalError("what was encoded as \(format) is not decoded: \(error)")
        }
        precondition(image.size == bitmap.size && !image.isPartial, "\(format) of another size")
        // Frames that show the same may be one.
        precondition(image.info.frameCount >= 1 && image.info.frameCount <= frames.count, "other frames")
        precondition(!bitmap.isOpaque || image.bitmap.isOpaque, "\(format) that is opaque no more")
        // Animations are written with 8 bits a sample.
        guard isLossless, bitmap.depth == .eight || format == .png && frames.count == 1 else { return }
        let isSame =
            image.bitmap.depth == .eight
            ? image.bitmap.straightRGBA() == bitmap.straightRGBA()
            : image.bitmap.straightRGBA16() == bitmap.straightRGBA16()
        precondition(isSame, "\(format) of other pixels")
    }

    private var isLossless: Bool {
        switch encoder.format {
        case .png, .qoi, .bmp, .tiff: true
        // libwebp multiplies by alpha with another rounding.
        case .webp: options.quality == nil && frames[0].isOpaque
        default: false
        }
    }
}
