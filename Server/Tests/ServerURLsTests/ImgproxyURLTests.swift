import Foundation
import Testing

@testable import ServerURLs

@Suite("URLs of imgproxy")
struct ImgproxyURLTests {
    private static let rules: URLRules = {
        var rules = URLRules.test()
        rules.allowsUnsigned = true
        rules.hasWatermark = true
        return rules
    }()

    private static let options: [(String, Change)] = [
        (
            "resize:fill:300:400:1:1:no",
            {
                $0.size.mode = .fill
                ($0.size.width, $0.size.height) = (.pixels(300), .pixels(400))
                $0.size.enlarges = true
                $0.size.extends = .anchor(x: 0.5, y: 0)
            }
        ),
        ("rs::300", { $0.size.width = .pixels(300) }),
        ("size:3:4", { ($0.size.width, $0.size.height) = (.pixels(3), .pixels(4)) }),
        ("s:3", { $0.size.width = .pixels(3) }), ("resizing_type:fill-down", { $0.size.mode = .fillDown }),
        ("rt:force/w:5", { ($0.size.mode, $0.size.width, $0.size.height) = (.force, .pixels(5), .original) }),
        ("rt:auto", { $0.size.mode = .auto }), ("width:7", { $0.size.width = .pixels(7) }), ("w:0", { _ in }),
        ("height:7", { $0.size.height = .pixels(7) }), ("h:7", { $0.size.height = .pixels(7) }),
        ("min-width:7", { $0.size.leastWidth = 7 }), ("mw:7", { $0.size.leastWidth = 7 }),
        ("min_width:7", { $0.size.leastWidth = 7 }),
        ("min-height:7", { $0.size.leastHeight = 7 }), ("mh:7", { $0.size.leastHeight = 7 }),
        ("min_height:7", { $0.size.leastHeight = 7 }),
        ("zoom:2", { ($0.size.zoomX, $0.size.zoomY) = (2, 2) }), ("z:2:3", { ($0.size.zoomX, $0.size.zoomY) = (2, 3) }),
        ("dpr:2", { $0.size.density = 2 }), ("enlarge:1", { $0.size.enlarges = true }),
        ("el:t", { $0.size.enlarges = true }),
        ("extend:true", { $0.size.extends = .center }),
        ("ex:1:so:0:5", { $0.size.extends = .anchor(x: 0.5, y: 1, offsetY: 5) }),
        ("extend_aspect_ratio:1", { $0.size.extendsRatio = .center }),
        ("extend_ar:1", { $0.size.extendsRatio = .center }),
        ("exar:1", { $0.size.extendsRatio = .center }),
        ("gravity:soea:5:0.1", { $0.size.gravity = .anchor(x: 1, y: 1, offsetX: 5, offsetY: 0.1) }),
        ("g:fp:0.3:0.4", { $0.size.gravity = .focus(x: 0.3, y: 0.4) }),
        ("crop:100:0.5", { $0.crop = .size(width: 100, height: 0.5, .center) }),
        ("c:10:20:nowe:3:4", { $0.crop = .size(width: 10, height: 20, .anchor(x: 0, y: 0, offsetX: 3, offsetY: 4)) }),
        ("g:sm/c:10:20", { ($0.crop, $0.size.gravity) = (.size(width: 10, height: 20, .smart), .smart) }),
        (
            "c:10:20/rot:90",
            {
                ($0.crop, $0.quarterTurns) = (.size(width: 10, height: 20, .center), 1)
                $0.turnsBeforeCrop = true
            }
        ),
        (
            "trim:10:FF00FF:1:0",
            {
                $0.trim = .init(tolerance: 10)
                $0.trim?.color = .init(hex: "ff00ff")
                $0.trim?.isEqualHorizontally = true
            }
        ),
        ("t:5", { $0.trim = .init(tolerance: 5) }),
        ("padding:1::3", { $0.padding = .init(top: 1, right: 1, bottom: 3, left: 1) }),
        ("pd:2", { $0.padding = .init(top: 2, right: 2, bottom: 2, left: 2) }), ("auto_rotate:1", { _ in }),
        ("ar:1", { _ in }),
        ("rotate:270", { $0.quarterTurns = 3 }), ("rot:90", { $0.quarterTurns = 1 }),
        ("flip:1:0", { $0.flipsHorizontally = true }),
        ("fl:0:1", { $0.flipsVertically = true }),
        ("background:255:0:16", { $0.background = .init(red: 255, green: 0, blue: 16) }),
        ("bg:fff", { $0.background = .init(hex: "fff") }), ("bg", { _ in }), ("blur:2", { $0.effects = [.blur(2)] }),
        ("bl:0", { _ in }), ("sharpen:0.5", { $0.effects = [.sharpen(radius: 0.5, amount: 1)] }),
        ("sh:1", { $0.effects = [.sharpen(radius: 1, amount: 1)] }), ("pixelate:8", { $0.effects = [.pixelate(8)] }),
        ("pix:0", { _ in }), ("pix:4/bl:1", { $0.effects = [.blur(1), .pixelate(4)] }),
        ("watermark:0.5", { $0.watermark = .init(opacity: 0.5) }), ("wm:0", { _ in }),
        (
            "wm:1:re:9:9",
            {
                $0.watermark = .init(opacity: 1)
                $0.watermark?.isTiled = true
                $0.watermark?.gravity = .anchor(x: 0, y: 0, offsetX: 9, offsetY: 9)
            }
        ),
        ("strip_metadata:1", { _ in }), ("sm:1", { _ in }), ("keep_copyright:0", { _ in }), ("kcr:0", { _ in }),
        ("strip_color_profile:1", { _ in }), ("scp:1", { _ in }),
        ("enforce_thumbnail:1", { $0.output.usesEmbeddedThumbnail = true }),
        ("eth:1", { $0.output.usesEmbeddedThumbnail = true }),
        ("quality:50", { $0.output.quality = 50 }), ("q:0", { _ in }),
        ("format_quality:jpg:70:webp:60", { $0.output.qualities = ["jpeg": 70, "webp": 60] }),
        ("fq:avif:50", { $0.output.qualities = ["avif": 50] }), ("max_bytes:9", { $0.output.maximumByteCount = 9 }),
        ("mb:0", { _ in }), ("format:jpg", { $0.output.format = .named("jpeg") }),
        ("f:png", { $0.output.format = .named("png") }),
        ("ext:webp", { $0.output.format = .named("webp") }),
        ("skip_processing:jpg:svg", { $0.output.unprocessedFormats = ["jpeg", "svg"] }),
        ("skp:gif", { $0.output.unprocessedFormats = ["gif"] }), ("raw:1", { $0.output.format = .raw }),
        ("cachebuster:x:y", { _ in }), ("cb:1", { _ in }), ("expires:2000", { $0.delivery.expires = 2_000 }),
        ("exp:2000", { $0.delivery.expires = 2_000 }), ("exp:0", { _ in }),
        ("filename:cat", { $0.delivery.stem = "cat" }),
        ("fn:Y2F0:1", { $0.delivery.stem = "cat" }), ("return_attachment:1", { $0.delivery.isAttachment = true }),
        ("att:1", { $0.delivery.isAttachment = true }),
    ]

    private func plan(_ options: String, rules: URLRules = rules) throws -> ImagePlan {
        try ImgproxyURL(path: "/_/\(options)/plain/https://example.com/a.jpg").plan(by: rules)
    }

    @Test("A signature is that of imgproxy over salt and path, and no other is taken")
    func signature() throws {
        var rules = URLRules.test()
        // Key and salt of imgproxy's documentation; the signature is Python's hmac over them.
        rules.keys = try SigningKeys(
            hexLines: """
                943b421c9eb07c830af81030552c86009268de4e532ba2ee2eab8247c6da0881:\
                520f986b998545b4785e0defbc4f3c1203f22de2374a3d53cb7a7fe9fea309c5
                """,
            salted: true
        )
        let path = "/rs:fill:300:400:0/g:sm/aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png"
        let signature = "90UxdwGRAI2bpLSHKkZculJau5ahfxfS0h3fMuQAf40"
        let plan = try ImgproxyURL(path: "/\(signature)\(path)").plan(by: rules)
        #expect(plan.source == "http://example.com/images/curiosity.jpg")
        #expect(plan.size.mode == .fill && plan.size.width == .pixels(300) && plan.size.height == .pixels(400))
        #expect(plan.size.gravity == .smart)
        #expect(plan.output.format == .named("png"))
        for wrong in ["90UxdwGRAI2bpLSHKkZculJau5ahfxfS0h3fMuQAf41", "90UxdwGRAI2", "unsafe", "_"] {
            #expect(throws: URLRefusal.signature) { try ImgproxyURL(path: "/\(wrong)\(path)").plan(by: rules) }
        }
        rules.allowsUnsigned = true
        #expect(throws: URLRefusal.signature) { try ImgproxyURL(path: "/unsafe\(path)").plan(by: rules) }
        rules.keys.signatureLength = 8
        #expect(try ImgproxyURL(path: "/90UxdwGRAI0\(path)").plan(by: rules) == plan)
    }

    @Test("Without a key, URLs are refused unless the rules allow them")
    func unsigned() {
        #expect(throws: URLRefusal.signature) { try ImgproxyURL(path: "/_/plain/a.jpg").plan(by: .test()) }
    }

    @Test(
        "A source is plain or Base64, with or without an extension",
        arguments: [
            ("plain/http://example.com/images/curiosity.jpg", nil),
            ("plain/http://example.com/images/curiosity.jpg@png", "png"),
            ("plain/http%3A%2F%2Fexample.com/images/curiosity.jpg@", nil),
            ("aHR0cDovL2V4YW1wbGUuY29tL2ltYWdlcy9jdXJpb3NpdHkuanBn", nil),
            ("aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png", "png"),
            ("aHR0cDovL2V4YW1wbGUuY29tL2ltYWdlcy9jdXJpb3NpdHkuanBn.", nil),
        ] as [(String, String?)]
    )
    func source(_ text: String, _ format: String?) throws {
        let plan = try ImgproxyURL(path: "/_/w:10/\(text)").plan(by: Self.rules)
        #expect(plan.source == "http://example.com/images/curiosity.jpg")
        #expect(plan.output.format == format.map { .named($0) } ?? .negotiated)
    }

    @Test("The escapes of a plain source are undone once")
    func escapes() throws {
        let plan = try ImgproxyURL(path: "/_/plain/https://example.com/a%40b%3Fv=1%2520.jpg@webp").plan(by: Self.rules)
        #expect(plan.source == "https://example.com/a@b?v=1%20.jpg")
    }

    @Test("A source of which a proxy has merged the slashes is the one that was signed")
    func mergedSlashes() throws {
        let whole = try ImgproxyURL(path: "/_/w:10/plain/https://example.com/a//b.jpg@webp")
        let merged = try ImgproxyURL(path: "/_/w:10/plain/https:/example.com/a//b.jpg@webp")
        #expect(merged == whole)
        #expect(try ImgproxyURL(path: "/_/plain/local:/a.jpg").plan(by: Self.rules).source == "local:///a.jpg")
        #expect(try ImgproxyURL(path: "/_/plain/a:1/b.jpg").plan(by: Self.rules).source == "a:1/b.jpg")
    }

    @Test(
        "A source that is none is refused",
        arguments: [
            "plain/", "plain/a@png@webp", "***", "enc/abc", "plain/a%", "", "YQpi", "aHR0c.png.webp", "plain/a%C2%9Bb",
            "plain/a%E2%80%A8b",
        ]
    )
    func malformedSource(_ text: String) {
        #expect(throws: URLRefusal.self) { try ImgproxyURL(path: "/_/w:10/\(text)").plan(by: Self.rules) }
    }

    @Test(
        "Each open option is read",
        arguments: options
    )
    func option(_ options: String, _ change: Change) throws {
        var expected = ImagePlan(source: "https://example.com/a.jpg")
        change(&expected)
        // Options without a colon end the list, as they do in imgproxy.
        #expect(try plan(options == "bg" ? "bg:" : options) == expected)
    }

    @Test(
        "An open option that cannot be followed is a 400 that names it",
        arguments: [
            "auto_rotate:0", "ar:f", "strip_metadata:0", "sm:0", "keep_copyright:1", "kcr:1", "strip_color_profile:0",
            "scp:0",
            "max_src_resolution:1", "msr:1", "max_src_file_size:1", "msfs:1", "max_animation_frames:1", "maf:1",
            "max_animation_frame_resolution:1", "mafr:1", "max_result_dimension:1", "mrd:1", "f:best", "f:psd",
            "g:obj:face",
            "wm:1:ch",
        ]
    )
    func unsupported(_ option: String) {
        let refusal = #expect(throws: URLRefusal.self) { try plan(option) }
        guard case .unsupported(let name, _) = refusal else {
            Issue.record("\(option): \(String(describing: refusal))")
            return
        }
        #expect(option.hasPrefix(name + ":"))
        #expect(refusal?.status == 400)
    }

    @Test("Options of the Pro edition are refused by their names", arguments: ImgproxyOptions.pro.sorted())
    func pro(_ name: String) {
        #expect(throws: URLRefusal.unsupported(option: name, "it is one of imgproxy Pro")) { try plan("\(name):1") }
    }

    @Test(
        "An argument that an option does not take is refused",
        arguments: [
            "rs:cover", "w:x", "dpr:0", "z:0", "rot:45", "g:xx", "ex:1:sm", "bg:1:2:300", "q:101", "el:yes", "fn:%25:1",
            "zz:1",
        ]
    )
    func malformed(_ option: String) {
        let refusal = #expect(throws: URLRefusal.self) { try plan(option) }
        #expect(refusal?.status == 400)
    }

    @Test("Presets are applied in their order, the default one first")
    func presets() throws {
        var rules = Self.rules
        rules.presets = ["default": "q:40/w:9", "sharp": "sh:1/w:10", "loop": "pr:loop"]
        let plan = try plan("h:5/preset:sharp/pr:sharp", rules: rules)
        #expect(plan.output.quality == 40 && plan.size.width == .pixels(10) && plan.size.height == .pixels(5))
        #expect(throws: URLRefusal.repeatedPreset("loop")) { try self.plan("pr:loop", rules: rules) }
        rules.presetsOnly = true
        #expect(try self.plan("sharp", rules: rules).size.width == .pixels(10))
        #expect(throws: URLRefusal.unknownPreset("w")) { try self.plan("w:1", rules: rules) }
    }

    @Test("The documentation's table has each option of imgproxy's open edition, and no other")
    func documented() throws {
        #expect(try DocumentedOptions.names(under: "## imgproxy") == Set(ImgproxyOptions.open.keys))
    }
}
