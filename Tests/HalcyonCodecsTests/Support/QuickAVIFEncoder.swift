import FoundationEssentials
import HalcyonRaster

@testable import HalcyonCodecs

/// AVIF at the least effort, for tests of something else.
struct QuickAVIFEncoder: AnimationEncoder {
    var chromaSampling: ChromaSampling?

    var format: ImageFormat { .avif }

    func encode(_ bitmap: Bitmap, options: EncodeOptions) throws(CodecError) -> Data {
        try AVIFEncoder().encode(bitmap, options: quick(options))
    }

    func encode(
        _ frames: [AnimationFrame],
        loopCount: Int,
        options: EncodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> Data {
        try AVIFEncoder().encode(frames, loopCount: loopCount, options: quick(options), isCancelled: isCancelled)
    }

    private func quick(_ options: EncodeOptions) -> EncodeOptions {
        var options = options
        options.effort = 1
        options.chromaSampling = options.chromaSampling ?? chromaSampling
        return options
    }
}
