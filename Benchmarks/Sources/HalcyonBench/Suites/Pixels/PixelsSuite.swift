internal import HalcyonRaster

/// Decoding and resizing, on one thread.
struct PixelsSuite: BenchmarkSuite {
    static let name = "pixels"
    static let summary = "decoding and resizing on one thread, CPU time"

    let cases: [any BenchmarkCase]

    init(_ options: SuiteOptions) {
        cases = [
            JPEGThumbnailCase(name: "JPEG 12 MP to 400", size: PixelSize(4_000, 3_000), target: PixelSize(400, 300)),
            JPEGThumbnailCase(name: "JPEG 2 MP to 400", size: PixelSize(1_632, 1_224), target: PixelSize(400, 300)),
            JPEGThumbnailCase(name: "JPEG 400×300 to 100", size: PixelSize(400, 300), target: PixelSize(100, 75)),
            ResizeCase(),
            PNGDecodeCase(),
            WebPDecodeCase(),
            WebPThumbnailCase(),
        ]
    }
}

/// The measure of all pixel work: the time of the processor, since it competes with everything else for that.
extension Measure {
    static func processor(budget: Double? = nil) -> Measure {
        Measure(clock: .processor, budget: budget)
    }
}
