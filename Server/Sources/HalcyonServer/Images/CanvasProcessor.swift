internal import Halcyon
internal import ServerURLs

/// Puts an image into a larger area of one colour.
struct CanvasProcessor: ImageProcessing {
    /// The rule for the area.
    enum Area: Hashable, Sendable {
        /// A size, in pixels; a side of 0 is that of the image.
        case size(PixelSize)
        /// A ratio of width to height.
        case ratio(Double)
        /// Pixels above, to the right, below and to the left.
        case padding(top: Int, right: Int, bottom: Int, left: Int)
    }

    /// Version 1 had an image with a focus in the middle.
    static var version: Int { 2 }

    let area: Area
    let placement: Placement
    let color: PlanColor
    /// The most pixels of a side of an answer.
    var largestSide = 8_192

    func encodeParameters(into encoder: inout CacheKeyEncoder) {
        switch area {
        case .size(let size):
            encoder.encode("size")
            encoder.encode(size.width)
            encoder.encode(size.height)
        case .ratio(let ratio):
            encoder.encode("ratio")
            encoder.encode(ratio)
        case .padding(let top, let right, let bottom, let left):
            encoder.encode("padding")
            for value in [top, right, bottom, left] { encoder.encode(value) }
        }
        placement.encode(into: &encoder)
        encoder.encode(color.hex)
    }

    func workingSize(for image: DecodedImage) -> PixelSize { size(around: image.size) }

    private func size(around image: PixelSize) -> PixelSize {
        switch area {
        case .size(let size): PixelSize(max(size.width, image.width), max(size.height, image.height))
        case .ratio(let ratio):
            PixelSize(
                max(image.width, Int((Double(image.height) * ratio).rounded())),
                max(image.height, Int((Double(image.width) / ratio).rounded()))
            )
        case .padding(let top, let right, let bottom, let left):
            PixelSize(image.width + left + right, image.height + top + bottom)
        }
    }

    func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        let size = size(around: image.size)
        guard size != image.size else { return image }
        guard max(size.width, size.height) <= largestSide else { throw ImageTooLarge(size: size) }
        if isCancelled() { throw CancellationError() }
        let isOpaque = color.alpha == 255 && image.bitmap.isOpaque
        var bitmap = try Bitmap(size: size, isOpaque: isOpaque, depth: image.bitmap.depth)
        if color.alpha > 0 { bitmap.fill(PixelRect(size: size), with: Color(color)) }
        let origin =
            if case .padding(let top, _, _, let left) = area {
                PixelPoint(left, top)
            } else {
                placement.origin(of: image.size, within: size)
            }
        if !image.bitmap.isOpaque {
            // Transparent pixels of the image stay so: the background shows through them only if the plan has one.
            bitmap.fill(PixelRect(origin: origin, size: image.size), with: .clear)
        }
        bitmap.draw(image.bitmap, at: origin)
        return image.replacingBitmap(bitmap)
    }
}

/// Makes squares of one colour.
struct PixelateProcessor: ImageProcessing {
    let size: Int

    func encodeParameters(into encoder: inout CacheKeyEncoder) { encoder.encode(size) }

    func workingSize(for image: DecodedImage) -> PixelSize { squares(over: image.size).whole }

    /// Returns the number of squares in each direction, and the size of all of them: those at the right and at the
    /// bottom may extend beyond the image. One that is larger than the image is as large as the image.
    private func squares(over full: PixelSize) -> (count: PixelSize, whole: PixelSize) {
        let side = PixelSize(min(size, full.width), min(size, full.height))
        let count = PixelSize(
            (full.width + side.width - 1) / side.width,
            (full.height + side.height - 1) / side.height
        )
        return (count, PixelSize(count.width * side.width, count.height * side.height))
    }

    func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        let full = image.size
        let (count, whole) = squares(over: full)
        func resized(_ image: DecodedImage, to size: PixelSize, _ filter: ResamplingFilter) throws -> DecodedImage {
            let chain = ImageProcessorChain.resize(
                to: .pixels(size),
                mode: .stretch,
                resampling: Resampling(filter: filter)
            )
            return try chain.process(image, isCancelled: isCancelled)
        }
        let large = try resized(resized(image, to: count, .box), to: whole, .nearest)
        guard whole != full else { return large }
        return try ImageProcessorChain.crop(to: .pixels(x: 0, y: 0, width: full.width, height: full.height))
            .process(large, isCancelled: isCancelled)
    }
}

/// Rotates an image by any angle, unless that makes it larger than an answer may be.
struct TurnProcessor: ImageProcessing {
    let degrees: Double
    /// The most pixels of a side of an answer.
    let largestSide: Int

    func encodeParameters(into encoder: inout CacheKeyEncoder) { encoder.encode(degrees) }

    func workingSize(for image: DecodedImage) -> PixelSize { image.size.rotated(byDegrees: degrees) }

    func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        let size = workingSize(for: image)
        guard max(size.width, size.height) <= largestSide else { throw ImageTooLarge(size: size) }
        return try ImageProcessorChain.rotate(byDegrees: degrees).process(image, isCancelled: isCancelled)
    }
}

extension Color {
    /// A colour of a plan.
    init(_ color: PlanColor) {
        self.init(
            red: Double(color.red) / 255,
            green: Double(color.green) / 255,
            blue: Double(color.blue) / 255,
            alpha: Double(color.alpha) / 255
        )
    }
}
