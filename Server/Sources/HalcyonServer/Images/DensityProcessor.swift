internal import Halcyon
internal import ServerURLs

/// Resizes an image and processes it further at the density that it has pixels for: paddings, offsets and all other lengths
/// in pixels keep their ratio to its size.
struct DensityProcessor: ImageProcessing {
    let plan: ImagePlan
    let watermark: ServerWatermark?
    /// Whether no processor comes before.
    let isFirst: Bool
    /// The most pixels of a side of an answer.
    let largestSide: Int

    private var sizeProcessor: SizeProcessor { SizeProcessor(plan.size, isFirst: isFirst, largestSide: largestSide) }

    func encodeParameters(into encoder: inout CacheKeyEncoder) {
        encoder.encode(isFirst)
        // Numbers, names of cases and colours alone, which are written alike in each process.
        encoder.encode("\(plan.size)\(plan.effects)\(plan.padding)")
        encoder.encode(plan.flipsAfterSize && plan.flipsHorizontally)
        encoder.encode(plan.flipsAfterSize && plan.flipsVertically)
        encoder.encode(plan.background?.hex ?? "")
        encoder.encode(largestSide)
        if let mark = plan.watermark, let watermark {
            WatermarkProcessor(watermark: mark, image: watermark, density: plan.size.density)
                .encodeParameters(into: &encoder)
        }
    }

    var decodeTarget: DecodeTarget { sizeProcessor.decodeTarget }

    func workingSize(for image: DecodedImage) -> PixelSize {
        let plan = plan(for: image)
        let layout = sizeProcessor.layout(for: image.fullSize)
        var size = layout.area
        // What is extended to a ratio is bounded by the greatest side alone.
        if plan.size.extendsRatio != nil { size = PixelSize(largestSide, largestSide) }
        if let area = plan.size.area { size = PixelSize(max(size.width, area.width), max(size.height, area.height)) }
        for case .rotate(let degrees) in plan.effects { size = size.rotated(byDegrees: degrees) }
        func pixels(_ length: Int) -> Int { Int((Double(length) * plan.size.density).rounded(.up)) }
        size.width += pixels(plan.padding.left + plan.padding.right)
        size.height += pixels(plan.padding.top + plan.padding.bottom)
        return [layout.scaled, size].reduce(image.size) { $1.area > $0.area ? $1 : $0 }
    }

    func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        try plan(for: image).processorsFromSize(isFirst: isFirst, watermark: watermark, largestSide: largestSide)
            .process(image, isCancelled: isCancelled)
    }

    /// Returns the plan at the density for an image.
    private func plan(for image: DecodedImage) -> ImagePlan {
        var plan = plan
        plan.size.density = sizeProcessor.density(for: image.fullSize)
        return plan
    }
}
