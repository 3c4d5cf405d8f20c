internal import Halcyon
internal import ServerURLs

extension ImagePlan {
    /// Returns the processors of the plan, in the order that ``ImagePlan`` documents.
    ///
    /// - Parameters:
    ///   - image: The server's watermark.
    ///   - largestSide: The most pixels of a side of an answer, also of one that the URL leaves free.
    func processors(watermark image: ServerWatermark?, largestSide: Int) -> ImageProcessorChain {
        var chain = ImageProcessorChain.identity
        if let trim { chain = chain |> ImageProcessorChain(TrimProcessor(trim: trim)) }
        chain = chain |> (turnsBeforeCrop ? turns |> cropping : cropping |> turns)
        if !flipsAfterSize { chain = chain |> flips }
        guard hasLimitedLengths else {
            return chain
                |> processorsFromSize(isFirst: chain.isIdentity, watermark: image, largestSide: largestSide)
        }
        let limited = DensityProcessor(
            plan: self,
            watermark: image,
            isFirst: chain.isIdentity,
            largestSide: largestSide
        )
        return chain |> ImageProcessorChain(limited)
    }

    /// A Boolean value that indicates whether lengths in pixels depend on the density that the image has pixels for.
    private var hasLimitedLengths: Bool {
        size.limitsDensity
            && (!effects.isEmpty || !padding.isEmpty || watermark != nil || size.extends != nil
                || size.extendsRatio != nil)
    }

    /// Returns the processors of ``size`` and of what comes behind it.
    ///
    /// - Parameter isFirst: Whether no processor comes before.
    func processorsFromSize(isFirst: Bool, watermark image: ServerWatermark?, largestSide: Int) -> ImageProcessorChain {
        var chain = size.processors(isFirst: isFirst, background: background, largestSide: largestSide)
        if flipsAfterSize { chain = chain |> flips }
        for effect in effects {
            chain = chain |> effect.processors(density: size.density, largestSide: largestSide)
        }
        if !padding.isEmpty {
            chain = chain |> padding.processors(density: size.density, background: background, largestSide: largestSide)
        }
        if let background { chain = chain |> .background(Color(background)) }
        if let watermark, let image {
            chain = chain
                |> ImageProcessorChain(WatermarkProcessor(watermark: watermark, image: image, density: size.density))
        }
        return chain
    }

    private var cropping: ImageProcessorChain {
        switch crop {
        case nil: .identity
        case .pixels(let x, let y, let width, let height):
            ImageProcessorChain(
                CropProcessor(area: PixelRect(x: x, y: y, width: width, height: height), isRequired: true)
            )
        case .pixelsIfAny(let x, let y, let width, let height):
            ImageProcessorChain(
                CropProcessor(area: PixelRect(x: x, y: y, width: width, height: height), isRequired: false)
            )
        case .parts(let x, let y, let width, let height):
            .crop(to: .relative(x: x, y: y, width: width, height: height))
        case .size(let width, let height, let gravity):
            ImageProcessorChain(
                CutProcessor(width: width, height: height, placement: Placement(gravity: gravity, density: 1))
            )
        }
    }

    private var turns: ImageProcessorChain {
        quarterTurns.isMultiple(of: 4) ? .identity : .rotate(quarterTurns: quarterTurns)
    }

    private var flips: ImageProcessorChain {
        (flipsHorizontally ? .flip(.horizontal) : .identity) |> (flipsVertically ? .flip(.vertical) : .identity)
    }
}

extension ImagePlan.Size {
    /// - Parameters:
    ///   - isFirst: Whether no processor comes before.
    ///   - background: The colour of the plan.
    ///   - largestSide: The most pixels of a side of an answer.
    fileprivate func processors(isFirst: Bool, background: PlanColor?, largestSide: Int) -> ImageProcessorChain {
        var chain =
            isIdentity
            ? .downsample(to: .pixels(largestSide, largestSide))
            : plain(largestSide) ?? ImageProcessorChain(SizeProcessor(self, isFirst: isFirst, largestSide: largestSide))
        let color = fill ?? background ?? .clear
        let area = area
        if let extends, let area {
            let placement = Placement(gravity: extends, density: density)
            chain = chain
                |> ImageProcessorChain(
                    CanvasProcessor(area: .size(area), placement: placement, color: color, largestSide: largestSide)
                )
        } else if let extendsRatio, let area, area.width > 0, area.height > 0 {
            let placement = Placement(gravity: extendsRatio, density: density)
            let ratio = CanvasProcessor.Area.ratio(Double(area.width) / Double(area.height))
            chain = chain
                |> ImageProcessorChain(
                    CanvasProcessor(area: ratio, placement: placement, color: color, largestSide: largestSide)
                )
        }
        return chain
    }

    /// A Boolean value that indicates whether the density may be more than an image has pixels for.
    fileprivate var limitsDensity: Bool { density > 1 && !enlarges }

    /// The size in pixels; a side of 0 is free. `nil` if both are, or one is that of the image.
    var area: PixelSize? {
        func side(_ side: Side, _ zoom: Double) -> Int? {
            switch side {
            case .free: 0
            case .pixels(let pixels): max(1, Int((Double(pixels) * density * zoom).rounded()))
            case .original: nil
            }
        }
        guard let width = side(width, zoomX), let height = side(height, zoomY), width + height > 0 else { return nil }
        return PixelSize(width, height)
    }

    /// The library's own processor where it says the same, which decodes no more than it needs in every case; else
    /// `nil`.
    private func plain(_ largestSide: Int) -> ImageProcessorChain? {
        guard leastWidth == 0, leastHeight == 0, zoomX == zoomY, !isAdaptive, let area else { return nil }
        let box = PixelSize(area.width == 0 ? largestSide : area.width, area.height == 0 ? largestSide : area.height)
        // With one side free, there is nothing to cut.
        guard area.width > 0, area.height > 0, mode != .fit else {
            return .resize(to: .pixels(box), mode: .fit, enlarges: enlarges)
        }
        if limitsDensity { return nil }
        switch mode {
        case .fill:
            guard case .anchor(let x, let y, 0, 0) = gravity else { return nil }
            return .resize(to: .pixels(box), mode: .fill, enlarges: enlarges, anchor: RelativePoint(x, y))
        case .stretch: return .resize(to: .pixels(box), mode: .stretch, enlarges: enlarges)
        default: return nil
        }
    }
}

extension ImagePlan.Effect {
    /// - Parameters:
    ///   - density: The factor of lengths in pixels.
    ///   - largestSide: The most pixels of a side of an answer.
    fileprivate func processors(density: Double, largestSide: Int) -> ImageProcessorChain {
        switch self {
        case .blur(let sigma): .blur(radius: .pixels(sigma * density))
        case .sharpen(let radius, let amount): .sharpen(radius: .pixels(radius * density), amount: amount)
        case .pixelate(let size):
            ImageProcessorChain(PixelateProcessor(size: max(1, Int((Double(size) * density).rounded()))))
        case .brightness(let amount): .adjustColors([.brightness(amount)])
        case .contrast(let factor): .adjustColors([.contrast(factor)])
        case .saturation(let factor): .adjustColors([.saturation(factor)])
        case .exposure(let stops): .adjustColors([.exposure(stops)], in: .linear)
        case .hue(let degrees): .adjustColors([.hueRotation(degrees: degrees)])
        case .grayscale: .adjustColors([.grayscale()])
        case .sepia: .adjustColors([.sepia()])
        case .invert: .adjustColors([.inverted()])
        case .channels(let red, let green, let blue):
            .adjustColors([
                ColorAdjustment(red: [1, 0, 0], green: [0, 1, 0], blue: [0, 0, 1], offset: [red, green, blue])
            ])
        case .tint(let color): .tint(Color(color))
        case .overlay(let color, let fraction): .overlay(Color(color), fraction: fraction)
        case .opacity(let factor): .opacity(factor)
        case .rotate(let degrees):
            degrees.truncatingRemainder(dividingBy: 90) == 0
                ? .rotate(quarterTurns: Int(degrees / 90))
                : ImageProcessorChain(TurnProcessor(degrees: degrees, largestSide: largestSide))
        case .roundCorners(let radius, let color):
            .roundCorners(radius: .pixels(radius * density), background: color.map { Color($0) })
        case .circle: .circle()
        case .border(let width, let color):
            .border(Border(width: .pixels(width * density), color: Color(color)))
        }
    }
}

extension ImagePlan.Padding {
    fileprivate func processors(density: Double, background: PlanColor?, largestSide: Int) -> ImageProcessorChain {
        func pixels(_ length: Int) -> Int { Int((Double(length) * density).rounded()) }
        return ImageProcessorChain(
            CanvasProcessor(
                area: .padding(top: pixels(top), right: pixels(right), bottom: pixels(bottom), left: pixels(left)),
                placement: Placement(gravity: .center, density: density),
                color: background ?? .clear,
                largestSide: largestSide
            )
        )
    }
}
