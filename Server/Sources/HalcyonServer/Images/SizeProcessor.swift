internal import Halcyon
internal import ServerURLs

/// Resizes an image by the rules of a plan that depend on its size, and cuts it.
struct SizeProcessor: ImageProcessing {
    /// Version 1 did not limit the density.
    static var version: Int { 2 }

    let size: ImagePlan.Size
    /// A box that the result fits in, unless it is what the rules say: where nothing came before that changes the
    /// size, the decoder need not give more. `nil`: the whole image is needed.
    private let box: (size: PixelSize, mode: ResizeMode)?
    /// The most pixels of a side of an answer.
    private let largestSide: Int

    init(_ size: ImagePlan.Size, isFirst: Bool, largestSide: Int = 8_192) {
        self.size = size
        self.largestSide = largestSide
        box = isFirst ? Self.box(of: size) : nil
    }

    static func == (left: SizeProcessor, right: SizeProcessor) -> Bool {
        left.size == right.size && (left.box == nil) == (right.box == nil)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(size) }

    func encodeParameters(into encoder: inout CacheKeyEncoder) {
        for side in [size.width, size.height] {
            switch side {
            case .free: encoder.encode(-1)
            case .original: encoder.encode(-2)
            case .pixels(let pixels): encoder.encode(pixels)
            }
        }
        for value in [size.leastWidth, size.leastHeight] { encoder.encode(value) }
        encoder.encode("\(size.mode)")
        for value in [size.enlarges, size.isAdaptive, box != nil] { encoder.encode(value) }
        for value in [size.zoomX, size.zoomY] { encoder.encode(value) }
        Placement(gravity: size.gravity, density: size.density).encode(into: &encoder)
    }

    private static func box(of size: ImagePlan.Size) -> (PixelSize, ResizeMode)? {
        guard size.leastWidth == 0, size.leastHeight == 0, size.zoomX == size.zoomY, size.width != .original,
            size.height != .original
        else {
            return nil
        }
        let longest = 65_535.0
        func side(_ side: ImagePlan.Size.Side, _ zoom: Double) -> Int {
            if case .pixels(let pixels) = side {
                Int((Double(pixels) * size.density * zoom).rounded(.up))
            } else {
                Int(longest)
            }
        }
        let box = PixelSize(side(size.width, size.zoomX), side(size.height, size.zoomY))
        if size.width == .free, size.height == .free { return nil }
        let both = size.isAdaptive ? PixelSize(max(box.width, box.height), max(box.width, box.height)) : box
        // With one side free, the other alone counts.
        let hasBoth = size.width != .free && size.height != .free
        return (both, hasBoth && size.mode != .fit ? .fill : .fit)
    }

    var decodeTarget: DecodeTarget {
        box.map { .resized($0.size, $0.mode, enlarges: size.enlarges) } ?? .full
    }

    func workingSize(for image: DecodedImage) -> PixelSize {
        let scaled = layout(for: image.fullSize).scaled
        return scaled.area > image.size.area ? scaled : image.size
    }

    /// The sizes that an image becomes: whole, and after cutting.
    struct Layout: Equatable {
        var scaled: PixelSize
        var area: PixelSize
    }

    /// Returns the sizes for an image of this size.
    func layout(for full: PixelSize) -> Layout {
        let image = Sides(full)
        let density = density(for: full)
        let (zoomX, zoomY) = (size.zoomX * density, size.zoomY * density)
        let asked = askedSides(image)
        let (width, height) = (asked.width.map { $0 * zoomX }, asked.height.map { $0 * zoomY })
        var factors = factors(image)
        factors = (factors.x * density, factors.y * density)
        let least = max(
            Double(size.leastWidth) * density / (image.width * factors.x),
            Double(size.leastHeight) * density / (image.height * factors.y),
            1
        )
        let scaled = PixelSize(
            min(65_535, max(1, Int((image.width * factors.x * least).rounded()))),
            min(65_535, max(1, Int((image.height * factors.y * least).rounded())))
        )
        var area = scaled
        let mode = mode(asked, image)
        if mode != .around {
            // What extends beyond the sides is cut off, also what a least side made larger.
            if let width { area.width = min(area.width, Int(width.rounded())) }
            if let height { area.height = min(area.height, Int(height.rounded())) }
        }
        if mode == .fillDown, let width, let height,
            area.width < Int(width.rounded()) || area.height < Int(height.rounded())
        {
            area = scaled.fittingRatio(width / height)
        }
        return Layout(scaled: scaled, area: PixelSize(max(1, area.width), max(1, area.height)))
    }

    /// Returns the density for an image of this size: without enlarging, no more than it has pixels for, as in imgproxy.
    func density(for full: PixelSize) -> Double {
        guard !size.enlarges else { return size.density }
        let factors = factors(Sides(full))
        return min(size.density, 1 / max(factors.x, factors.y))
    }

    /// The sides of an image.
    private struct Sides {
        let width: Double
        let height: Double

        init(_ size: PixelSize) {
            (width, height) = (Double(size.width), Double(size.height))
        }
    }

    /// Returns the sides that the size asks for, without zoom and density; `nil` for one by the ratio.
    private func askedSides(_ image: Sides) -> (width: Double?, height: Double?) {
        func pixels(_ side: ImagePlan.Size.Side, _ full: Double) -> Double? {
            switch side {
            case .free: nil
            case .pixels(let pixels): Double(pixels)
            case .original: full
            }
        }
        let (width, height) = (pixels(size.width, image.width), pixels(size.height, image.height))
        if size.isAdaptive, let width, let height, (width > height) != (image.width > image.height) {
            return (height, width)
        }
        return (width, height)
    }

    /// Returns the factors of the sides of an image at the density 1.
    private func factors(_ image: Sides) -> (x: Double, y: Double) {
        let asked = askedSides(image)
        let (x, y) = (asked.width.map { $0 / image.width }, asked.height.map { $0 / image.height })
        let mode = mode(asked, image)
        var factors: (x: Double, y: Double)
        if let x, let y {
            switch mode {
            case .stretch, .force: factors = (x, y)
            case .fit, .auto: factors = (min(x, y), min(x, y))
            case .fill, .fillDown, .around: factors = (max(x, y), max(x, y))
            }
        } else {
            let factor = x ?? y ?? 1
            factors = (factor, factor)
        }
        factors = (factors.x * size.zoomX, factors.y * size.zoomY)
        if size.enlarges { return factors }
        if mode == .stretch { return (min(1, factors.x), min(1, factors.y)) }
        let largest = max(factors.x, factors.y, 1)
        return (factors.x / largest, factors.y / largest)
    }

    private func mode(_ asked: (width: Double?, height: Double?), _ image: Sides) -> ImagePlan.Size.Mode {
        guard size.mode == .auto else { return size.mode }
        return (asked.width ?? 0 >= asked.height ?? 0) == (image.width >= image.height) ? .fill : .fit
    }

    func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        let full = image.fullSize
        let layout = layout(for: full)
        guard layout.scaled.area <= largestSide * largestSide, max(layout.area.width, layout.area.height) <= largestSide
        else {
            throw ImageTooLarge(size: layout.scaled)
        }
        var result = image
        if layout.scaled != image.size {
            result = try ImageProcessorChain.resize(to: .pixels(layout.scaled), mode: .stretch)
                .process(image, isCancelled: isCancelled)
        }
        guard layout.area != result.size else { return result }
        let placement = Placement(gravity: size.gravity, density: density(for: full))
        let area = try placement.rectangle(of: layout.area, in: result, standingFor: full, isCancelled: isCancelled)
        return try ImageProcessorChain.crop(to: CropArea.pixels(area)).process(result, isCancelled: isCancelled)
    }
}

/// An image would be larger than the server's limit.
struct ImageTooLarge: Error, CustomStringConvertible {
    let size: PixelSize

    var description: String { "an image of \(size) pixels is larger than the limit" }
}

extension PixelSize {
    /// Returns the largest size of a ratio of width to height within this one.
    func fittingRatio(_ ratio: Double) -> PixelSize {
        let byWidth = PixelSize(width, max(1, Int((Double(width) / ratio).rounded())))
        return byWidth.height <= height ? byWidth : PixelSize(max(1, Int((Double(height) * ratio).rounded())), height)
    }
}
