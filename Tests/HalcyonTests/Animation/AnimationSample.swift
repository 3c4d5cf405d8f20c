import FoundationEssentials

@testable import Halcyon

/// Animations whose frames tell their numbers.
enum AnimationSample {
    /// Encoded bytes of an animation; see ``number(of:)``.
    ///
    /// - Parameter durations: Milliseconds of each frame; their number is that of the frames, 20 at most.
    static func data(_ durations: [Int], size: PixelSize = PixelSize(24, 16), loopCount: Int = 0) -> Data {
        let frames = durations.enumerated().map { AnimationFrame(bitmap: bitmap($0, size), duration: $1) }
        guard let data = try? PNGEncoder().encode(frames, loopCount: loopCount, options: EncodeOptions()) else {
            fatalError("encoder")
        }
        return data
    }

    /// An animation of frames of 100 ms.
    static func data(frameCount: Int, size: PixelSize = PixelSize(24, 16)) -> Data {
        data(Array(repeating: 100, count: frameCount), size: size)
    }

    /// The image of an animation.
    static func image(_ data: Data, codecs: ImageCodecs = .standard) throws -> DecodedImage {
        try codecs.animatedImage(from: data)
    }

    /// The number of the frame that an image shows.
    static func number(of image: DecodedImage) -> Int { Int(image.bitmap.pixel(0, 0)[0]) / 10 - 1 }

    private static func bitmap(_ number: Int, _ size: PixelSize) -> Bitmap {
        guard var bitmap = try? Bitmap(size: size, isOpaque: true) else { fatalError("size") }
        bitmap.withUnsafeMutableBytes { bytes in
            for offset in bytes.indices { bytes[offset] = offset % 4 == 3 ? 255 : UInt8((number + 1) * 10) }
        }
        return bitmap
    }
}
