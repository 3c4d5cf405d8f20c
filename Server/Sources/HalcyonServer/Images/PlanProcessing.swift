internal import Halcyon
internal import ServerURLs

extension ImagePlan {
    /// Returns the processors of the plan, in the order that ``ImagePlan`` documents.
    ///
    /// - Parameters:
    ///   - image: The server's watermark.
    ///   - largestSide: The most pixels of a side of an answer, also of one that the URL leaves free.
    func processors(watermark image: WatermarkImage?, largestSide: Int) -> ImageProcessorChain {
        var chain = ImageProcessorChain.identity
        if let trim { chain = chain |> ImageProcessorChain(TrimProcessor(trim: trim)) }
        switch crop {
        case nil: break
        case .pixels(let x, let y, let width, let height):
            chain = chain |> .crop(to: .pixels(x: x, y: y, width: width, height: height))
        case .parts(let x, let y, let width, let height):
            chain = chain |> .crop(to: .relative(x: x, y: y, width: width, height: height))
        case .size(let width, let height, let gravity):
            let placement = Placement(gravity: gravity, density: 1)
            chain = chain |> ImageProcessorChain(CutProcessor(width: width, height: height, placement: placement))
        }
        if !quarterTurns.isMultiple(of: 4) { chain = chain |> .rotate(quarterTurns: quarterTurns) }
        if flipsHorizontally { chain = chain |> .flip(.horizontal) }
        if flipsVertically { chain = chain |> .flip(.vertical) }
        chain = chain |> size.processors(isFirst: chain.isIdentity, background: background, largestSide: largestSide)
        for effect in effects {
            chain = chain |> effect.processors(density: size.density, largestSide: largestSide)
        }
        if !padding.isEmpty {
            chain = chain |> padding.processors(density: size.density, background: background, largestSide: largestSide)
        }
        if let background { chain = chain |> .background(Color(background)) }
        if let watermark, let image { chain = chain |> watermark.processors(image, density: size.density) }
        return chain
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

    /// The size in pixels; a side of 0 is free. `nil` if both are, or one is that of the image.
    private var area: PixelSize? {
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
        guard leastWidth == 0, leastHeight == 0, !isAdaptive, let area else { return nil }
        let box = PixelSize(area.width == 0 ? largestSide : area.width, area.height == 0 ? largestSide : area.height)
        // With one side free, there is nothing to cut.
        let hasBoth = area.width > 0 && area.height > 0
        switch mode {
        case .fit: return .resize(to: .pixels(box), mode: .fit, enlarges: enlarges)
        case .auto where !hasBoth: return .resize(to: .pixels(box), mode: .fit, enlarges: enlarges)
        case .fill where !hasBoth: return .resize(to: .pixels(box), mode: .fit, enlarges: enlarges)
        case .fill:
            guard case .anchor(let x, let y, 0, 0) = gravity else { return nil }
            return .resize(to: .pixels(box), mode: .fill, enlarges: enlarges, anchor: RelativePoint(x, y))
        case .stretch where hasBoth:
            return .resize(to: .pixels(box), mode: .stretch, enlarges: enlarges)
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

extension ImagePlan.Watermark {
    fileprivate func processors(_ image: WatermarkImage, density: Double) -> ImageProcessorChain {
        var placement = WatermarkPlacement(anchor: .center)
        if scale > 0 { placement.size = .fraction(scale) }
        if case .anchor(let x, let y, let offsetX, let offsetY) = gravity {
            let distance = WatermarkPlacement.Distance.pixels(offsetX * density, offsetY * density)
            if isTiled {
                placement.tileSpacing = distance
            } else {
                placement.anchor = RelativePoint(x, y)
                // The offsets of a plan lead away from the edge.
                placement.offset = .pixels(offsetX * density * (x == 1 ? -1 : 1), offsetY * density * (y == 1 ? -1 : 1))
            }
        }
        return .watermark(image, placement: placement, opacity: opacity)
    }
}
