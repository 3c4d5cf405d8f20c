internal import HalcyonCodecs
internal import HalcyonRaster

/// Decoding, resizing and encoding, on one thread and on two with an image each.
struct PixelsSuite: BenchmarkSuite {
    static let name = "pixels"
    static let summary = "decoding, resizing and encoding: time and memory"

    let cases: [any BenchmarkCase]

    init(_ options: SuiteOptions) {
        let contenders = PixelContenders(options)
        var cases: [any BenchmarkCase] = Self.cases(contenders)
        if let program = options.debugBuild {
            cases += [
                (PixelSize(1_632, 1_224), PixelSize(400, 300)), (PixelSize(400, 300), PixelSize(100, 75)),
            ].map { size, target in
                DebugBuildCase(
                    name: "JPEG \(size) to \(target.width), debug build",
                    program: program,
                    work: .thumbnail(target),
                    contenders: contenders,
                    input: { try $0.file(.jpeg, size, quality: 85) }
                )
            }
        }
        self.cases = cases
    }

    private static func cases(_ contenders: PixelContenders) -> [PixelCase] {
        let megapixels2 = PixelSize(1_632, 1_224)
        let still = PixelSize(480, 270)
        func make(
            _ name: String,
            _ work: PixelWork,
            _ budgets: PixelCase.Budgets,
            _ input: @escaping (PixelInputs) throws -> PixelInput
        ) -> PixelCase {
            PixelCase(name: name, work: work, budgets: budgets, contenders: contenders, input: input)
        }
        func jpeg(
            _ name: String,
            _ size: PixelSize,
            _ target: PixelSize,
            _ budgets: PixelCase.Budgets
        ) -> PixelCase {
            make(name, .thumbnail(target), budgets) { try $0.file(.jpeg, size, quality: 85) }
        }
        func encode(_ name: String, _ format: ImageFormat, quality: Int) -> PixelCase {
            make("\(name) encode 2 MP", .encode(format, quality: quality), .init(newestVips: 1)) {
                try $0.pixels(megapixels2, hasAlpha: false)
            }
        }
        return [
            jpeg(
                "JPEG 12 MP to 400",
                PixelSize(4_000, 3_000),
                PixelSize(400, 300),
                .init(newestVips: 1 / 1.5, debianVips: 1 / 1.8, memory: 20)
            ),
            jpeg("JPEG 2 MP to 400", megapixels2, PixelSize(400, 300), .init(newestVips: 1 / 1.4)),
            jpeg("JPEG 1080×1350 to 300", PixelSize(1_080, 1_350), PixelSize(300, 375), .init(newestVips: 1 / 1.6)),
            jpeg("JPEG 400×300 to 100", PixelSize(400, 300), PixelSize(100, 75), .init(newestVips: 1 / 4)),
            jpeg("JPEG 100×75 to 50", PixelSize(100, 75), PixelSize(50, 37), .init(newestVips: 1 / 20)),
            make("PNG RGBA 1 MP", .decode, .init(newestVips: 1 / 1.6, library: 1 / 2.2)) {
                try $0.file(.png, PixelSize(1_152, 896), quality: nil, hasAlpha: true)
            },
            make("PNG RGB 2 MP", .decode, .init(newestVips: 1 / 1.3, library: 1 / 2.2)) {
                try $0.file(.png, megapixels2, quality: nil)
            },
            make("GIF, 60 frames", .frames, .init(newestVips: 1 / 2.3, debianVips: 1 / 2.3, library: 1 / 2.3)) {
                try $0.animation(.gif, still, frameCount: 60, quality: nil)
            },
            make("animated WebP, 60 frames", .frames, .init(newestVips: 1 / 2.3, debianVips: 1 / 2.3)) {
                try $0.animation(.webp, still, frameCount: 60, quality: 80)
            },
            make("animated AVIF, 60 frames", .frames, .init(pillow: 1 / 1.7)) {
                try $0.animation(.avif, still, frameCount: 60, quality: 60)
            },
            make("WebP 2 MP to 400", .thumbnail(PixelSize(400, 300)), .init(newestVips: 1 / 1.2)) {
                try $0.file(.webp, megapixels2, quality: 80)
            },
            make("WebP 2 MP", .decode, .init(library: 1)) {
                try $0.file(.webp, megapixels2, quality: 80)
            },
            make("AVIF 2 MP", .decode, .init(newestVips: 1 / 2.5)) {
                try $0.file(.avif, megapixels2, quality: 60)
            },
            make("resize RGBA 2 MP to 400", .resize(PixelSize(400, 300)), .init(newestVips: 1 / 3, pillow: 1 / 10)) {
                try $0.pixels(megapixels2, hasAlpha: true)
            },
            make(
                "resize RGBA 2 MP to 1000",
                .resize(PixelSize(1_000, 750)),
                .init(newestVips: 1 / 1.8, pillow: 1 / 10)
            ) {
                try $0.pixels(megapixels2, hasAlpha: true)
            },
            encode("JPEG", .jpeg, quality: 85),
            encode("PNG", .png, quality: 0),
            encode("WebP", .webp, quality: 80),
        ]
    }
}
