import Foundation
import Testing

@testable import ServerURLs

@Suite("URLs of thumbor")
struct ThumborURLTests {
    private static let rules: URLRules = {
        var rules = URLRules.test()
        rules.allowsUnsigned = true
        return rules
    }()

    private static let parts: [(String, Change)] = [
        (
            "300x200",
            {
                ($0.size.width, $0.size.height, $0.size.mode) = (.pixels(300), .pixels(200), .fill)
            }
        ),
        ("300x", { $0.size.width = .pixels(300) }), ("0x200", { $0.size.height = .pixels(200) }),
        (
            "-300x-orig",
            {
                ($0.size.width, $0.size.height, $0.size.mode) = (.pixels(300), .original, .fill)
                ($0.flipsHorizontally, $0.flipsVertically, $0.flipsAfterSize) = (true, true, true)
            }
        ),
        (
            "fit-in/300x200",
            {
                ($0.size.width, $0.size.height, $0.size.enlarges) = (.pixels(300), .pixels(200), false)
            }
        ),
        (
            "adaptive-full-fit-in/300x200",
            {
                ($0.size.width, $0.size.height) = (.pixels(300), .pixels(200))
                ($0.size.isAdaptive, $0.size.mode) = (true, .around)
            }
        ),
        ("trim", { $0.trim = .init(tolerance: 0) }),
        (
            "trim:bottom-right:100",
            {
                $0.trim = .init(tolerance: 100 / 3.0.squareRoot())
                $0.trim?.startsAtBottomRight = true
            }
        ),
        ("trim:50", { $0.trim = .init(tolerance: 50 / 3.0.squareRoot()) }),
        ("10x20:110x220", { $0.crop = .pixelsIfAny(x: 10, y: 20, width: 100, height: 200) }), ("0x0:0x0", { _ in }),
        ("10x10:5x20", { _ in }), ("10x20:30x20", { _ in }),
        ("left/bottom", { $0.size.gravity = .anchor(x: 0, y: 1) }), ("smart", { $0.size.gravity = .smart }),
        ("meta/300x", { ($0.size.width, $0.output.format) = (.pixels(300), .info) }),
    ]

    private static let filterCases: [(String, Change)] = [
        ("background_color(fff)", { $0.background = .init(hex: "fff") }), ("blur(7)", { $0.effects = [.blur(7)] }),
        ("blur(7,3)", { $0.effects = [.blur(3)] }), ("brightness(40)", { $0.effects = [.brightness(0.4)] }),
        ("contrast(-50)", { $0.effects = [.contrast(0.25)] }), ("cover()", { $0.output.isStill = true }),
        (
            "fill(red,1)",
            {
                ($0.size.extends, $0.size.fill, $0.background) = (.center, .init(hex: "f00"), .init(hex: "f00"))
            }
        ),
        ("fill(transparent)", { ($0.size.extends, $0.size.fill) = (.center, .clear) }),
        ("focal(10x20:30x60)", { $0.size.gravity = .focusPixels(x: 20, y: 40) }),
        ("format(webp)", { $0.output.format = .named("webp") }), ("grayscale()", { $0.effects = [.grayscale] }),
        ("max_age(60)", { $0.delivery.maximumAge = 60 }), ("max_bytes(9)", { $0.output.maximumByteCount = 9 }),
        ("no_upscale()", { $0.size.enlarges = false }),
        ("proportion(0.5)", { ($0.size.zoomX, $0.size.zoomY) = (0.5, 0.5) }),
        ("quality(33)", { $0.output.quality = 33 }),
        ("rgb(20,-20,40)", { $0.effects = [.channels(red: 0.2, green: -0.2, blue: 0.4)] }),
        ("rotate(90)", { $0.effects = [.rotate(-90)] }),
        ("round_corner(20,255,255,255)", { $0.effects = [.roundCorners(20, .init(hex: "fff"))] }),
        ("round_corner(20,0,0,0,1)", { $0.effects = [.roundCorners(20, nil)] }),
        ("saturation(1.5)", { $0.effects = [.saturation(1.5)] }),
        ("sharpen(2,1.0,true)", { $0.effects = [.sharpen(radius: 1, amount: 2)] }),
        ("stretch()", { $0.size.mode = .stretch }),
        ("strip_exif()", { _ in }), ("strip_icc()", { _ in }), ("upscale()", { _ in }),
    ]

    private func plan(_ text: String) throws -> ImagePlan {
        try ThumborURL(path: "/unsafe/\(text)/photos/a.jpg").plan(by: Self.rules)
    }

    @Test("A signature is thumbor's HMAC-SHA-1, and no other is taken")
    func signature() throws {
        var rules = URLRules.test()
        rules.keys = SigningKeys(textLines: "MY_SECURE_KEY")
        // printf … | openssl dgst -sha1 -hmac MY_SECURE_KEY -binary | base64, as in thumbor's documentation of
        // security.
        let url = "/JIGmgTKJdE561p3e8A5cyIkEg7E=/300x200/my.server.com/path/to/image.jpg"
        #expect(try ThumborURL(path: url).plan(by: rules).source == "http://my.server.com/path/to/image.jpg")
        for wrong in [url.replacing("300", with: "301"), url.replacing("JIGm", with: "KIGm"), "/unsafe/300x200/a.jpg"] {
            #expect(throws: URLRefusal.signature) { try ThumborURL(path: wrong).plan(by: rules) }
        }
    }

    @Test(
        "Each part is read",
        arguments: parts
    )
    func part(_ text: String, _ change: Change) throws {
        var expected = ImagePlan(source: "http://photos/a.jpg")
        expected.size.enlarges = true
        change(&expected)
        #expect(try plan(text) == expected)
    }

    @Test(
        "Each filter is read",
        arguments: filterCases
    )
    func filter(_ filter: String, _ change: Change) throws {
        var expected = ImagePlan(source: "http://photos/a.jpg")
        expected.size.enlarges = true
        change(&expected)
        #expect(try plan("filters:\(filter)") == expected)
        #expect(try plan("filters:\(URLCoding.percentEncoded(filter, keeping: "()"))") == expected)
    }

    @Test(
        "A source without a scheme is one of HTTP",
        arguments: [
            ("a.test/b.jpg", "http://a.test/b.jpg"), ("a.test:81/b.jpg", "http://a.test:81/b.jpg"),
            ("httpbin.test/b.jpg", "http://httpbin.test/b.jpg"), ("https://a.test/b.jpg", "https://a.test/b.jpg"),
            ("local:///b.jpg", "local:///b.jpg"),
        ]
    )
    func scheme(_ text: String, _ expected: String) throws {
        #expect(try ThumborURL(path: "/unsafe/10x10/" + text).plan(by: Self.rules).source == expected)
    }

    @Test("Filters run in their order")
    func order() throws {
        #expect(try plan("filters:blur(2):grayscale():rotate(180)").effects == [.blur(2), .grayscale, .rotate(-180)])
    }

    @Test("A fitted image is enlarged only by the filter for that, or where it fits around the size")
    func upscale() throws {
        #expect(try plan("fit-in/300x200/filters:upscale()").size.enlarges)
        #expect(try !plan("fit-in/300x200").size.enlarges)
        #expect(try plan("full-fit-in/300x200").size.enlarges)
    }

    @Test("A fitted image is not stretched")
    func stretch() throws {
        #expect(try plan("300x200/filters:stretch()").size.mode == .stretch)
        #expect(try plan("fit-in/300x200/filters:stretch()").size.mode == .fit)
    }

    @Test(
        "Filters that are not there are refused by their names",
        arguments: ThumborOptions.unsupportedFilters.sorted()
    )
    func unsupported(_ name: String) {
        #expect(throws: URLRefusal.unsupported(option: name, "there is no such filter here")) {
            try plan("filters:\(name)(1)")
        }
    }

    @Test(
        "What thumbor does not have is refused",
        arguments: [
            "debug", "filters:sparkle()", "filters:quality", "filters:quality()", "filters:quality(0)",
            "filters:blur(2,3,4)",
            "filters:fill(auto)", "filters:fill(chartreuse)", "filters:round_corner(20|40,0,0,0)", "filters:focal(1)",
            "99999x1", "trim:left",
            "filters:" + Array(repeating: "rotate(45)", count: 21).joined(separator: ":"),
        ]
    )
    func malformed(_ text: String) {
        let refusal = #expect(throws: URLRefusal.self) { try plan(text) }
        #expect(refusal?.status == 400)
    }

    @Test("What is signed is what is read: escapes do not turn options into a source")
    func escapedSlashes() throws {
        var rules = URLRules.test()
        rules.keys = SigningKeys(textLines: "MY_SECURE_KEY")
        let signed = "/JIGmgTKJdE561p3e8A5cyIkEg7E=/300x200/my.server.com/path/to/image.jpg"
        let moved = signed.replacing("300x200/", with: "300x200%2F")
        #expect(try ThumborURL(path: moved).plan(by: rules) == ThumborURL(path: signed).plan(by: rules))
    }

    @Test("The documentation's table has each filter of thumbor, and no other")
    func documented() throws {
        let parts: Set = [
            "meta", "trim", "fit-in", "full-fit-in", "adaptive-fit-in", "left", "right", "top", "bottom", "smart",
            "debug",
        ]
        let expected = ThumborOptions.filters.union(ThumborOptions.unsupportedFilters).union(parts)
        #expect(try DocumentedOptions.names(under: "## thumbor") == expected)
    }

    /// What `Scripts/thumbor-urls` writes.
    private struct Generated: Decodable {
        struct URL: Decodable {
            let path: String
            let parsed: Parsed
        }

        struct Parsed: Decodable {
            let meta: Bool, adaptive: Bool, full: Bool, smart: Bool
            let fitIn: Bool, horizontalFlip: Bool, verticalFlip: Bool
            let width: Int, height: Int
            let halign: String, valign: String, image: String
            let trim: String?
            let crop: [String: Int]
        }

        let key: String
        let urls: [URL]
    }

    private static let generated =
        ProcessInfo.processInfo.environment["HALCYON_THUMBOR_URLS"]
        ?? Foundation.URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../.build/thumbor-urls.json"
        ).path

    @Test(
        "500 URLs of libthumbor are valid, and read as thumbor reads them",
        .enabled(if: FileManager.default.fileExists(atPath: generated), "Scripts/thumbor-urls was not run")
    )
    func oracle() throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let generated = try decoder.decode(Generated.self, from: Data(contentsOf: URL(filePath: Self.generated)))
        var rules = URLRules.test()
        rules.keys = SigningKeys(textLines: generated.key)
        #expect(generated.urls.count == 500)
        for url in generated.urls {
            let plan = try ThumborURL(path: url.path).plan(by: rules)
            let parsed = url.parsed
            func side(_ value: Int) -> ImagePlan.Size.Side { value == 0 ? .free : .pixels(value) }
            #expect(plan.size.width == side(parsed.width) && plan.size.height == side(parsed.height), "\(url.path)")
            #expect(
                plan.flipsHorizontally == parsed.horizontalFlip && plan.flipsVertically == parsed.verticalFlip,
                "\(url.path)"
            )
            #expect((plan.output.format == .info) == parsed.meta, "\(url.path)")
            #expect((plan.trim != nil) == (parsed.trim != nil), "\(url.path)")
            #expect(
                plan.size.isAdaptive == parsed.adaptive && (plan.size.mode == .around) == parsed.full,
                "\(url.path)"
            )
            let image = try URLCoding.percentDecoded(parsed.image)
            #expect(plan.source == (image.contains("://") ? image : "http://" + image), "\(url.path)")
            if case .pixelsIfAny(let x, let y, let width, let height)? = plan.crop {
                let crop = ["left": x, "top": y, "right": x + width, "bottom": y + height]
                #expect(crop == parsed.crop, "\(url.path)")
            } else {
                #expect(parsed.crop.values.allSatisfy { $0 == 0 }, "\(url.path)")
            }
            if case .anchor(let x, let y, _, _) = plan.size.gravity {
                #expect(x == ["left": 0, "right": 1][parsed.halign, default: 0.5], "\(url.path)")
                #expect(y == ["top": 0, "bottom": 1][parsed.valign, default: 0.5], "\(url.path)")
                #expect(!parsed.smart, "\(url.path)")
            }
            if plan.size.gravity == .smart { #expect(parsed.smart, "\(url.path)") }
        }
    }
}
