internal import HalcyonCodecs
internal import HalcyonRaster

/// What it costs that a confined process decodes, beside decoding in the program.
struct IsolationSuite: BenchmarkSuite {
    static let name = "isolation"
    static let summary = "what decoding in confined processes costs: single images, and 500 from a server"

    let cases: [any BenchmarkCase]
    private let images: ImageOrigin

    init(_ options: SuiteOptions) {
        let images = ImageOrigin()
        self.images = images
        cases = [
            IsolatedDecodeCase("JPEG 400 × 300", PixelSize(400, 300), as: .jpeg, mostAddedMicroseconds: 50),
            IsolatedDecodeCase("JPEG 2 MP to 400 px", PixelSize(1_632, 1_224), as: .jpeg, side: 400, budget: 1.05),
            IsolatedDecodeCase("JPEG 12 MP to 400 px", PixelSize(4_000, 3_000), as: .jpeg, side: 400, budget: 1.05),
            IsolatedDecodeCase("JPEG 2 MP", PixelSize(1_632, 1_224), as: .jpeg),
            IsolatedDecodeCase("PNG 2 MP to 400 px", PixelSize(1_632, 1_224), as: .png, side: 400),
            IsolatedDecodeCase("WebP 2 MP to 400 px", PixelSize(1_632, 1_224), as: .webp, side: 400),
            IsolatedDecodeCase("AVIF 2 MP to 400 px", PixelSize(1_632, 1_224), as: .avif, side: 400),
            IsolatedLoadsCase(images: images),
        ]
    }

    func start() throws {
        try images.start()
    }

    func stop() {
        images.stop()
    }
}
