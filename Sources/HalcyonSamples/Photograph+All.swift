import HalcyonCodecs
import HalcyonRaster

extension Photograph {
    /// The collection: every format and orientation of the demonstration, from a small animation to 12 megapixels.
    static let all: [Photograph] = [
        Photograph(
            "dusk-ridges.jpg",
            PixelSize(4_000, 3_000),
            scene: DuskRidges(aspect: 4 / 3),
            encoder: JPEGEncoder(),
            options: EncodeOptions(quality: 88),
            samplesPerSide: 1
        ),
        Photograph(
            "kingfisher.webp",
            PixelSize(1_250, 1_000),
            scene: KingfisherPortrait(aspect: 1.25),
            encoder: WebPEncoder(),
            options: EncodeOptions(quality: nil)
        ),
        Photograph(
            "mountain-lake.jpg",
            PixelSize(3_000, 2_000),
            scene: MountainLake(),
            encoder: JPEGEncoder(),
            samplesPerSide: 1
        ),
        Photograph("lighthouse.jpg", PixelSize(1_500, 2_000)) { size in
            // As a camera held upright stores it: rows and columns turned, and a tag that says so.
            let scene = QuarterTurn(Lighthouse(aspect: 0.75), aspect: 0.75)
            let bitmap = try await Canvas(size.transposed).draw(scene)
            return try JPEGEncoder().encode(bitmap, options: EncodeOptions()).taggingJPEG(orientation: .right)
        },
        Photograph("aurora.jpg", PixelSize(2_560, 1_440), scene: Aurora(), encoder: JPEGEncoder(), samplesPerSide: 1),
        Photograph(
            "autumn-leaves.webp",
            PixelSize(1_800, 1_200),
            scene: AutumnLeaves(aspect: 1.5),
            encoder: WebPEncoder()
        ),
        Photograph("coast.png", PixelSize(960, 960), scene: Coast(), encoder: PNGEncoder()),
        Photograph("dunes.jpg", PixelSize(2_400, 1_600), scene: Dunes(), encoder: JPEGEncoder(), samplesPerSide: 1),
        Photograph(
            "foggy-forest.jpg",
            PixelSize(1_400, 2_100),
            scene: FoggyForest(aspect: 2 / 3),
            encoder: JPEGEncoder(),
            samplesPerSide: 1
        ),
        Photograph("milky-way.webp", PixelSize(2_100, 1_400), scene: MilkyWay(aspect: 1.5), encoder: WebPEncoder()),
        Photograph("pond.gif", PixelSize(320, 240)) { size in
            var file = try GIFWriter(size: size, loopCount: 0)
            for number in 0..<24 {
                let scene = Pond(aspect: 4 / 3, phase: Float(number) / 24)
                try file.append(await Canvas(size, grain: 0).draw(scene), delay: 80)
            }
            return try file.finish()
        },
        Photograph(
            "sunflower.png",
            PixelSize(1_200, 1_200),
            scene: Sunflower(),
            encoder: PNGEncoder(),
            isOpaque: false
        ),
    ]
}
