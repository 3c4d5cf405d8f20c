/// URLs of imgproxy: `/SIGNATURE/options…/plain/SOURCE@EXTENSION` or `/SIGNATURE/options…/BASE64.EXTENSION`.
///
/// Each option of imgproxy's open edition is understood or refused by its name; none is ignored. Those of its Pro
/// edition are refused. Source: imgproxy's documentation, "Processing an image".
public struct ImgproxyURL: Sendable, Hashable {
    /// The signature as the URL has it.
    public let signature: String
    /// The text that is signed, which is the path behind the signature as the URL has it.
    public let signedText: String

    /// Reads the path of a URL, without its query.
    ///
    /// - Throws: ``URLRefusal``.
    public init(path: some StringProtocol) throws(URLRefusal) {
        guard path.hasPrefix("/"), let end = path.dropFirst().firstIndex(of: "/"),
            end != path.index(after: path.startIndex)
        else { throw .malformed("it begins with no signature") }
        signature = String(path[path.index(after: path.startIndex)..<end])
        let text = String(path[end...])
        // As imgproxy does, before it checks the signature.
        let mark = "/plain/"
        signedText =
            text.firstRange(of: mark).map {
                text[..<$0.upperBound] + URLCoding.restoringSlashes(text[$0.upperBound...])
            }
            ?? text
    }

    /// Returns what the URL asks for.
    ///
    /// - Throws: ``URLRefusal``.
    public func plan(by rules: URLRules) throws(URLRefusal) -> ImagePlan {
        // Without keys, and only if it is allowed, a URL may have anything in the place of its signature.
        guard rules.keys.isEmpty && rules.allowsUnsigned || rules.keys.isValid(signature, of: signedText) else {
            throw .signature
        }
        var parts = signedText.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        var reader = ImgproxyOptions(rules)
        if rules.presets["default"] != nil { try reader.apply(presets: ["default"]) }
        if rules.presetsOnly {
            guard let names = parts.popFirst() else { throw .malformed("it has no source") }
            try reader.apply(presets: names.split(separator: ":").map(String.init))
        } else {
            while let part = parts.first, part.contains(":") {
                try reader.apply(URLCoding.percentDecoded(part))
                parts.removeFirst()
            }
        }
        let (source, format) = try Self.source(parts)
        if let format { try reader.apply("format:\(format)") }
        let plan = reader.plan(of: source)
        try rules.check(plan)
        return plan
    }

    /// Reads what follows the options.
    ///
    /// - Returns: The source, and the file extension of the format if there is one.
    private static func source(_ parts: ArraySlice<some StringProtocol>) throws(URLRefusal) -> (String, String?) {
        let isPlain = parts.first == "plain"
        if parts.first == "enc" { throw .unsupported(option: "enc", "encrypted sources are of imgproxy Pro") }
        let text = isPlain ? parts.dropFirst().joined(separator: "/") : parts.joined()
        let halves = text.split(separator: isPlain ? "@" : ".", omittingEmptySubsequences: false)
        guard let encoded = halves.first, halves.count <= 2 else {
            throw .malformed("it has more than one extension; in a source, “@” is written as “%40”")
        }
        let format = halves.count == 2 && !halves[1].isEmpty ? try URLCoding.percentDecoded(halves[1]) : nil
        let source: String
        if isPlain {
            source = try URLCoding.percentDecoded(encoded)
        } else {
            guard let bytes = URLCoding.base64Decoded(encoded) else { throw .malformed("its source is not Base64") }
            source = try URLCoding.text(of: bytes)
        }
        guard !source.isEmpty else { throw .malformed("it has no source") }
        return (source, format)
    }
}

/// The options of imgproxy.
struct ImgproxyOptions {
    private let rules: URLRules
    private var draft: ImagePlan
    /// The crop, whose gravity may be that of the whole.
    private var crop: (width: Double, height: Double, gravity: ImagePlan.Gravity?)?
    private var blur: Double?, sharpen: Double?, pixelate: Int?
    private var isRaw = false
    private var presets: [String] = []

    init(_ rules: URLRules) {
        self.rules = rules
        draft = ImagePlan(source: "")
        draft.output.format = rules.negotiates ? .negotiated : .original
    }

    /// The names of the options that are read, or refused for a reason of their own, by the names that URLs may have.
    static let open: [String: String] = [
        "resize": "resize", "rs": "resize", "size": "size", "s": "size", "resizing_type": "resizing_type",
        "rt": "resizing_type", "width": "width", "w": "width", "height": "height", "h": "height",
        "min-width": "min-width", "min_width": "min-width", "mw": "min-width", "min-height": "min-height",
        "min_height": "min-height", "mh": "min-height", "zoom": "zoom", "z": "zoom", "dpr": "dpr", "enlarge": "enlarge",
        "el": "enlarge", "extend": "extend", "ex": "extend", "extend_aspect_ratio": "extend_aspect_ratio",
        "extend_ar": "extend_aspect_ratio", "exar": "extend_aspect_ratio", "gravity": "gravity", "g": "gravity",
        "crop": "crop", "c": "crop", "trim": "trim", "t": "trim", "padding": "padding", "pd": "padding",
        "auto_rotate": "auto_rotate", "ar": "auto_rotate", "rotate": "rotate", "rot": "rotate", "flip": "flip",
        "fl": "flip",
        "background": "background", "bg": "background", "blur": "blur", "bl": "blur", "sharpen": "sharpen",
        "sh": "sharpen",
        "pixelate": "pixelate", "pix": "pixelate", "watermark": "watermark", "wm": "watermark",
        "strip_metadata": "strip_metadata", "sm": "strip_metadata", "keep_copyright": "keep_copyright",
        "kcr": "keep_copyright", "strip_color_profile": "strip_color_profile", "scp": "strip_color_profile",
        "enforce_thumbnail": "enforce_thumbnail", "eth": "enforce_thumbnail", "quality": "quality", "q": "quality",
        "format_quality": "format_quality", "fq": "format_quality", "max_bytes": "max_bytes", "mb": "max_bytes",
        "format": "format", "f": "format", "ext": "format", "skip_processing": "skip_processing",
        "skp": "skip_processing", "raw": "raw", "cachebuster": "cachebuster", "cb": "cachebuster", "expires": "expires",
        "exp": "expires", "filename": "filename", "fn": "filename", "return_attachment": "return_attachment",
        "att": "return_attachment", "preset": "preset", "pr": "preset", "max_src_resolution": "max_src_resolution",
        "msr": "max_src_resolution", "max_src_file_size": "max_src_file_size", "msfs": "max_src_file_size",
        "max_animation_frames": "max_animation_frames", "maf": "max_animation_frames",
        "max_animation_frame_resolution": "max_animation_frame_resolution", "mafr": "max_animation_frame_resolution",
        "max_result_dimension": "max_result_dimension", "mrd": "max_result_dimension",
    ]

    /// The options of the Pro edition.
    static let pro: Set<String> = [
        "resizing_algorithm", "ra", "objects_position", "obj_pos", "op", "crop_aspect_ratio", "crop_ar", "car",
        "background_alpha", "bga", "adjust", "a", "brightness", "br", "contrast", "co", "saturation", "sa",
        "monochrome", "mc",
        "duotone", "dt", "unsharp_masking", "ush", "blur_detections", "bd", "draw_detections", "dd", "colorize", "col",
        "gradient", "gr", "watermark_url", "wmu", "watermark_text", "wmt", "watermark_size", "wms", "watermark_rotate",
        "wm_rot", "wmr", "watermark_shadow", "wmsh", "style", "st", "dpi", "autoquality", "aq", "jpeg_options", "jpgo",
        "png_options", "pngo", "webp_options", "webpo", "avif_options", "avifo", "page", "pg", "pages", "pgs",
        "disable_animation", "da", "video_thumbnail_second", "vts", "video_thumbnail_keyframes", "vtk",
        "video_thumbnail_tile", "vtt", "video_thumbnail_animation", "vta", "fallback_image_url", "fiu", "hashsum", "hs",
        "color_profile", "cp", "icc",
    ]

    mutating func apply(presets names: [String]) throws(URLRefusal) {
        for name in names {
            guard let options = rules.presets[name] else { throw .unknownPreset(name) }
            guard !presets.contains(name) else { throw .repeatedPreset(name) }
            presets.append(name)
            for option in options.split(separator: "/") { try apply(String(option)) }
            presets.removeLast()
        }
    }

    mutating func apply(_ option: String) throws(URLRefusal) {
        let parts = option.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        if Self.pro.contains(parts[0]) { throw .unsupported(option: parts[0], "it is one of imgproxy Pro") }
        guard let name = Self.open[parts[0]] else { throw .unknownOption(parts[0]) }
        var arguments = OptionArguments(parts[0], parts.dropFirst())
        if try !readSize(name, &arguments), try !readChange(name, &arguments) { try readOutput(name, &arguments) }
        try arguments.end()
    }

    /// Returns the plan of all options.
    func plan(of source: String) -> ImagePlan {
        var plan = draft
        plan.source = source
        plan.crop = crop.map { .size(width: $0.width, height: $0.height, $0.gravity ?? draft.size.gravity) }
        plan.turnsBeforeCrop = crop != nil && plan.quarterTurns != 0
        if plan.size.mode == .force {
            if plan.size.width == .free { plan.size.width = .original }
            if plan.size.height == .free { plan.size.height = .original }
        }
        // In the order of imgproxy, whatever that of the options.
        plan.effects = [
            blur.map { .blur($0) }, sharpen.map { .sharpen(radius: $0, amount: 1) }, pixelate.map { .pixelate($0) },
        ]
        .compactMap(\.self)
        if isRaw { plan.output.format = .raw }
        return plan
    }

    private mutating func readSize(_ name: String, _ arguments: inout OptionArguments) throws(URLRefusal) -> Bool {
        switch name {
        case "resize":
            try readType(&arguments)
            try readSides(&arguments)
        case "size": try readSides(&arguments)
        case "resizing_type": try readType(&arguments)
        case "width": draft.size.width = try arguments.side() ?? .free
        case "height": draft.size.height = try arguments.side() ?? .free
        case "min-width": draft.size.leastWidth = try arguments.integer(OptionArguments.lengths) ?? 0
        case "min-height": draft.size.leastHeight = try arguments.integer(OptionArguments.lengths) ?? 0
        case "zoom":
            draft.size.zoomX = try arguments.required(arguments.number(0.001...100))
            draft.size.zoomY = try arguments.number(0.001...100) ?? draft.size.zoomX
        case "dpr": draft.size.density = try arguments.required(arguments.number(0.001...8))
        case "enlarge": draft.size.enlarges = try arguments.flag() ?? false
        case "extend": draft.size.extends = try extending(&arguments)
        case "extend_aspect_ratio": draft.size.extendsRatio = try extending(&arguments)
        case "gravity": draft.size.gravity = try gravity(&arguments) ?? .center
        case "crop":
            let width = try arguments.number(0...65_535) ?? 0
            let height = try arguments.number(0...65_535) ?? 0
            crop = (width, height, try gravity(&arguments))
        default: return false
        }
        return true
    }

    private mutating func readType(_ arguments: inout OptionArguments) throws(URLRefusal) {
        let mode: ImagePlan.Size.Mode? = try arguments.choice([
            "fit": .fit, "fill": .fill, "fill-down": .fillDown, "force": .force, "auto": .auto,
        ])
        if let mode { draft.size.mode = mode }
    }

    private mutating func readSides(_ arguments: inout OptionArguments) throws(URLRefusal) {
        if let width = try arguments.side() { draft.size.width = width }
        if let height = try arguments.side() { draft.size.height = height }
        if let enlarges = try arguments.flag() { draft.size.enlarges = enlarges }
        if !arguments.isEmpty { draft.size.extends = try extending(&arguments) }
    }

    private func extending(_ arguments: inout OptionArguments) throws(URLRefusal) -> ImagePlan.Gravity? {
        let extends = try arguments.flag() ?? false
        let gravity = try gravity(&arguments) ?? .center
        if gravity == .smart { throw arguments.refusal("takes no smart gravity") }
        return extends ? gravity : nil
    }

    private func gravity(_ arguments: inout OptionArguments) throws(URLRefusal) -> ImagePlan.Gravity? {
        guard let name = arguments.next() else { return nil }
        switch name {
        case "sm": return .smart
        case "fp":
            let x = try arguments.required(arguments.number(OptionArguments.fractions))
            return .focus(x: x, y: try arguments.required(arguments.number(OptionArguments.fractions)))
        case "obj", "objw": throw .unsupported(option: arguments.option, "its gravity “\(name)” is one of imgproxy Pro")
        default:
            guard let anchor = OptionArguments.compass.first(where: { $0.key == name })?.value else {
                throw arguments.refusal("takes no gravity “\(name)”")
            }
            let x = try arguments.number(OptionArguments.offsets) ?? 0
            return .anchor(
                x: anchor.x,
                y: anchor.y,
                offsetX: x,
                offsetY: try arguments.number(OptionArguments.offsets) ?? 0
            )
        }
    }

    private mutating func readChange(_ name: String, _ arguments: inout OptionArguments) throws(URLRefusal) -> Bool {
        switch name {
        case "trim":
            var trim = ImagePlan.Trim()
            trim.tolerance = try arguments.required(arguments.number(0...255))
            trim.color = try arguments.color()
            trim.isEqualHorizontally = try arguments.flag() ?? false
            trim.isEqualVertically = try arguments.flag() ?? false
            draft.trim = trim
        case "padding": draft.padding = try HalcyonOptions.padding(&arguments)
        case "auto_rotate":
            if try arguments.flag() == false {
                throw .unsupported(option: arguments.option, "images are always upright")
            }
        case "rotate":
            let degrees = try arguments.required(arguments.integer(-3_600...3_600))
            guard degrees.isMultiple(of: 90) else { throw arguments.refusal("takes multiples of 90") }
            draft.quarterTurns = degrees / 90
        case "flip":
            draft.flipsHorizontally = try arguments.flag() ?? false
            draft.flipsVertically = try arguments.flag() ?? false
        case "background":
            if arguments.count == 3 {
                let red = try arguments.required(arguments.integer(0...255))
                let green = try arguments.required(arguments.integer(0...255))
                let blue = try arguments.required(arguments.integer(0...255))
                draft.background = PlanColor(red: UInt8(red), green: UInt8(green), blue: UInt8(blue))
            } else {
                draft.background = try arguments.color()
            }
        case "blur": blur = Self.nonzero(try arguments.number(0...250))
        case "sharpen": sharpen = Self.nonzero(try arguments.number(0...100))
        case "pixelate": pixelate = try arguments.integer(0...1_000).flatMap { $0 > 1 ? $0 : nil }
        case "watermark": draft.watermark = try HalcyonOptions.watermark(&arguments)
        default: return false
        }
        return true
    }

    private static func nonzero(_ value: Double?) -> Double? { value == 0 ? nil : value }

    private mutating func readOutput(_ name: String, _ arguments: inout OptionArguments) throws(URLRefusal) {
        switch name {
        case "strip_metadata", "strip_color_profile":
            if try arguments.flag() == false { throw .unsupported(option: arguments.option, "nothing of it is kept") }
        case "keep_copyright":
            if try arguments.flag() == true { throw .unsupported(option: arguments.option, "no metadata is kept") }
        case "enforce_thumbnail": draft.output.usesEmbeddedThumbnail = try arguments.flag() ?? false
        case "quality": draft.output.quality = try arguments.integer(0...100).flatMap { $0 == 0 ? nil : $0 }
        case "format_quality":
            while let format = arguments.next() {
                guard case .named(let format) = try rules.format(format, option: arguments.option) else { continue }
                draft.output.qualities[format] = try arguments.required(arguments.integer(1...100))
            }
        case "max_bytes":
            draft.output.maximumByteCount = try arguments.integer(0...Int.max).flatMap { $0 == 0 ? nil : $0 }
        case "format":
            let format = try arguments.required(arguments.next())
            if format == "best" {
                throw .unsupported(option: arguments.option, "its format “best” is one of imgproxy Pro")
            }
            draft.output.format = try rules.format(format, option: arguments.option)
        case "skip_processing":
            draft.output.unprocessedFormats = Set(arguments.all().map { $0 == "jpg" ? "jpeg" : $0 })
        case "raw": isRaw = try arguments.flag() ?? false
        case "cachebuster": _ = arguments.all()
        case "expires": draft.delivery.expires = try arguments.integer(0...Int.max).flatMap { $0 == 0 ? nil : $0 }
        case "filename":
            let text = try arguments.required(arguments.next())
            if try arguments.flag() == true {
                guard let bytes = URLCoding.base64Decoded(text) else { throw arguments.refusal("is not Base64") }
                draft.delivery.stem = try URLCoding.text(of: bytes)
            } else {
                draft.delivery.stem = text
            }
        case "return_attachment": draft.delivery.isAttachment = try arguments.flag() ?? false
        case "preset": try apply(presets: arguments.all())
        default:
            throw .unsupported(option: arguments.option, "limits are the server's alone")
        }
    }
}
