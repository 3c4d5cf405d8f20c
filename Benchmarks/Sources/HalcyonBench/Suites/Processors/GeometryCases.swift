internal import HalcyonCodecs
internal import HalcyonRaster

/// Shapes and places of images, beside the same work of libvips and Pillow.
enum GeometryCases {
    static func cases(_ contenders: PixelContenders) -> [PixelCase] {
        let megapixels2 = PixelSize(1_632, 1_224)
        return [
            PixelCase(
                name: "JPEG 2 MP to avatar",
                work: .geometry(.avatar),
                budgets: .init(newestVips: 1 / 2.0),
                contenders: contenders,
                input: { try $0.file(.jpeg, megapixels2, quality: 85) }
            ),
            PixelCase(
                name: "rotate RGBA 2 MP by 30°",
                work: .geometry(.rotation),
                budgets: .init(newestVips: 1),
                contenders: contenders,
                input: { try $0.pixels(megapixels2, hasAlpha: true) }
            ),
            shape(.crop, "crop RGBA 2 MP to 1200×900", contenders),
            shape(.flip, "flip RGBA 2 MP", contenders),
            shape(.corners, "round corners RGBA 2 MP", contenders),
        ]
    }

    private static func shape(_ work: GeometryWork, _ name: String, _ contenders: PixelContenders) -> PixelCase {
        PixelCase(
            name: name,
            work: .geometry(work),
            budgets: .init(newestVips: 1, pillow: 1),
            contenders: contenders,
            input: { try $0.pixels(PixelSize(1_632, 1_224), hasAlpha: true) }
        )
    }
}
