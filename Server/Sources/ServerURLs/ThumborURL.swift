/// URLs of thumbor: `/SIGNATURE/trim/AxB:CxD/fit-in/-Wx-H/HALIGN/VALIGN/smart/filters:name(…):name(…)/SOURCE`, and
/// `meta` before all of these.
///
/// Each part and each filter of thumbor is understood or refused by its name; none is ignored. Sources: thumbor's
/// documentation, "Usage" and "Filters".
public struct ThumborURL: Sendable, Hashable {
    /// The signature as the URL has it, or `unsafe`.
    public let signature: String
    /// The text that is signed, which is the path behind the signature as the URL has it, without the slash.
    public let signedText: String

    /// Reads the path of a URL, without its query.
    ///
    /// - Throws: ``URLRefusal``.
    public init(path: some StringProtocol) throws(URLRefusal) {
        let parts = path.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].isEmpty, !parts[1].isEmpty else {
            throw .malformed("it begins with no signature")
        }
        signature = String(parts[1])
        signedText = String(parts[2])
    }

    /// Returns what the URL asks for.
    ///
    /// - Throws: ``URLRefusal``.
    public func plan(by rules: URLRules) throws(URLRefusal) -> ImagePlan {
        var text = signedText
        var isEscaped = true
        if signature == "unsafe" {
            guard rules.allowsUnsigned else { throw .signature }
        } else {
            let signature = try URLCoding.percentDecoded(signature)
            if !rules.keys.isValidSHA1(signature, of: text) {
                // Clients escape what libthumbor signs without that. What is read has to be what was signed.
                text = try URLCoding.percentDecoded(text)
                isEscaped = false
                guard rules.keys.isValidSHA1(signature, of: text) else { throw .signature }
            }
        }
        if rules.presetsOnly { throw .presetsOnly(option: "thumbor") }
        var reader = ThumborOptions(rules, isEscaped: isEscaped)
        let plan = try reader.plan(of: text[...])
        try rules.check(plan)
        return plan
    }
}

/// The parts of a thumbor URL.
struct ThumborOptions {
    private let rules: URLRules
    private let isEscaped: Bool
    private var plan = ImagePlan(source: "")
    private var isFitIn = false
    private var isStretched = false
    private var neverEnlarges = false
    private var enlargesFitIn = false

    /// - Parameter isEscaped: Whether percent signs begin escapes.
    init(_ rules: URLRules, isEscaped: Bool) {
        self.rules = rules
        self.isEscaped = isEscaped
        plan.output.format = rules.negotiates ? .negotiated : .original
    }

    /// The filters that are read.
    static let filters: Set<String> = [
        "background_color", "blur", "brightness", "contrast", "cover", "fill", "focal", "format", "grayscale",
        "max_age",
        "max_bytes", "no_upscale", "proportion", "quality", "rgb", "rotate", "round_corner", "saturation", "sharpen",
        "stretch",
        "strip_exif", "strip_icc", "upscale",
    ]

    /// The filters that are refused.
    static let unsupportedFilters: Set<String> = [
        "autojpg", "colorize", "convolution", "curve", "distributed_collage", "equalize", "extract_focal", "frame",
        "gifv",
        "noise", "red_eye", "watermark",
    ]

    mutating func plan(of text: Substring) throws(URLRefusal) -> ImagePlan {
        var rest = text
        /// Takes the next part if it is one of these.
        func take(_ isMatch: (Substring) -> Bool) -> Substring? {
            guard let end = rest.firstIndex(of: "/"), isMatch(rest[..<end]) else { return nil }
            defer { rest = rest[rest.index(after: end)...] }
            return rest[..<end]
        }
        if take({ $0 == "debug" }) != nil { throw .unsupported(option: "debug", "nothing is drawn on images") }
        let isMeta = take { $0 == "meta" } != nil
        if let trim = take({ $0 == "trim" || $0.hasPrefix("trim:") }) { plan.trim = try Self.trim(trim) }
        if let crop = take({ $0.wholeMatch(of: /\d+x\d+:\d+x\d+/) != nil }) { plan.crop = try Self.crop(crop) }
        if let fit = take({ $0.wholeMatch(of: /(adaptive-)?(full-)?fit-in/) != nil }) {
            isFitIn = true
            plan.size.isAdaptive = fit.hasPrefix("adaptive-")
            plan.size.mode = fit.contains("full-") ? .around : .fit
        }
        if let size = take({ $0.wholeMatch(of: /-?(\d+|orig)?x-?(\d+|orig)?/) != nil }) { try read(size: size) }
        let horizontal = take { ["left", "center", "right"].contains($0) }
        let vertical = take { ["top", "middle", "bottom"].contains($0) }
        plan.size.gravity = .anchor(
            x: horizontal == "left" ? 0 : horizontal == "right" ? 1 : 0.5,
            y: vertical == "top" ? 0 : vertical == "bottom" ? 1 : 0.5
        )
        if take({ $0 == "smart" }) != nil { plan.size.gravity = .smart }
        if rest.hasPrefix("filters:") {
            guard let end = rest.firstRange(of: ")/") else { throw .malformed("its filters do not end with “)/”") }
            try read(filters: try self.text(rest[..<end.lowerBound].dropFirst("filters:".count)) + ")")
            rest = rest[end.upperBound...]
        }
        plan.source = try self.text(rest)
        guard !plan.source.isEmpty else { throw .malformed("it has no source") }
        // thumbor's own loader takes a source without a scheme for a host and a path.
        if plan.source.prefixMatch(of: /[A-Za-z][A-Za-z0-9+.\-]*:\/\//) == nil {
            plan.source = "http://" + plan.source
        }
        finish()
        if isMeta { plan.output.format = .info }
        return plan
    }

    private func text(_ part: Substring) throws(URLRefusal) -> String {
        isEscaped ? try URLCoding.percentDecoded(part) : String(part)
    }

    private mutating func finish() {
        if isFitIn {
            plan.size.enlarges = enlargesFitIn || plan.size.mode == .around
        } else {
            plan.size.enlarges = !neverEnlarges
            if isStretched {
                plan.size.mode = .stretch
            } else if plan.size.width != .free, plan.size.height != .free {
                plan.size.mode = .fill
            }
        }
    }

    private static func trim(_ text: Substring) throws(URLRefusal) -> ImagePlan.Trim {
        var trim = ImagePlan.Trim()
        trim.tolerance = 0
        var arguments = OptionArguments(
            "trim",
            text.split(separator: ":", omittingEmptySubsequences: false).dropFirst().map(String.init)
        )
        let first = arguments.next()
        switch first {
        case nil, "top-left": break
        case "bottom-right": trim.startsAtBottomRight = true
        case let text?:
            guard let tolerance = Int(text) else {
                throw arguments.refusal("takes top-left or bottom-right, not “\(text)”")
            }
            arguments = OptionArguments("trim", ["\(tolerance)"])
        }
        // thumbor measures the distance in space, up to 442; here each component has to be within the tolerance.
        if let tolerance = try arguments.number(0...442) { trim.tolerance = tolerance / 3.0.squareRoot() }
        try arguments.end()
        return trim
    }

    private static func crop(_ text: Substring) throws(URLRefusal) -> ImagePlan.Crop? {
        let numbers = text.split { $0 == "x" || $0 == ":" }.map { Int($0) ?? .max }
        guard numbers.allSatisfy({ $0 <= Int(Int32.max) }) else {
            throw .invalidArgument(option: "crop", "is larger than any image")
        }
        // thumbor ignores a crop without a pixel.
        guard numbers[2] > numbers[0], numbers[3] > numbers[1] else { return nil }
        let (width, height) = (numbers[2] - numbers[0], numbers[3] - numbers[1])
        return .pixelsIfAny(x: numbers[0], y: numbers[1], width: width, height: height)
    }

    private mutating func read(size text: Substring) throws(URLRefusal) {
        let sides = text.split(separator: "x", maxSplits: 1, omittingEmptySubsequences: false)
        func side(_ text: Substring) throws(URLRefusal) -> ImagePlan.Size.Side {
            let digits = text.hasPrefix("-") ? text.dropFirst() : text
            if digits == "orig" { return .original }
            guard let pixels = Int(digits.isEmpty ? "0" : digits), OptionArguments.lengths.contains(pixels) else {
                throw .invalidArgument(option: "size", "is larger than any image")
            }
            return pixels == 0 ? .free : .pixels(pixels)
        }
        plan.flipsHorizontally = sides[0].hasPrefix("-")
        plan.flipsVertically = sides[1].hasPrefix("-")
        plan.flipsAfterSize = plan.flipsHorizontally || plan.flipsVertically
        plan.size.width = try side(sides[0])
        plan.size.height = try side(sides[1])
    }

    private mutating func read(filters text: String) throws(URLRefusal) {
        for filter in text.split(separator: "):") {
            guard let open = filter.firstIndex(of: "(") else {
                throw .malformed("a filter has no arguments: “\(filter)”")
            }
            let name = String(filter[..<open])
            var rest = filter[filter.index(after: open)...]
            if rest.hasSuffix(")") { rest.removeLast() }
            let arguments =
                rest.isEmpty
                ? []
                : rest.split(separator: ",", omittingEmptySubsequences: false)
                    .map { String($0.trimmingPrefix { $0 == " " }) }
            if Self.unsupportedFilters.contains(name) {
                throw .unsupported(option: name, "there is no such filter here")
            }
            guard Self.filters.contains(name) else { throw .unknownOption(name) }
            var reader = OptionArguments(name, arguments)
            if try !readOutput(name, &reader) { try readFilter(name, &reader) }
            try reader.end()
        }
    }

    private mutating func readOutput(_ name: String, _ arguments: inout OptionArguments) throws(URLRefusal) -> Bool {
        switch name {
        case "format": plan.output.format = try rules.format(try arguments.required(arguments.next()), option: name)
        case "quality": plan.output.quality = try arguments.required(arguments.integer(1...100))
        case "max_bytes": plan.output.maximumByteCount = try arguments.required(arguments.integer(1...Int.max))
        case "max_age": plan.delivery.maximumAge = try arguments.required(arguments.integer(0...Int(Int32.max)))
        case "cover": plan.output.isStill = true
        case "no_upscale": neverEnlarges = true
        case "upscale": enlargesFitIn = true
        case "stretch": isStretched = true
        case "proportion":
            plan.size.zoomX = try arguments.required(arguments.number(0.001...1))
            plan.size.zoomY = plan.size.zoomX
        // No metadata and no profile is kept in any case.
        case "strip_exif", "strip_icc": break
        case "focal":
            guard let text = arguments.next(),
                let match = text.wholeMatch(of: /(\d{1,9})x(\d{1,9}):(\d{1,9})x(\d{1,9})/),
                let left = Double(match.1), let top = Double(match.2), let right = Double(match.3),
                let bottom = Double(match.4)
            else { throw arguments.refusal("takes LEFTxTOP:RIGHTxBOTTOM") }
            plan.size.gravity = .focusPixels(x: (left + right) / 2, y: (top + bottom) / 2)
        default: return false
        }
        return true
    }

    private mutating func readFilter(_ name: String, _ arguments: inout OptionArguments) throws(URLRefusal) {
        switch name {
        case "background_color": plan.background = try color(&arguments)
        case "blur":
            let radius = try arguments.required(arguments.number(0...150))
            let sigma = try arguments.number(0...150) ?? radius
            if sigma > 0 { plan.effects.append(.blur(sigma)) }
        case "brightness":
            plan.effects.append(.brightness(try arguments.required(arguments.number(-100...100)) / 100))
        case "contrast":
            let factor = (try arguments.required(arguments.number(-100...100)) + 100) / 100
            plan.effects.append(.contrast(factor * factor))
        case "saturation": plan.effects.append(.saturation(try arguments.required(arguments.number(0...10))))
        case "grayscale": plan.effects.append(.grayscale)
        case "rgb":
            let red = try arguments.required(arguments.number(-100...100)) / 100
            let green = try arguments.required(arguments.number(-100...100)) / 100
            let blue = try arguments.required(arguments.number(-100...100)) / 100
            plan.effects.append(.channels(red: red, green: green, blue: blue))
        case "sharpen":
            let amount = try arguments.required(arguments.number(0...100))
            let radius = try arguments.required(arguments.number(0...100))
            _ = try arguments.flag()
            plan.effects.append(.sharpen(radius: radius, amount: amount))
        // thumbor turns to the left.
        case "rotate": plan.effects.append(.rotate(-(try arguments.required(arguments.number(-3_600...3_600)))))
        case "round_corner":
            let radii = try arguments.required(arguments.next()).split(separator: "|")
            guard let radius = radii.first.flatMap({ Double($0) }), (0...65_535).contains(radius) else {
                throw arguments.refusal("takes a radius")
            }
            guard radii.allSatisfy({ $0 == radii[0] }) else { throw .unsupported(option: name, "corners are circles") }
            let components = try (0..<3).map { _ throws(URLRefusal) in UInt8(try arguments.integer(0...255) ?? 0) }
            let isTransparent = try arguments.flag() ?? false
            let color = PlanColor(red: components[0], green: components[1], blue: components[2])
            plan.effects.append(.roundCorners(radius, isTransparent ? nil : color))
        default:
            let color = try color(&arguments)
            let fillsTransparent = try arguments.flag() ?? false
            plan.size.extends = .center
            plan.size.fill = color
            if fillsTransparent { plan.background = color }
        }
    }

    private func color(_ arguments: inout OptionArguments) throws(URLRefusal) -> PlanColor {
        let text = try arguments.required(arguments.next())
        if text == "transparent" { return .clear }
        if ["auto", "blur"].contains(text) { throw .unsupported(option: arguments.option, "“\(text)” is no colour") }
        guard let color = Self.colors[text.lowercased()] ?? PlanColor(hex: text) else {
            throw arguments.refusal("takes hexadecimal digits or one of the 16 names of HTML 4, not “\(text)”")
        }
        return color
    }

    private static let colors: [String: PlanColor] = [
        "black": "000000", "silver": "c0c0c0", "gray": "808080", "white": "ffffff", "maroon": "800000", "red": "ff0000",
        "purple": "800080", "fuchsia": "ff00ff", "green": "008000", "lime": "00ff00", "olive": "808000",
        "yellow": "ffff00",
        "navy": "000080", "blue": "0000ff", "teal": "008080", "aqua": "00ffff",
    ].compactMapValues { PlanColor(hex: $0) }
}
