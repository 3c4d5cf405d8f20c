/// The server's own URLs: `/SIGNATURE/options…/plain/SOURCE` or `/SIGNATURE/options…/base64/SOURCE`.
///
/// An option is `name` or `name:argument:argument`, each at most once, in any order. The source is a URL or a path
/// below the server's base; in `plain`, percent signs, question marks and number signs are escaped, in `base64` it
/// is URL-safe Base64. The signature is the HMAC-SHA-256 of the canonical form of the URL, in URL-safe Base64;
/// `unsafe` stands for none.
///
/// The canonical form does not depend on the order of the options, nor on the spelling of the source: the options,
/// without percent-encoding and sorted by their bytes, and the source behind `plain`, each behind a slash:
/// `/h:300/w:400/plain/https://example.org/a.jpg`.
public struct HalcyonURL: Sendable, Hashable {
    /// The signature as the URL has it.
    public let signature: String
    /// The options without percent-encoding, sorted.
    public let options: [String]
    /// The source without encoding.
    public let source: String

    /// The parts of a URL that is to be signed.
    ///
    /// - Throws: ``URLRefusal`` for an empty source, and for options whose canonical form would be that of another
    ///   URL: empty ones, those with a slash, and those that a source follows.
    public init(options: [String], source: String) throws(URLRefusal) {
        try self.init(signature: "", options: options, source: source)
    }

    /// Reads the path of a URL, without its query.
    ///
    /// - Throws: ``URLRefusal``.
    public init(path: some StringProtocol) throws(URLRefusal) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard let signature = parts.first, !signature.isEmpty, path.hasPrefix("/") else {
            throw .malformed("it begins with no signature")
        }
        guard let mark = parts.dropFirst().firstIndex(where: { $0 == "plain" || $0 == "base64" }) else {
            throw .malformed("it has no source; that follows “/plain/” or “/base64/”")
        }
        var options: [String] = []
        for part in parts[..<mark].dropFirst() {
            options.append(try URLCoding.percentDecoded(part))
        }
        let rest = parts[(mark + 1)...]
        let source: String
        if parts[mark] == "plain" {
            source = try URLCoding.percentDecoded(URLCoding.restoringSlashes(rest.joined(separator: "/")))
        } else {
            guard let bytes = URLCoding.base64Decoded(rest.joined()) else {
                throw .malformed("its source is not Base64")
            }
            source = try URLCoding.text(of: bytes)
        }
        try self.init(signature: String(signature), options: options, source: source)
    }

    private init(signature: String, options: [String], source: String) throws(URLRefusal) {
        guard !source.isEmpty else { throw .malformed("its source is empty") }
        guard options.allSatisfy({ !$0.isEmpty && !$0.contains("/") && $0 != "plain" && $0 != "base64" }) else {
            throw .malformed("an option is empty, has a slash, or is “plain” or “base64”")
        }
        self.signature = signature
        self.options = options.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
        self.source = source
    }

    /// The text that is signed.
    public var canonicalForm: String {
        options.map { "/" + $0 }.joined() + "/plain/" + source
    }

    /// Returns the path of the URL, signed by the newest key; without a key, `unsafe`.
    public func path(signedBy keys: SigningKeys) -> String {
        let options = options.map { "/" + URLCoding.percentEncoded($0, keeping: ":,") }.joined()
        let signature = keys.signature(of: canonicalForm) ?? "unsafe"
        return "/\(signature)\(options)/plain/\(URLCoding.percentEncoded(source, keeping: ":/,@"))"
    }
}

extension HalcyonURL {
    /// Returns what the URL asks for.
    ///
    /// - Throws: ``URLRefusal``.
    public func plan(by rules: URLRules) throws(URLRefusal) -> ImagePlan {
        if !rules.allowsUnsigned || signature != "unsafe" {
            guard rules.keys.isValid(signature, of: canonicalForm) else { throw .signature }
        }
        var plan = ImagePlan(source: source)
        var reader = HalcyonOptions(rules)
        try reader.read(options, into: &plan)
        try rules.check(plan)
        return plan
    }
}

/// The options of the server's own URLs.
struct HalcyonOptions {
    private let rules: URLRules
    private var seen: Set<String> = []
    private var presets: [String] = []
    private var effects: [(order: Int, effect: ImagePlan.Effect)] = []

    init(_ rules: URLRules) {
        self.rules = rules
    }

    /// The names of all options, with the short ones.
    static let names = Set(short.keys).union(short.values).union([
        "crop", "part", "trim", "rotate", "flip", "enlarge", "dpr", "responsive", "blur", "sharpen", "pixelate",
        "brightness",
        "contrast", "saturation", "exposure", "hue", "grayscale", "sepia", "invert", "tint", "overlay", "opacity",
        "round",
        "circle", "border", "background", "padding", "watermark", "max-bytes", "effort", "progressive", "lossless",
        "frame",
        "still", "preset", "expires", "filename", "attachment", "version",
    ])

    private static let short = [
        "w": "width", "h": "height", "fit": "fit", "g": "gravity", "f": "format", "q": "quality", "bg": "background",
    ]

    mutating func read(_ options: [String], into plan: inout ImagePlan) throws(URLRefusal) {
        try add(options, to: &plan, isPreset: false)
        // In the order in which they are documented, as the order of options says nothing.
        plan.effects = effects.sorted { $0.order < $1.order }.map(\.effect)
    }

    /// Reads options. Those of the URL go before those of its presets, and a preset's before those of a preset
    /// within it.
    private mutating func add(_ options: [String], to plan: inout ImagePlan, isPreset: Bool) throws(URLRefusal) {
        var named: [String] = []
        var own: Set<String> = []
        for option in options {
            var parts = option.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            let name = Self.short[parts[0]] ?? parts[0]
            parts.removeFirst()
            // Both say which part stays.
            let place = name == "part" ? "crop" : name
            guard own.insert(place).inserted else { throw .invalidArgument(option: name, "is there twice") }
            if name == "preset" {
                named += parts
            } else {
                if rules.presetsOnly, !isPreset, !Self.allowedBesidePresets.contains(name) {
                    throw .presetsOnly(option: name)
                }
                guard seen.insert(place).inserted else { continue }
                var arguments = OptionArguments(name, parts)
                try read(&arguments, into: &plan)
                try arguments.end()
            }
        }
        for name in named {
            guard let preset = rules.presets[name] else { throw .unknownPreset(name) }
            guard !presets.contains(name) else { throw .repeatedPreset(name) }
            presets.append(name)
            try add(preset.split(separator: "/").map(String.init), to: &plan, isPreset: true)
        }
    }

    /// Those that change no pixel.
    private static let allowedBesidePresets: Set<String> = ["expires", "version"]

    private mutating func effect(_ order: Int, _ effect: ImagePlan.Effect) {
        effects.append((order, effect))
    }

    private mutating func read(_ arguments: inout OptionArguments, into plan: inout ImagePlan) throws(URLRefusal) {
        switch arguments.option {
        case "width": plan.size.width = try arguments.required(arguments.side())
        case "height": plan.size.height = try arguments.required(arguments.side())
        case "fit":
            let mode = try arguments.choice(["fit": 0, "fill": 1, "stretch": 2, "pad": 3])
            plan.size.mode = [.fit, .fill, .stretch, .fit][try arguments.required(mode)]
            if mode == 3 { plan.size.extends = .center }
        case "enlarge": plan.size.enlarges = true
        case "gravity":
            let gravity = try gravity(&arguments)
            plan.size.gravity = gravity
        case "dpr": plan.size.density = try arguments.required(arguments.number(0.1...8))
        case "responsive":
            plan.output.largestHintedWidth = try arguments.required(arguments.integer(1...65_535))
        case "crop", "part": plan.crop = try crop(&arguments)
        case "trim":
            var trim = ImagePlan.Trim()
            if let tolerance = try arguments.number(0...255) { trim.tolerance = tolerance }
            trim.color = try arguments.color()
            plan.trim = trim
        case "rotate":
            let degrees = try arguments.required(arguments.number(-360...360))
            if degrees.truncatingRemainder(dividingBy: 90) == 0 {
                plan.quarterTurns = Int(degrees / 90)
            } else {
                effect(0, .rotate(degrees))
            }
        case "flip":
            let axes = try arguments.required(
                arguments.choice(["h": (true, false), "v": (false, true), "hv": (true, true)])
            )
            (plan.flipsHorizontally, plan.flipsVertically) = axes
        case "background": plan.background = try arguments.required(arguments.color())
        case "padding": plan.padding = try Self.padding(&arguments)
        case "watermark": plan.watermark = try Self.watermark(&arguments)
        case "expires": plan.delivery.expires = try arguments.required(arguments.integer(0...Int.max))
        case "filename": plan.delivery.filename = try arguments.required(arguments.next())
        case "attachment": plan.delivery.isAttachment = true
        case "version": _ = try arguments.required(arguments.next())
        default:
            if try !readFilter(&arguments), try !readOutput(&arguments, into: &plan.output) {
                throw .unknownOption(arguments.option)
            }
        }
    }

    private mutating func readFilter(_ arguments: inout OptionArguments) throws(URLRefusal) -> Bool {
        switch arguments.option {
        case "grayscale": effect(1, .grayscale)
        case "sepia": effect(2, .sepia)
        case "invert": effect(3, .invert)
        case "brightness": effect(4, .brightness(try arguments.required(arguments.number(-1...1))))
        case "contrast": effect(5, .contrast(try arguments.required(arguments.number(0...10))))
        case "saturation": effect(6, .saturation(try arguments.required(arguments.number(0...10))))
        case "exposure": effect(7, .exposure(try arguments.required(arguments.number(-10...10))))
        case "hue": effect(8, .hue(try arguments.required(arguments.number(-360...360))))
        case "tint": effect(9, .tint(try arguments.required(arguments.color())))
        case "overlay":
            let color = try arguments.required(arguments.color())
            effect(10, .overlay(color, fraction: try arguments.number(OptionArguments.fractions) ?? 0.5))
        case "blur": effect(11, .blur(try arguments.required(arguments.number(0...250))))
        case "sharpen":
            let radius = try arguments.number(0...100) ?? 1
            effect(12, .sharpen(radius: radius, amount: try arguments.number(0...10) ?? 1))
        case "pixelate": effect(13, .pixelate(try arguments.required(arguments.integer(1...1_000))))
        case "opacity": effect(14, .opacity(try arguments.required(arguments.number(OptionArguments.fractions))))
        case "circle": effect(15, .circle)
        case "round":
            let radius = try arguments.required(arguments.number(0...65_535))
            effect(15, .roundCorners(radius, try arguments.color()))
        case "border":
            let width = try arguments.required(arguments.number(0...65_535))
            let black = PlanColor(red: 0, green: 0, blue: 0)
            effect(16, .border(width, try arguments.color() ?? black))
        default: return false
        }
        return true
    }

    private func readOutput(_ arguments: inout OptionArguments, into output: inout ImagePlan.Output) throws(URLRefusal)
        -> Bool
    {
        switch arguments.option {
        case "format":
            switch try arguments.required(arguments.next()) {
            case "auto": output.format = .negotiated
            case "original": output.format = .original
            case "blurhash": output.format = .blurHash
            case "thumbhash": output.format = .thumbHash
            case "info": output.format = .info
            case let name: output.format = try rules.format(name, option: arguments.option)
            }
        case "quality": output.quality = try arguments.required(arguments.integer(1...100))
        case "max-bytes": output.maximumByteCount = try arguments.required(arguments.integer(1...Int.max))
        case "effort": output.effort = try arguments.required(arguments.integer(1...9))
        case "progressive": output.isProgressive = true
        case "lossless": output.isLossless = true
        case "frame": output.frame = try arguments.required(arguments.integer(0...10_000))
        case "still": output.isStill = true
        default: return false
        }
        return true
    }

    private func gravity(_ arguments: inout OptionArguments) throws(URLRefusal) -> ImagePlan.Gravity {
        let names: KeyValuePairs<String, (x: Double, y: Double)> = [
            "center": (0.5, 0.5), "top": (0.5, 0), "bottom": (0.5, 1), "left": (0, 0.5), "right": (1, 0.5),
            "top-left": (0, 0), "top-right": (1, 0), "bottom-left": (0, 1), "bottom-right": (1, 1),
        ]
        let name = try arguments.required(arguments.next())
        if name == "smart" { return .smart }
        if name == "focus" {
            let x = try arguments.required(arguments.number(OptionArguments.fractions))
            return .focus(x: x, y: try arguments.required(arguments.number(OptionArguments.fractions)))
        }
        guard let anchor = names.first(where: { $0.key == name })?.value else {
            throw arguments.refusal(
                "takes smart, focus:X:Y, \(names.map(\.key).joined(separator: ", ")), not “\(name)”"
            )
        }
        return .anchor(x: anchor.x, y: anchor.y)
    }

    private func crop(_ arguments: inout OptionArguments) throws(URLRefusal) -> ImagePlan.Crop {
        if arguments.option == "crop" {
            let x = try arguments.required(arguments.integer(0...Int(Int32.max)))
            let y = try arguments.required(arguments.integer(0...Int(Int32.max)))
            let width = try arguments.required(arguments.integer(1...Int(Int32.max)))
            let height = try arguments.required(arguments.integer(1...Int(Int32.max)))
            return .pixels(x: x, y: y, width: width, height: height)
        }
        let x = try arguments.required(arguments.number(OptionArguments.fractions))
        let y = try arguments.required(arguments.number(OptionArguments.fractions))
        let width = try arguments.required(arguments.number(OptionArguments.fractions))
        return .parts(
            x: x,
            y: y,
            width: width,
            height: try arguments.required(arguments.number(OptionArguments.fractions))
        )
    }

    /// Reads the sides as CSS has them.
    static func padding(_ arguments: inout OptionArguments) throws(URLRefusal) -> ImagePlan.Padding {
        var padding = ImagePlan.Padding()
        guard !arguments.isEmpty else { throw arguments.refusal("lacks an argument") }
        padding.top = try arguments.integer(OptionArguments.lengths) ?? 0
        padding.right = try arguments.integer(OptionArguments.lengths) ?? padding.top
        padding.bottom = try arguments.integer(OptionArguments.lengths) ?? padding.top
        padding.left = try arguments.integer(OptionArguments.lengths) ?? padding.right
        return padding
    }

    /// Reads opacity, place, two offsets and scale.
    static func watermark(_ arguments: inout OptionArguments) throws(URLRefusal) -> ImagePlan.Watermark? {
        var watermark = ImagePlan.Watermark(opacity: try arguments.required(arguments.number(0...1)))
        let place = arguments.next() ?? "ce"
        let x = try arguments.number(OptionArguments.offsets) ?? 0
        let y = try arguments.number(OptionArguments.offsets) ?? 0
        watermark.scale = try arguments.number(0...1) ?? 0
        watermark.isTiled = place == "re"
        guard let anchor = watermark.isTiled ? (0, 0) : OptionArguments.compass.first(where: { $0.key == place })?.value
        else {
            if place == "ch" { throw .unsupported(option: arguments.option, "its place “ch” is one of imgproxy Pro") }
            throw arguments.refusal(
                "takes \(OptionArguments.compass.map(\.key).joined(separator: ", ")), re, not “\(place)”"
            )
        }
        watermark.gravity = .anchor(x: anchor.0, y: anchor.1, offsetX: x, offsetY: y)
        return watermark.opacity == 0 ? nil : watermark
    }
}
