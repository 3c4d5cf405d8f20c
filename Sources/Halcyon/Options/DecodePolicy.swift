public import HalcyonCodecs

/// The decoding of bytes to pixels for one image.
public struct DecodePolicy: Sendable, Hashable {
    /// The index of a frame of an animation, from 0. Default: 0.
    public var frame = 0
    /// The handling of colours that are not sRGB. Where the first processor resizes, its result is converted instead of
    /// the whole image; later processors, and the result of the load, always have the colours that this value names.
    /// Default: ``ColorHandling/sRGB``.
    public var color: ColorHandling = .sRGB
    /// A Boolean value that indicates whether a file of more than 8 bits a sample becomes a bitmap of 16 bits a sample,
    /// which takes twice the memory. Default: `false`.
    public var keepsSixteenBits = false
    /// A Boolean value that indicates whether a smaller image that the file embeds may be used instead, where it is
    /// large enough for the first processor or where there is no processor. It can differ from the main image. Default:
    /// `false`.
    public var usesEmbeddedThumbnail = false
    /// The bounds beyond which a file is refused before memory is taken. Default: ``DecodeLimits/standard``.
    public var limits: DecodeLimits = .standard
    /// The format to assume of bytes whose beginning tells none; see ``ImageCodecs/decoder(for:hint:)``. Never takes
    /// precedence over a signature. Default: `nil`.
    public var typeHint: ImageFormat?
    /// The most bytes that the decoded bitmap may take; a larger image is scaled down instead of being refused, where
    /// its format can be decoded at reduced size, or it is within the ``limits``. See
    /// ``DecodeOptions/largestByteCount``. Processors may make larger images of it. Default: `nil`, any number.
    public var largestByteCount: Int?
    /// The most pixels that a side of the decoded bitmap may have; a larger image is scaled down as for
    /// ``largestByteCount``. Default: `nil`, any number.
    public var largestSideLength: Int?
    /// The frame of a video that is the image. Default: the one that represents it, see
    /// ``VideoFrame/Time/representative``.
    public var videoFrame = VideoFrame()
    /// The part of an animated file that the image has. Another ``frame`` than the first is a still image. An image that
    /// processors have run on is one as well, unless ``processesAllFrames``. Default: ``AnimationLoading/onDemand``.
    public var animation: AnimationLoading = .onDemand
    /// A Boolean value that indicates whether processors run on all frames of an animated file, each when it is decoded,
    /// so that the processed image is animated too. On disk such an image is its original. Default: `false`, for a still
    /// image of the first frame.
    public var processesAllFrames = false
    /// What becomes of an image whose bytes are cut short or damaged, in a file or a complete transfer. A transfer that
    /// breaks off fails in any case. A partial image stays in memory alone: its original is stored as it was received,
    /// but no result made of it. Default: ``DamageHandling/showsWhatIsThere``.
    public var damage: DamageHandling = .showsWhatIsThere
    /// Where the image is decoded: in the program, or in a confined process, whose faults are errors. No part of any
    /// key of a cache. Default: ``DecodeIsolation/none``.
    public var isolation: DecodeIsolation = .none
    /// The codecs of the image; `nil`: those of the pipeline. Default: `nil`.
    public var codecs: CustomCodecs?

    /// The defaults.
    public init() {}

    /// A Boolean value that indicates whether the result equals that of the defaults. Neither limits nor isolation
    /// count: they decide whether there is a result, not which.
    var isIdentity: Bool {
        frame == 0 && color == .sRGB && !keepsSixteenBits && !usesEmbeddedThumbnail && hasStandardReading
            && !isBounded && videoFrame == VideoFrame() && animation == .onDemand && !processesAllFrames
    }

    /// A Boolean value that indicates whether a large image is scaled down.
    private var isBounded: Bool { largestByteCount != nil || largestSideLength != nil }

    /// A Boolean value that indicates whether bytes are an image to these settings exactly if they are one to the
    /// defaults, so that a failure to decode them is one of the bytes.
    var hasStandardReading: Bool { typeHint == nil && codecs == nil && damage == .showsWhatIsThere }

    /// A Boolean value that indicates whether the image is one of the original's own, which an encoded copy may take
    /// the place of.
    var showsOriginal: Bool { !usesEmbeddedThumbnail && !isBounded }

    /// A Boolean value that indicates whether the identity of the result is the same in every process.
    var isNamed: Bool { codecs.map { $0.cacheIdentity != nil } ?? true }

    func encodeIdentity(into encoder: inout CacheKeyEncoder) {
        encoder.encode(frame)
        switch color {
        case .sRGB: encoder.encode("sRGB")
        case .asStored: encoder.encode("asStored")
        }
        encoder.encode(keepsSixteenBits)
        encoder.encode(usesEmbeddedThumbnail)
        // What follows is an integer unless one of these is set: each begins with its name.
        if let typeHint {
            encoder.encode("typeHint")
            encoder.encode(typeHint.rawValue)
        }
        if let largestByteCount {
            encoder.encode("largestByteCount")
            encoder.encode(largestByteCount)
        }
        if let largestSideLength {
            encoder.encode("largestSideLength")
            encoder.encode(largestSideLength)
        }
        if videoFrame != VideoFrame() {
            encoder.encode("videoFrame")
            videoFrame.encodeIdentity(into: &encoder)
        }
        switch animation {
        case .onDemand: break
        case .preloaded: encoder.encode("animation.preloaded")
        case .firstFrame: encoder.encode("animation.firstFrame")
        }
        if processesAllFrames { encoder.encode("processesAllFrames") }
        if damage == .isRefused { encoder.encode("damage.isRefused") }
        if let codecs {
            encoder.encode("codecs")
            codecs.encodeIdentity(into: &encoder)
        }
    }

    /// Returns the colours of a decoded image: those of the file where the first processor resizes, as fewer pixels are
    /// converted after it; not where a profile may be read in a worker alone.
    func decodedColor(for processing: ImageProcessorChain) -> ColorHandling {
        if case .required = isolation { return color }
        return processing.resizesFirst ? .asStored : color
    }

    /// The settings that decoding one frame depends on.
    var ofOneFrame: DecodePolicy {
        var policy = self
        if policy.animation == .preloaded { policy.animation = .onDemand }
        policy.processesAllFrames = false
        return policy
    }

    /// The same settings for a decoder.
    var decodeOptions: DecodeOptions {
        var options = DecodeOptions(
            frame: frame,
            color: color,
            keepsSixteenBits: keepsSixteenBits,
            usesEmbeddedThumbnail: usesEmbeddedThumbnail,
            limits: limits,
            typeHint: typeHint,
            largestByteCount: largestByteCount,
            largestSideLength: largestSideLength,
            videoFrame: videoFrame,
            damage: damage
        )
        options.readsAnimation = animation == .firstFrame
        return options
    }

    /// The settings to read an image that was processed and stored before: its colours as they are, and no limits,
    /// which are for bytes from elsewhere. These bytes were made here, from an original within the limits, and may have
    /// more pixels than that; the memory that there is bounds them.
    var storedResultOptions: DecodeOptions {
        let limits = DecodeLimits(pixelCount: 1 << 40, sideLength: 1 << 31 - 1, memory: .max)
        return DecodeOptions(
            color: .asStored,
            keepsSixteenBits: keepsSixteenBits,
            limits: limits,
            damage: .isRefused
        )
    }
}
