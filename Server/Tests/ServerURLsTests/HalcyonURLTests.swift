import Testing

@testable import ServerURLs

@Suite("The server's own URLs")
struct HalcyonURLTests {
    private let rules = URLRules.test(key: Array(0..<32).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
    private let source = "https://example.org/a.jpg"

    private static let options: [(String, Change)] = [
        ("h:9", { $0.size.height = .pixels(9) }), ("height:9", { $0.size.height = .pixels(9) }),
        ("width:8", { $0.size.width = .pixels(8) }), ("fit:fill", { $0.size.mode = .fill }),
        ("fit:pad", { $0.size.extends = .center }), ("enlarge", { $0.size.enlarges = true }),
        ("gravity:smart", { $0.size.gravity = .smart }),
        ("g:focus:0.2:0.8", { $0.size.gravity = .focus(x: 0.2, y: 0.8) }),
        ("g:top-left", { $0.size.gravity = .anchor(x: 0, y: 0) }), ("dpr:2", { $0.size.density = 2 }),
        ("responsive:1600", { $0.output.largestHintedWidth = 1_600 }),
        ("crop:1:2:3:4", { $0.crop = .pixels(x: 1, y: 2, width: 3, height: 4) }),
        ("part:0:0.5:1:0.5", { $0.crop = .parts(x: 0, y: 0.5, width: 1, height: 0.5) }),
        ("trim:20", { $0.trim = .init(tolerance: 20) }), ("rotate:-90", { $0.quarterTurns = -1 }),
        ("rotate:30", { $0.effects = [.rotate(30)] }), ("flip:v", { $0.flipsVertically = true }),
        ("blur:3", { $0.effects = [.blur(3)] }), ("sharpen:2:0.5", { $0.effects = [.sharpen(radius: 2, amount: 0.5)] }),
        ("pixelate:8", { $0.effects = [.pixelate(8)] }), ("contrast:2", { $0.effects = [.contrast(2)] }),
        ("saturation:0", { $0.effects = [.saturation(0)] }), ("exposure:-1", { $0.effects = [.exposure(-1)] }),
        ("hue:90", { $0.effects = [.hue(90)] }), ("sepia", { $0.effects = [.sepia] }),
        ("invert", { $0.effects = [.invert] }), ("tint:f008", { $0.effects = [.tint(.hex("ff000088"))] }),
        ("overlay:fff", { $0.effects = [.overlay(.hex("fff"), fraction: 0.5)] }),
        ("opacity:0.5", { $0.effects = [.opacity(0.5)] }), ("round:12", { $0.effects = [.roundCorners(12, nil)] }),
        ("border:2", { $0.effects = [.border(2, .hex("000"))] }),
        ("bg:eee", { $0.background = .hex("eee") }),
        ("background:eee", { $0.background = .hex("eee") }),
        ("padding:1:2", { $0.padding = .init(top: 1, right: 2, bottom: 1, left: 2) }),
        ("f:jpg", { $0.output.format = .named("jpeg") }), ("format:info", { $0.output.format = .info }),
        ("format:blurhash", { $0.output.format = .blurHash }), ("format:thumbhash", { $0.output.format = .thumbHash }),
        ("format:original", { $0.output.format = .original }), ("format:auto", { _ in }),
        ("quality:40", { $0.output.quality = 40 }), ("max-bytes:9000", { $0.output.maximumByteCount = 9_000 }),
        ("effort:9", { $0.output.effort = 9 }), ("progressive", { $0.output.isProgressive = true }),
        ("lossless", { $0.output.isLossless = true }), ("frame:3", { $0.output.frame = 3 }),
        ("still", { $0.output.isStill = true }), ("filename:a b.jpg", { $0.delivery.filename = "a b.jpg" }),
        ("attachment", { $0.delivery.isAttachment = true }), ("version:7", { _ in }),
    ]

    private func plan(_ options: String..., rules: URLRules? = nil) throws -> ImagePlan {
        let rules = rules ?? self.rules
        return try HalcyonURL(path: HalcyonURL(options: options, source: source).path(signedBy: rules.keys)).plan(
            by: rules
        )
    }

    @Test("A signature is the HMAC-SHA-256 of the options in order and the source")
    func signature() throws {
        // printf /h:300/w:400/plain/https://example.org/a.jpg | openssl dgst -sha256 -mac HMAC -macopt
        // hexkey:000102…1f
        let url = try HalcyonURL(options: ["w:400", "h:300"], source: source)
        #expect(url.canonicalForm == "/h:300/w:400/plain/https://example.org/a.jpg")
        #expect(rules.keys.signature(of: url.canonicalForm) == "b8IRFeSm_bxB34W22gAwROkxf83lLlN6I1nykrrKS5I")
    }

    @Test("A source of which a proxy has merged the slashes is the one that was signed")
    func mergedSlashes() throws {
        let path = try HalcyonURL(options: ["w:400"], source: source).path(signedBy: rules.keys)
        let merged = path.replacing("//", with: "/")
        #expect(merged != path)
        #expect(try HalcyonURL(path: merged).plan(by: rules).source == source)
    }

    @Test("One signature serves each order of the options and each spelling of the source")
    func canonical() throws {
        let signature = "b8IRFeSm_bxB34W22gAwROkxf83lLlN6I1nykrrKS5I"
        let paths = [
            "/h:300/w:400/plain/https://example.org/a.jpg", "/w:400/h:300/plain/https://example.org/a.jpg",
            "/w%3A400/h:300/plain/https%3A%2F%2Fexample.org%2Fa.jpg",
            "/w:400/h:300/base64/aHR0cHM6Ly9leGFtcGxlLm9yZy9hLmpwZw",
            "/w:400/h:300/base64/aHR0cHM6Ly9leGFtcGxl/Lm9yZy9hLmpwZw==",
        ]
        let plans = try paths.map { try HalcyonURL(path: "/" + signature + $0).plan(by: rules) }
        #expect(Set(plans).count == 1)
        #expect(plans[0].size.width == .pixels(400))
        #expect(plans[0].source == source)
    }

    @Test(
        "Another option, another source, and no signature are refused",
        arguments: [
            "/b8IRFeSm_bxB34W22gAwROkxf83lLlN6I1nykrrKS5I/h:301/w:400/plain/https://example.org/a.jpg",
            "/b8IRFeSm_bxB34W22gAwROkxf83lLlN6I1nykrrKS5I/h:300/w:400/plain/https://example.org/b.jpg",
            "/c8IRFeSm_bxB34W22gAwROkxf83lLlN6I1nykrrKS5I/h:300/w:400/plain/https://example.org/a.jpg",
            "/b8IRFeSm_bxB34W22gAwROkxf83lLlN6I1nykrrKS5/h:300/w:400/plain/https://example.org/a.jpg",
            "/unsafe/h:300/w:400/plain/https://example.org/a.jpg",
        ]
    )
    func refused(_ path: String) {
        #expect(throws: URLRefusal.signature) { try HalcyonURL(path: path).plan(by: rules) }
    }

    @Test("An option with a slash does not make two options of one, nor a source of an option")
    func injection() {
        #expect(throws: URLRefusal.self) { try HalcyonURL(path: "/x/w:4%2Fh:3/plain/https://example.org/a.jpg") }
        var rules = rules
        rules.allowsUnsigned = true
        #expect(throws: URLRefusal.self) {
            try HalcyonURL(path: "/unsafe/%70lain/plain/https://example.org/a.jpg").plan(by: rules)
        }
    }

    @Test(
        "No options are signed that would be the source of another URL",
        arguments: ["plain", "base64", "", "w:1/h:2"]
    )
    func ambiguous(_ option: String) {
        #expect(throws: URLRefusal.self) { try HalcyonURL(options: [option, "private.jpg?"], source: source) }
    }

    @Test("An older key is valid until it is removed, and the newest signs")
    func rotation() throws {
        let (old, new) = (String(repeating: "0a", count: 16), String(repeating: "0b", count: 16))
        let url = try HalcyonURL(options: [], source: source)
        let both = URLRules.test(key: new + "\n" + old)
        for key in [old, new] {
            let path = url.path(signedBy: URLRules.test(key: key).keys)
            #expect(try HalcyonURL(path: path).plan(by: both).source == source)
        }
        #expect(url.path(signedBy: both.keys) == url.path(signedBy: URLRules.test(key: new).keys))
        let oldest = URLRules.test(key: old).keys.signature(of: "a")
        #expect(both.keys.signature(of: "a", byOldest: true) == oldest && both.keys.signature(of: "a") != oldest)
        #expect(throws: URLRefusal.signature) {
            try HalcyonURL(path: url.path(signedBy: URLRules.test(key: old).keys)).plan(by: .test(key: new))
        }
    }

    @Test("Unsigned URLs are answered only where the rules allow them, and wrong signatures never")
    func unsigned() throws {
        var rules = rules
        rules.allowsUnsigned = true
        #expect(try HalcyonURL(path: "/unsafe/w:400/plain/a.jpg").plan(by: rules).source == "a.jpg")
        #expect(throws: URLRefusal.signature) { try HalcyonURL(path: "/wrong/w:400/plain/a.jpg").plan(by: rules) }
        #expect(throws: URLRefusal.signature) { try HalcyonURL(path: "/unsafe/plain/a.jpg").plan(by: self.rules) }
    }

    @Test("A URL is refused from its time on")
    func expiry() throws {
        #expect(try plan("expires:1001").delivery.expires == 1_001)
        #expect(throws: URLRefusal.expired) { try plan("expires:1000") }
    }

    @Test("Options of the URL go before those of its presets")
    func presets() throws {
        var rules = rules
        rules.presets = ["small": "w:100/q:50/preset:base", "base": "w:900/grayscale", "loop": "preset:loop"]
        let plan = try plan("q:70", "preset:small", rules: rules)
        #expect(plan.size.width == .pixels(100))
        #expect(plan.output.quality == 70)
        #expect(plan.effects == [.grayscale])
        #expect(throws: URLRefusal.repeatedPreset("loop")) { try self.plan("preset:loop", rules: rules) }
        #expect(throws: URLRefusal.unknownPreset("none")) { try self.plan("preset:none", rules: rules) }
    }

    @Test("Where presets alone are taken, another option is refused, signed or not")
    func presetsOnly() throws {
        var rules = rules
        rules.presets = ["small": "w:100"]
        rules.presetsOnly = true
        #expect(try plan("preset:small", "expires:2000", rules: rules).size.width == .pixels(100))
        #expect(throws: URLRefusal.presetsOnly(option: "width")) { try plan("w:99", "preset:small", rules: rules) }
    }

    @Test("Filters run in one order, whatever that of the options")
    func order() throws {
        let effects = try plan("blur:2", "grayscale", "circle", "brightness:0.1").effects
        #expect(effects == [.grayscale, .brightness(0.1), .blur(2), .circle])
    }

    @Test(
        "Each option is read",
        arguments: options
    )
    func option(_ option: String, _ change: Change) throws {
        var expected = ImagePlan(source: source)
        change(&expected)
        #expect(try plan(option) == expected)
    }

    @Test(
        "An argument that an option does not take is refused by the option's name",
        arguments: [
            "w:-1", "w:65536", "w:4:5", "width", "fit:cover", "dpr:9", "dpr:0", "dpr:nan", "dpr:1e1", "g:focus:2:0",
            "g:middle",
            "crop:1:2:3", "blur:", "blur:inf", "q:0", "q:101", "bg:zzz", "padding", "still:1", "expires:-1", "frame:x",
        ]
    )
    func malformed(_ option: String) {
        let names = ["w": "width", "g": "gravity", "q": "quality", "bg": "background"]
        let name = option.split(separator: ":").first.map(String.init) ?? ""
        let refusal = #expect(throws: URLRefusal.self) { try plan(option) }
        guard case .invalidArgument(names[name] ?? name, _) = refusal else {
            Issue.record("\(option): \(String(describing: refusal))")
            return
        }
        #expect(refusal?.status == 400)
    }

    @Test("An option twice, an unknown one, and two crops are refused")
    func contradictions() {
        #expect(throws: URLRefusal.invalidArgument(option: "width", "is there twice")) { try plan("w:1", "width:2") }
        #expect(throws: URLRefusal.unknownOption("zoom")) { try plan("zoom:2") }
        #expect(throws: URLRefusal.self) { try plan("crop:0:0:1:1", "part:0:0:1:1") }
    }

    @Test("The product of density and side is bounded, and so are hints")
    func largest() throws {
        var rules = rules
        rules.largestSide = 1_000
        #expect(try plan("w:500", "dpr:2", rules: rules).size.density == 2)
        #expect(throws: URLRefusal.self) { try plan("w:501", "dpr:2", rules: rules) }
        #expect(throws: URLRefusal.self) { try plan("padding:501", "dpr:2", rules: rules) }
        #expect(throws: URLRefusal.self) { try plan("responsive:1001", rules: rules) }
    }

    @Test("A watermark is refused where the server has none")
    func watermark() throws {
        #expect(throws: URLRefusal.self) { try plan("watermark:0.5") }
        var rules = rules
        rules.hasWatermark = true
        let watermark = try #require(try plan("watermark:0.5:soea:10:-20:0.2", rules: rules).watermark)
        #expect(watermark.gravity == .anchor(x: 1, y: 1, offsetX: 10, offsetY: -20))
        #expect(watermark.scale == 0.2)
    }

    @Test(
        "A path that is none of the dialect is refused",
        arguments: [
            "", "/", "//w:1/plain/a", "/x/w:1/a.jpg", "/x/w:1/plain/", "/x/plain/%", "/x/plain/%zz", "/x/plain/%00",
            "/x/plain/%ff",
            "/x/base64/***", "/x/base64/YQpi", "x/plain/a", "/x//plain/a",
        ]
    )
    func malformedPath(_ path: String) {
        #expect(throws: URLRefusal.self) {
            var rules = rules
            rules.allowsUnsigned = true
            _ = try HalcyonURL(path: path.replacing("/x/", with: "/unsafe/")).plan(by: rules)
        }
    }

    @Test("A key shorter than 16 bytes, or none in hexadecimal digits, is refused without repeating it")
    func keys() {
        for text in ["0123", "zz" + String(repeating: "0", count: 32), String(repeating: "0", count: 33)] {
            let error = #expect(throws: SigningKeys.KeyError.self) { try SigningKeys(hexLines: text) }
            #expect(error.map { "\($0)".contains(text) } == false)
        }
        #expect("\(SigningKeys.random())" == "1 keys")
    }

    @Test("The documentation's table has each option, and no other")
    func documented() throws {
        #expect(try DocumentedOptions.names(under: "## Options") == HalcyonOptions.names)
    }
}

extension ImagePlan.Trim {
    init(tolerance: Double) {
        self.init()
        self.tolerance = tolerance
    }
}

extension ImagePlan.Padding {
    init(top: Int, right: Int, bottom: Int, left: Int) {
        self.init()
        (self.top, self.right, self.bottom, self.left) = (top, right, bottom, left)
    }
}
