public import ArgumentParser
public import Halcyon

/// A size as "400x300", or as "400" for a square of that.
struct SizeArgument: ExpressibleByArgument, Sendable, Hashable {
    let size: PixelSize

    init?(argument: String) {
        let parts = argument.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let width = Int(parts[0]), let height = Int(parts[parts.count - 1]),
            (1...65_535).contains(width), (1...65_535).contains(height)
        else { return nil }
        size = PixelSize(width, height)
    }
}

extension ResizeMode: ExpressibleByArgument {}

/// The options for the size of the result, which several commands have.
struct ResizeArguments: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp("Resize images to this size in pixels, such as 400x300, or 400 for both.", valueName: "WxH")
    )
    var resize: SizeArgument?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "For images of another shape: fit inside the size, fill it and cut, or stretch.",
            valueName: "MODE"
        )
    )
    var mode: ResizeMode = .fit

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Run these processors, after --resize, such as 'downsample 400x400 | roundCorners 20 | blur 8', with double quotes around names with blanks: \(ProcessorWords.names).",
            valueName: "STEP | STEP …"
        ),
        transform: ProcessArgument.init
    )
    var process: ProcessArgument?

    /// Whether pixels are to be changed.
    var isNamed: Bool { resize != nil || process != nil }

    /// The chain that makes a result of a size.
    func processing(to size: PixelSize?) -> ImageProcessorChain {
        let resizing = size.map { ImageProcessorChain.resize(to: .pixels($0), mode: mode) } ?? .identity
        return resizing |> (process?.chain ?? .identity)
    }

    /// Returns what is made of each image: one file for each of the sizes, or one in all.
    ///
    /// - Parameter frame: The frame that is taken of an animation; `nil` for all.
    func variants(sizes: SizeListArgument?, frame: Int? = nil) -> [OutputVariant] {
        guard let sizes, let largest = sizes.sizes.max() else { return [variant(resize?.size, nil, frame)] }
        return sizes.sizes.map { size in
            var variant = variant(PixelSize(size, size), size, frame)
            variant.base = .resize(to: .pixels(largest, largest), mode: mode)
            return variant
        }
    }

    private func variant(_ size: PixelSize?, _ named: Int?, _ frame: Int?) -> OutputVariant {
        var options: [String] = []
        if let size { options.append("resize=\(size.width)x\(size.height),\(mode.rawValue)") }
        if let process { options.append("process=\(process.identity)") }
        if let frame { options.append("frame=\(frame)") }
        return OutputVariant(processing: processing(to: size), options: options, size: named, frame: frame)
    }
}

/// The options for the encoding of a result, which several commands have.
struct EncodingArguments: ParsableArguments {
    private static let defaultQuality = 85

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Quality of lossy formats, from 1 to 100. (default: 85; none for an original without loss that stays in its format)",
            valueName: "N"
        )
    )
    var quality: Int?

    @Flag(
        name: .long,
        help:
            "Write every pixel as it is shown, in formats that can: PNG, WebP, AVIF, JPEG XL, TIFF, …; colours of nearly clear pixels are rounded."
    )
    var lossless = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Work for smaller files, from 1 (fastest) to 9 (smallest), in JPEG, PNG, WebP, AVIF, JPEG XL and TIFF; others have no choice. (default: about as other programs)",
            valueName: "N"
        )
    )
    var effort: Int?

    @Flag(name: .long, help: "Write JPEG so that it shows as a whole while it loads; other formats stay as they are.")
    var progressive = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Put this behind transparent pixels in formats that have none. (default: white)",
            valueName: "COLOR"
        )
    )
    var background: ColorArgument?

    @Option(
        name: .long,
        help: ArgumentHelp("Keep these of the original in results: icc, exif, xmp, or all.", valueName: "KIND,KIND"),
        transform: MetadataKinds.init
    )
    var keepMetadata: MetadataKinds?

    var options: EncodeOptions {
        EncodeOptions(
            quality: lossless ? nil : quality ?? Self.defaultQuality,
            effort: effort,
            isProgressive: progressive,
            background: background?.color ?? .white
        )
    }

    /// The formats whose originals are encoded although they are in the format already: those that have the quality, the
    /// effort or the order that is named.
    var encodedOriginals: Set<ImageFormat> {
        Set(ImageCodecs.standard.encoders.filter { !$0.choices.isDisjoint(with: named) }.map(\.format))
    }

    private var named: EncodeChoices {
        var named: EncodeChoices = []
        if quality != nil { named.insert(.quality) }
        if effort != nil { named.insert(.effort) }
        if progressive { named.insert(.progressiveOrder) }
        return named
    }

    /// Whether any of them is named.
    var isNamed: Bool { !named.isEmpty }

    /// Whether any is named of all that may be meant for originals, also where it changes none.
    var isAnyNamed: Bool { isNamed || lossless || keepMetadata != nil }

    /// The options that change the content of a result, in one way of writing them.
    var identity: String {
        var parts = ["quality=\(lossless ? "lossless" : "\(quality ?? Self.defaultQuality)")"]
        // One that is named changes originals as well.
        if quality == Self.defaultQuality { parts.append("named") }
        if let effort { parts.append("effort=\(effort)") }
        if progressive { parts.append("progressive") }
        if let color = background?.color { parts.append("background=\(color.red),\(color.green),\(color.blue)") }
        if let keepMetadata { parts.append("metadata=\(keepMetadata.identity)") }
        return parts.joined(separator: " ")
    }

    func validate() throws {
        if let quality, !(1...100).contains(quality) {
            throw ValidationError("--quality must be between 1 and 100.")
        }
        if let effort, !(1...9).contains(effort) { throw ValidationError("--effort must be between 1 and 9.") }
        guard quality == nil || !lossless else { throw ValidationError("Use --quality or --lossless.") }
    }
}

/// The kinds of metadata that results keep.
struct MetadataKinds: Sendable, Hashable {
    private enum Kind: String, CaseIterable {
        case icc
        case exif
        case xmp
    }

    private let kinds: Set<Kind>

    @Sendable init(_ text: String) throws {
        let names = text.split(separator: ",").map(String.init)
        let kinds = names.flatMap { name in name == "all" ? Kind.allCases : Kind(rawValue: name).map { [$0] } ?? [] }
        guard !names.isEmpty, names.allSatisfy({ $0 == "all" || Kind(rawValue: $0) != nil }) else {
            throw ValidationError("“\(text)” is no list of icc, exif and xmp, or all.")
        }
        self.kinds = Set(kinds)
    }

    /// Whether colours stay those of the original's profile, which is kept with them.
    var keepsProfile: Bool { kinds.contains(.icc) }

    var identity: String { kinds.map(\.rawValue).sorted().joined(separator: ",") }

    /// Returns the parts of an original's metadata that are kept.
    func kept(of metadata: ImageMetadata) -> ImageMetadata {
        ImageMetadata(
            exif: kinds.contains(.exif) ? metadata.exif : nil,
            xmp: kinds.contains(.xmp) ? metadata.xmp : nil,
            iccProfile: kinds.contains(.icc) ? metadata.iccProfile : nil
        )
    }
}
