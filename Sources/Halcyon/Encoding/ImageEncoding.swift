internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster
internal import HalcyonSystem

/// The rule by which an image is encoded, for one set of codecs, with its identity: everything that changes the bytes.
struct ImageEncoding: Sendable, Hashable {
    /// A format with its encode options.
    struct Target: Sendable {
        let format: ImageFormat
        let options: EncodeOptions
    }

    private enum Rule: Sendable {
        /// One format for every image if both are the same.
        case byOpacity(opaque: Target, transparent: Target)
        /// The format of the original if it is one of these.
        case original(formats: Set<ImageFormat>, EncodeOptions, otherwise: Target)
    }

    private let rule: Rule
    /// A Boolean value that indicates whether an original that is in the format already is kept as it is.
    let keepsOriginal: Bool
    /// A Boolean value that indicates whether one that is kept need not be decoded.
    let keepsUndecoded: Bool
    /// The formats whose originals are not kept.
    private let encodedOriginals: Set<ImageFormat>
    /// A Boolean value that indicates whether an image stays without loss where its file is, and stays in its format.
    private let keepsLossless: Bool
    /// The canonical encoding of the rule, as a part of keys.
    let identity: [UInt8]

    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/encode``, if nothing on offer is accepted, or there is no
    ///   encoder for the format.
    init(_ format: EncodedImageFormat, codecs: ImageCodecs, source: @autoclosure () -> String) throws(ImageError) {
        keepsOriginal = format.keepsOriginal
        keepsUndecoded = format.keepsOriginal && format.keepsUndecoded
        encodedOriginals = format.keepsOriginal ? format.encodedOriginals : []
        keepsLossless = format.keepsLossless
        var encoder = CacheKeyEncoder()
        // Before the second kind, what was encoded of an animation was its first frame; before the third, a quality meant
        // something else in each format.
        encoder.encode(3)
        encoder.encode(keepsOriginal)
        if keepsUndecoded { encoder.encode("undecoded") }
        for name in encodedOriginals.map(\.rawValue).sorted() { encoder.encode("encoded " + name) }
        if keepsLossless { encoder.encode("lossless") }
        let rule: Rule?
        do throws(CodecError) {
            rule = try Self.rule(format.rule, codecs, &encoder)
        } catch {
            throw ImageError(stage: .encode, reason: .codec(error), source: source())
        }
        guard let rule else {
            throw ImageError(stage: .encode, reason: .notAcceptable(format.acceptField), source: source())
        }
        self.rule = rule
        identity = encoder.bytes
    }

    /// Returns a rule for a set of codecs, and encodes its identity; `nil` if nothing is accepted.
    private static func rule(
        _ rule: EncodedImageFormat.Rule,
        _ codecs: ImageCodecs,
        _ encoder: inout CacheKeyEncoder
    ) throws(CodecError) -> Rule? {
        switch rule {
        case .format(let format, let options):
            let target = Target(format: format, options: options)
            try encoder.encode(target, codecs)
            return .byOpacity(opaque: target, transparent: target)
        case .original(let options, let otherwise):
            let target = Target(format: otherwise, options: options)
            try encoder.encode(target, codecs)
            encoder.encodeAllEncoders(codecs)
            return .original(formats: Set(codecs.encoders.map(\.format)), options, otherwise: target)
        case .accepted(let field, let offers):
            guard let (opaque, transparent) = targets(field, offers, codecs) else { return nil }
            try encoder.encode(opaque, codecs)
            // Where both are the same, the key is that of the format alone.
            if transparent.format != opaque.format { try encoder.encode(transparent, codecs) }
            return .byOpacity(opaque: opaque, transparent: transparent)
        }
    }

    /// Returns the targets for images without and with transparency; `nil` if nothing is accepted.
    private static func targets(
        _ field: String?,
        _ offers: [EncodedImageFormat.Offer],
        _ codecs: ImageCodecs
    ) -> (opaque: Target, transparent: Target)? {
        let field = AcceptField(field)
        let accepted = offers.enumerated().compactMap { place, offer -> (target: Target, weight: Int, place: Int)? in
            guard let type = offer.format.mediaType, codecs.canEncode(offer.format) else { return nil }
            let weight = field.weight(of: type, matchesWildcards: offer.matchesWildcards)
            guard weight > 0, codecs.missingLibrary(of: offer.format) == nil else { return nil }
            return (Target(format: offer.format, options: offer.options), weight, place)
        }
        let targets = accepted.sorted { ($1.weight, $0.place) < ($0.weight, $1.place) }.map(\.target)
        guard let first = targets.first else { return nil }
        return (first, targets.first { $0.format.holdsTransparency } ?? first)
    }

    /// Returns the format and the options for an image.
    ///
    /// - Parameter isOpaque: Evaluated only if the format depends on it.
    func target(for info: ImageInfo, isOpaque: @autoclosure () -> Bool) -> Target {
        let target =
            switch rule {
            case .byOpacity(let opaque, let transparent):
                opaque.format == transparent.format || isOpaque() ? opaque : transparent
            case .original(let formats, let options, let otherwise):
                formats.contains(info.format) ? Target(format: info.format, options: options) : otherwise
            }
        guard keepsLossless else { return target }
        return Target(format: target.format, options: target.options.keepingLossless(of: info, in: target.format))
    }

    /// The formats that an image may become.
    var formats: Set<ImageFormat> {
        switch rule {
        case .byOpacity(let opaque, let transparent): [opaque.format, transparent.format]
        case .original(let formats, _, let otherwise): formats.union([otherwise.format])
        }
    }

    /// Returns whether an original of a format may be kept in place of what a target makes of it.
    func keeps(_ original: ImageFormat, insteadOf target: Target) -> Bool {
        guard keepsOriginal, !encodedOriginals.contains(original) else { return false }
        if case .original = rule { return true }
        return target.format == original
    }

    /// Returns whether an original of a format is kept whatever its pixels are.
    func keeps(_ original: ImageFormat) -> Bool {
        switch rule {
        case .original(_, _, let otherwise): keeps(original, insteadOf: otherwise)
        case .byOpacity(let opaque, let transparent):
            keeps(original, insteadOf: opaque) && keeps(original, insteadOf: transparent)
        }
    }

    static func == (left: ImageEncoding, right: ImageEncoding) -> Bool { left.identity == right.identity }

    func hash(into hasher: inout Hasher) {
        hasher.combine(identity)
    }
}

extension EncodedImageFormat {
    /// The field by which the format is chosen; empty if there is none.
    fileprivate var acceptField: String {
        if case .accepted(let field?, _) = rule { field } else { "" }
    }
}

extension ImageFormat {
    /// A Boolean value that indicates whether the format holds transparent pixels.
    fileprivate var holdsTransparency: Bool { self != .jpeg }
}

extension CacheKeyEncoder {
    /// Adds a format with its options and the encoder that writes it.
    ///
    /// - Throws: ``CodecError/unregistered(_:)`` or ``CodecError/unsupported(_:reason:)`` if there is no encoder.
    fileprivate mutating func encode(_ target: ImageEncoding.Target, _ codecs: ImageCodecs) throws(CodecError) {
        guard let encoder = codecs.encoder(for: target.format) else {
            throw codecs.missing(.encoder, of: target.format)
        }
        encode(encoder)
        target.options.encode(into: &self)
    }

    /// Adds the identity of an encoder.
    private mutating func encode(_ encoder: any ImageEncoder) {
        let codec = Swift.type(of: encoder)
        encode(encoder.format.rawValue)
        // The mangled name is the same in every process, also for a private type.
        encode(_mangledTypeName(codec) ?? String(reflecting: codec))
        encode(encoder.cacheIdentity)
    }

    /// Adds the digest of all encoders: any of them may be used.
    fileprivate mutating func encodeAllEncoders(_ codecs: ImageCodecs) {
        var all = CacheKeyEncoder()
        for encoder in codecs.encoders { all.encode(encoder) }
        encode(all.bytes.withUnsafeBytes { Int(truncatingIfNeeded: Checksum.hash(of: $0)) })
    }
}
