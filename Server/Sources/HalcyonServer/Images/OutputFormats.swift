internal import FoundationEssentials
internal import Halcyon
internal import ServerURLs

/// The formats that a server makes, with the options of each.
struct OutputFormats: Sendable {
    /// The formats that negotiation offers, in the server's order of preference.
    var offers: [ImageFormat] = [.avif, .webp, .jpeg, .png]
    /// The qualities, by format. Default: those of the library's offers.
    var qualities: [ImageFormat: Int] = [:]

    private static let lossless: Set<ImageFormat> = [.png, .gif, .bmp, .tiff]

    /// Returns the options for a format.
    func options(_ format: ImageFormat, _ output: ImagePlan.Output, background: PlanColor?) -> EncodeOptions {
        let usual = qualities[format] ?? [.avif: 60, .webp: 80][format] ?? 85
        var options = EncodeOptions(quality: output.qualities[format.rawValue] ?? output.quality ?? usual)
        if output.isLossless, format != .jpeg { options.quality = nil }
        options.isProgressive = output.isProgressive
        // AVIF at the library's default takes 100 ms for 200 px.
        options.effort = output.effort ?? (format == .avif ? 2 : nil)
        if let background { options.background = Color(background) }
        if !Self.lossless.contains(format) { options.maximumByteCount = output.maximumByteCount }
        return options
    }

    /// Returns the rule for the format of an answer.
    ///
    /// - Parameters:
    ///   - accept: The client's `Accept`.
    ///   - isAnimated: Whether the source is known to be an animation, for which formats without one are not offered.
    func rule(_ plan: ImagePlan, accept: String?, isAnimated: Bool = false) -> EncodedImageFormat {
        switch plan.output.format {
        case .named(let name):
            let format = ImageFormat(rawValue: name)
            return .format(format, options(format, plan.output, background: plan.background))
        case .blurHash: return .format(.blurHash)
        // A description has the hash in it, which is the cheapest form to make.
        case .thumbHash, .info: return .format(.thumbHash)
        case .original, .raw:
            return .original(options(.jpeg, plan.output, background: plan.background), otherwise: .png)
        case .negotiated:
            let formats = isAnimated ? offers.filter { $0 == .avif || $0 == .webp || $0 == .jxl } + [.gif] : offers
            let offers = formats.map {
                EncodedImageFormat.Offer($0, options($0, plan.output, background: plan.background))
            }
            return .accepted(by: accept, offers: offers)
        }
    }
}

extension ImagePlan {
    /// A Boolean value that indicates whether the answer depends on the client's `Accept`.
    var isNegotiated: Bool { output.format == .negotiated }

    /// A Boolean value that indicates whether the answer is an image, and no text about one.
    var isOfImage: Bool {
        switch output.format {
        case .blurHash, .thumbHash, .info: false
        case .negotiated, .original, .named, .raw: true
        }
    }

    /// The plan with the lowest quality in the place of a number of bytes.
    var withLowestQuality: ImagePlan {
        var plan = self
        (plan.output.maximumByteCount, plan.output.quality, plan.output.isLossless) = (nil, 1, false)
        plan.output.qualities = [:]
        return plan
    }

    /// The options of a load that follow from the plan.
    var loadOptions: [ImageOption] {
        var options: [ImageOption] = [.cacheOriginalImage, .processAllFrames]
        if let frame = output.frame { options.append(.frame(frame)) }
        if output.isStill || output.frame == 0 { options.append(.animation(.firstFrame)) }
        if output.usesEmbeddedThumbnail { options.append(.useEmbeddedThumbnail) }
        return options
    }
}
