public import FoundationEssentials
package import HalcyonRaster

/// The frames of an animated image, as the encoded bytes that they are decoded from.
///
/// It is small beside its frames: the bytes and what is needed to decode them. Players decode the frames when they are
/// due, and share them. Two animations are equal if they are the same object, which all copies of an image share.
public final class ImageAnimation: Sendable {
    /// Processes a frame; a pipeline sets it where processors are to run on all frames.
    package typealias FrameProcessing =
        @Sendable (
            _ frame: DecodedImage, _ isCancelled: @Sendable () -> Bool
        ) throws -> DecodedImage

    /// The encoded bytes.
    public let data: Data
    /// The description in the header.
    public let info: ImageInfo
    /// All frames, decoded and processed, where they were asked for; `nil`: they are decoded when they are due.
    public let preloadedFrames: [DecodedImage]?
    private let codecs: ImageCodecs
    private let options: DecodeOptions
    private let processing: FrameProcessing?

    /// An animation.
    ///
    /// - Parameters:
    ///   - data: The whole file.
    ///   - info: Its description.
    ///   - codecs: Decodes the frames.
    ///   - options: For the frames.
    ///   - preloadedFrames: Default: `nil`.
    ///   - processing: Default: `nil`, for frames as they are.
    package init(
        _ data: Data,
        info: ImageInfo,
        codecs: ImageCodecs,
        options: DecodeOptions,
        preloadedFrames: [DecodedImage]? = nil,
        processing: FrameProcessing? = nil
    ) {
        self.data = data
        self.info = info
        self.codecs = codecs
        self.options = options
        self.preloadedFrames = preloadedFrames
        self.processing = processing
    }

    /// The number of frames, at least 2.
    public var frameCount: Int { info.frameCount }

    /// The number of times that the file says it plays; 0 for without end.
    public var loopCount: Int { info.loopCount ?? 0 }

    /// Returns the duration of a frame; see ``ImageInfo/duration(ofFrame:)``.
    public func duration(ofFrame index: Int) -> Duration { info.duration(ofFrame: index) ?? .zero }

    /// Returns the duration of a frame as its file states it, of which players take 10 ms and less for 100.
    package func milliseconds(ofFrame index: Int) -> Int {
        let durations = info.frameDurations
        return durations.indices.contains(index) ? durations[index] : Int(duration(ofFrame: index) / .milliseconds(1))
    }

    /// Returns the bytes that this object keeps in memory: those of the file, and those of frames decoded beforehand, of
    /// which frames with the same pixel buffer count once.
    ///
    /// - Parameter bitmap: The bitmap of the image, which is counted already.
    package func byteCount(beside bitmap: Bitmap) -> Int {
        guard let preloadedFrames else { return data.count }
        var buffers: Set<ObjectIdentifier> = [ObjectIdentifier(bitmap.buffer)]
        return preloadedFrames.reduce(data.count) { sum, frame in
            buffers.insert(ObjectIdentifier(frame.bitmap.buffer)).inserted ? sum + frame.bitmap.byteCount : sum
        }
    }

    /// Returns the same animation with all of its frames decoded; without them if they are not as many as the header
    /// says, by which players count.
    package func preloading(_ frames: [DecodedImage]) -> ImageAnimation {
        ImageAnimation(
            data,
            info: info,
            codecs: codecs,
            options: options,
            preloadedFrames: frames.count == frameCount ? frames : nil,
            processing: processing
        )
    }

    /// The bytes that a decoder keeps in memory to compose the next frame, about: one canvas.
    package var canvasByteCount: Int {
        let isWide = info.bitDepth > 8 && (options.keepsSixteenBits || options.convertsAllBits(of: info))
        return preloadedFrames == nil ? info.size.bitmapByteCount(depth: isWide ? .sixteen : .eight) : 0
    }

    /// Opens the animation to be read frame by frame.
    ///
    /// - Throws: ``CodecError``.
    package func decoder() throws -> ImageAnimationDecoder {
        if let preloadedFrames { return ImageAnimationDecoder(preloadedFrames, color: options.color) }
        return try ImageAnimationDecoder(data, info: info, codecs: codecs, options: options, processing: processing)
    }
}

extension ImageAnimation: Hashable {
    /// Returns whether both are the same object.
    public static func == (left: ImageAnimation, right: ImageAnimation) -> Bool { left === right }

    /// Hashes the identity of the object.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
