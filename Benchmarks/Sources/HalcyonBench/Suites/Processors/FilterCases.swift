internal import HalcyonRaster

/// Blur and sharpening of a megapixel with alpha.
enum FilterCases {
    static func cases(_ contenders: PixelContenders) -> [PixelCase] {
        func make(_ filter: PixelFilter, radius: Int, _ budgets: PixelCase.Budgets) -> PixelCase {
            PixelCase(
                name: "\(filter.rawValue) RGBA 1 MP, radius \(radius)",
                work: .filter(filter, radius: radius),
                budgets: budgets,
                contenders: contenders
            ) {
                try $0.pixels(PixelSize(1_152, 896), hasAlpha: true)
            }
        }
        return [
            make(.blur, radius: 2, .init(newestVips: 1)),
            make(.blur, radius: 10, .init(newestVips: 1 / 2)),
            make(.blur, radius: 40, .init(newestVips: 1 / 10)),
            make(.sharpen, radius: 1, .init(pillow: 1)),
        ]
    }
}
