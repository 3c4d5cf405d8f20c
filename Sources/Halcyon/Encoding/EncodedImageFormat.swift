public import HalcyonCodecs

/// The format and the encode options of an encoded image, or the rule by which they are chosen.
///
/// ```swift
/// try await pipeline.encoded(for: url, as: .format(.webp, EncodeOptions(quality: 80)))
/// try await pipeline.encoded(for: url, as: .accepted(by: acceptField))
/// ```
///
/// The pixels are encoded in sRGB, upright, and without metadata unless ``EncodeOptions/metadata`` names some. An animation
/// is encoded with all of its frames, each processed, where the format can hold them, unless the options ask for one frame
/// (``DecodePolicy/animation``, ``DecodePolicy/frame``); one whose frames take more than ``DecodeLimits/memory`` together
/// fails. JPEG holds no transparency: transparent pixels are laid on
/// ``EncodeOptions/background``, which is white by default. An image of 16 bits a sample keeps them in PNG, TIFF,
/// JPEG XL and PAM, 10 or 12 of them in AVIF, and has 8 in other formats. An image that the format cannot hold fails with
/// ``CodecError/cannotEncode(_:reason:)``.
public struct EncodedImageFormat: Sendable, Hashable {
    /// The rule by which the format is chosen.
    enum Rule: Sendable, Hashable {
        case format(ImageFormat, EncodeOptions)
        case original(EncodeOptions, otherwise: ImageFormat)
        case accepted(field: String?, offers: [Offer])
    }

    let rule: Rule
    /// A Boolean value that indicates whether the original is returned as it came, byte for byte, where it is in the
    /// chosen format already, or the format is ``original(_:otherwise:)``, no processor runs, and the decode options
    /// are the defaults, but for ``DecodePolicy/keepsSixteenBits``. It is then neither upright nor converted to sRGB,
    /// keeps its metadata, which may state where it was taken, and all frames of an animation; it was decoded, so its
    /// first frame is sound. ``EncodeOptions`` have no effect on it. A BlurHash and a ThumbHash are no files, and always
    /// encoded. Default: `false`.
    public var keepsOriginal = false
    /// A Boolean value that indicates whether an original that is kept is not decoded if its header can be read and its
    /// file goes to its end. Damage in between is then not found. Default: `false`.
    package var keepsUndecoded = false
    /// The formats whose originals are encoded all the same, as ``EncodeOptions`` are to have an effect on them. Default:
    /// none.
    package var encodedOriginals: Set<ImageFormat> = []
    /// A Boolean value that indicates whether an image stays without loss where its file is, and stays in its format,
    /// whatever ``EncodeOptions/quality`` says. Default: `false`.
    package var keepsLossless = false

    private init(_ rule: Rule) {
        self.rule = rule
    }

    /// Returns a format with its encode options.
    ///
    /// - Parameters:
    ///   - format: A format that the pipeline's codecs encode.
    ///   - options: The encode options. Default: the defaults, a quality of 85 in formats that have one.
    public static func format(_ format: ImageFormat, _ options: EncodeOptions = EncodeOptions()) -> EncodedImageFormat {
        EncodedImageFormat(.format(format, options))
    }

    /// Returns the format of the original, or another one where the pipeline's codecs do not encode that.
    ///
    /// - Parameters:
    ///   - options: The encode options. Default: the defaults.
    ///   - otherwise: The format in place of one without an encoder. Default: PNG.
    public static func original(
        _ options: EncodeOptions = EncodeOptions(),
        otherwise: ImageFormat = .png
    ) -> EncodedImageFormat {
        EncodedImageFormat(.original(options, otherwise: otherwise))
    }

    /// Returns the format that suits a client best, by the `Accept` field of its request (RFC 9110, section 12.5.1).
    ///
    /// Of the offers that the field accepts, the one of the highest weight is chosen, and of equal weights the first.
    /// An image with transparency gets the first of them that holds it, if there is one. The response of a server
    /// depends on the field, so it has to have a `Vary: Accept`.
    ///
    /// - Parameters:
    ///   - field: The value of the field; `nil` or empty: every format is accepted. Malformed parts are ignored.
    ///   - offers: The formats on offer, in the server's order of preference; those without an encoder are left out.
    ///     Default: ``Offer/standard``.
    public static func accepted(by field: String?, offers: [Offer] = Offer.standard) -> EncodedImageFormat {
        EncodedImageFormat(.accepted(field: field, offers: offers))
    }
}

extension EncodedImageFormat {
    /// A format that a server has on offer for its clients.
    public struct Offer: Sendable, Hashable {
        /// The format.
        public var format: ImageFormat
        /// The encode options.
        public var options: EncodeOptions
        /// A Boolean value that indicates whether `image/*` and `*/*` accept the format. Clients that predate a format
        /// send these ranges as well, and cannot read it: such a format has to be named.
        public var matchesWildcards: Bool

        /// An offer.
        ///
        /// - Parameters:
        ///   - format: The format.
        ///   - options: The encode options. Default: the defaults.
        ///   - matchesWildcards: Whether `image/*` and `*/*` accept the format. Default: `true` for JPEG, PNG and GIF,
        ///     which every client reads, else `false`.
        public init(_ format: ImageFormat, _ options: EncodeOptions = EncodeOptions(), matchesWildcards: Bool? = nil) {
            self.format = format
            self.options = options
            self.matchesWildcards = matchesWildcards ?? [.jpeg, .png, .gif].contains(format)
        }

        /// AVIF of quality 60, WebP of quality 80, JPEG of quality 85, PNG.
        public static let standard = [
            Offer(.avif, EncodeOptions(quality: 60)),
            Offer(.webp, EncodeOptions(quality: 80)),
            Offer(.jpeg),
            Offer(.png),
        ]
    }
}
