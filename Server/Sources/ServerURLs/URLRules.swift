/// The rules by which a server reads URLs.
public struct URLRules: Sendable {
    /// The keys of the dialect. Default: none.
    public var keys = SigningKeys()
    /// A Boolean value that indicates whether URLs without a signature are answered. Default: `false`.
    public var allowsUnsigned = false
    /// Options by the name of their preset, as a URL has them: `w:400/h:300`. Default: none.
    public var presets: [String: String] = [:]
    /// A Boolean value that indicates whether options other than presets are refused. Default: `false`.
    public var presetsOnly = false
    /// The formats that can be made, by the file extensions that URLs may have. Default: those of Halcyon's core.
    public var formats = ["jpg": "jpeg", "jpeg": "jpeg", "png": "png", "webp": "webp", "avif": "avif", "gif": "gif"]
    /// A Boolean value that indicates whether URLs of imgproxy and thumbor that name no format get the best that
    /// the client accepts, instead of that of the source. Default: `true`.
    public var negotiates = true
    /// The largest product of density and side, in pixels. Default: 8,192.
    public var largestSide = 8_192
    /// A Boolean value that indicates whether the server has a watermark. Default: `false`.
    public var hasWatermark = false
    /// The present time in seconds since 1970.
    public var now: @Sendable () -> Int

    /// Rules with a default for each.
    ///
    /// - Parameter now: Returns the present time in seconds since 1970.
    public init(now: @escaping @Sendable () -> Int) {
        self.now = now
    }

    /// Returns the format of a file extension.
    ///
    /// - Throws: ``URLRefusal/unsupported(option:_:)``.
    func format(_ name: String, option: String) throws(URLRefusal) -> ImagePlan.Output.Format {
        guard let format = formats[name] else {
            throw .unsupported(
                option: option,
                "this server makes \(Set(formats.values).sorted().joined(separator: ", ")), not “\(name)”"
            )
        }
        return .named(format)
    }

    /// Checks a preset, with those that it names, as options of the server's own URLs.
    ///
    /// - Throws: ``URLRefusal`` for what every URL with the preset is refused for.
    public func check(preset name: String) throws(URLRefusal) {
        var plan = ImagePlan(source: "")
        var options = HalcyonOptions(self)
        try options.read(["preset:" + name], into: &plan)
        plan.delivery.expires = nil
        try check(plan)
    }

    /// Checks a preset, with those that it names, as options of imgproxy.
    ///
    /// - Throws: ``URLRefusal`` for what every URL with the preset is refused for.
    public func check(imgproxyPreset name: String) throws(URLRefusal) {
        var options = ImgproxyOptions(self)
        try options.apply(presets: [name])
        var plan = options.plan(of: "")
        plan.delivery.expires = nil
        try check(plan)
    }

    /// Checks what holds for every dialect.
    ///
    /// - Throws: ``URLRefusal``.
    func check(_ plan: ImagePlan) throws(URLRefusal) {
        if let expires = plan.delivery.expires, expires <= now() { throw .expired }
        // Those of the server's own URLs are fewer, each being there once.
        guard plan.effects.count <= 20 else { throw .malformed("it has more than 20 filters") }
        if plan.watermark != nil, !hasWatermark {
            throw .unsupported(option: "watermark", "the server has no watermark")
        }
        // Multiplied as numbers, which do not overflow.
        for (name, side, zoom) in [
            ("width", plan.size.width, plan.size.zoomX), ("height", plan.size.height, plan.size.zoomY),
        ] {
            guard case .pixels(let pixels) = side else { continue }
            guard Double(pixels) * plan.size.density * zoom <= Double(largestSide) else {
                throw .invalidArgument(option: name, "is larger than the \(largestSide) pixels that this server makes")
            }
        }
        let padding = plan.padding
        for length in [padding.top, padding.right, padding.bottom, padding.left] {
            guard Double(length) * plan.size.density <= Double(largestSide) else {
                throw .invalidArgument(
                    option: "padding",
                    "is larger than the \(largestSide) pixels that this server makes"
                )
            }
        }
        guard max(plan.size.leastWidth, plan.size.leastHeight) <= largestSide else {
            throw .invalidArgument(
                option: "min-width",
                "is larger than the \(largestSide) pixels that this server makes"
            )
        }
        if let width = plan.output.largestHintedWidth, width > largestSide {
            throw .invalidArgument(
                option: "responsive",
                "is larger than the \(largestSide) pixels that this server makes"
            )
        }
    }
}
