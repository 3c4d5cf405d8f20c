public import FoundationEssentials
public import HalcyonRaster

/// A place in an animation, from which frames are composed one after the other. Belongs to one thread at a time.
public protocol FrameCursor {
    /// The description in the header, where opening the animation has read it anyway. Default: `nil`.
    var info: ImageInfo? { get }

    /// The colour profile of the frame handed out last, or `nil` for sRGB. Default: `nil`.
    var colorProfile: ColorProfile? { get }

    /// The description of the frame handed out last, where frames have sizes of their own, as pages and the entries of
    /// icons do. Default: `nil`, that of the file.
    var frameInfo: ImageInfo? { get }

    /// A Boolean value that indicates whether the frame handed out last lacks pixels, as its bytes are cut short or
    /// damaged. Default: `false`.
    var isPartial: Bool { get }

    /// The frame with this number, from 0, composed with those before it: upright, premultiplied, in the colours of
    /// the file.
    ///
    /// Rising numbers cost one frame each; a lower number than the one before starts again at the last frame that
    /// depends on no other.
    ///
    /// - Parameter isCancelled: Asked at least once a frame; once it says `true`, decoding ends.
    /// - Throws: ``CodecError``, among them ``CodecError/noSuchFrame(_:frameCount:)``, or `CancellationError`.
    mutating func bitmap(ofFrame index: Int, isCancelled: @Sendable () -> Bool) throws -> Bitmap
}

extension FrameCursor {
    /// Not known.
    public var info: ImageInfo? { nil }

    /// sRGB.
    public var colorProfile: ColorProfile? { nil }

    /// That of the file.
    public var frameInfo: ImageInfo? { nil }

    /// It is whole.
    public var isPartial: Bool { false }
}

/// For formats that hold their frames independently of each other: decodes each one anew.
struct IndependentFrames: FrameCursor {
    let decoder: any ImageDecoder
    let data: Data
    let options: DecodeOptions
    private(set) var colorProfile: ColorProfile?
    private(set) var frameInfo: ImageInfo?
    private(set) var isPartial = false

    init(decoder: any ImageDecoder, data: Data, options: DecodeOptions) {
        self.decoder = decoder
        self.data = data
        self.options = options
    }

    mutating func bitmap(ofFrame index: Int, isCancelled: @Sendable () -> Bool) throws -> Bitmap {
        var options = options
        options.frame = index
        let image = try decoder.decode(data, options: options, isCancelled: isCancelled)
        colorProfile = image.colorProfile
        frameInfo = image.info
        isPartial = image.isPartial
        return image.bitmap
    }
}

extension ImageDecoder {
    /// A cursor that decodes each frame on its own.
    public func cursor(for data: Data, options: DecodeOptions) throws -> sending any FrameCursor {
        IndependentFrames(decoder: self, data: data, options: options)
    }
}
