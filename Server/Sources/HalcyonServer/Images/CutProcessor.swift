internal import Halcyon
internal import ServerURLs

/// Cuts a part of a size out of an image, at the place that a gravity says.
struct CutProcessor: ImageProcessing {
    /// A side below 1 is a part of that of the image; 0 is the whole side.
    let width: Double
    let height: Double
    let placement: Placement

    func encodeParameters(into encoder: inout CacheKeyEncoder) {
        encoder.encode(width)
        encoder.encode(height)
        placement.encode(into: &encoder)
    }

    func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        let area = PixelSize(Self.side(width, image.size.width), Self.side(height, image.size.height))
        guard area != image.size else { return image }
        let place = try placement.rectangle(of: area, in: image, standingFor: image.size, isCancelled: isCancelled)
        return try ImageProcessorChain.crop(to: CropArea.pixels(place)).process(image, isCancelled: isCancelled)
    }

    private static func side(_ side: Double, _ full: Int) -> Int {
        if side == 0 { return full }
        return min(full, max(1, Int((side < 1 ? side * Double(full) : side).rounded())))
    }
}

/// Cuts a rectangle out of an image.
struct CropProcessor: ImageProcessing {
    let area: PixelRect
    /// `true` if an image without a pixel in the rectangle is an error; `false` if it stays whole.
    let isRequired: Bool

    func encodeParameters(into encoder: inout CacheKeyEncoder) {
        for value in [area.origin.x, area.origin.y, area.size.width, area.size.height] { encoder.encode(value) }
        encoder.encode(isRequired)
    }

    func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        guard !area.intersection(PixelRect(size: image.size)).isEmpty else {
            if isRequired { throw OutsideOfImage(area: area, size: image.size) }
            return image
        }
        return try ImageProcessorChain.crop(to: CropArea.pixels(area)).process(image, isCancelled: isCancelled)
    }
}

/// An image has no pixel in the part to cut out.
struct OutsideOfImage: Error, CustomStringConvertible {
    let area: PixelRect
    let size: PixelSize

    var description: String { "the option “crop” names \(area), and the image has \(size) pixels" }
}

/// Removes a border of one colour. Animations stay as they are, as their frames would become different.
struct TrimProcessor: ImageProcessing {
    let trim: ImagePlan.Trim

    func encodeParameters(into encoder: inout CacheKeyEncoder) {
        encoder.encode(trim.tolerance)
        encoder.encode(trim.color?.hex ?? "")
        for value in [trim.startsAtBottomRight, trim.isEqualHorizontally, trim.isEqualVertically] {
            encoder.encode(value)
        }
    }

    func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        guard !image.info.isAnimated, let area = try content(of: image.bitmap, isCancelled), area.size != image.size
        else {
            return image
        }
        return try ImageProcessorChain.crop(to: CropArea.pixels(area)).process(image, isCancelled: isCancelled)
    }

    /// Returns the rectangle within the border; `nil` if the whole image is of the colour.
    private func content(of bitmap: Bitmap, _ isCancelled: () -> Bool) throws -> PixelRect? {
        let (width, height) = (bitmap.width, bitmap.height)
        func row(_ y: Int) -> [Color] { bitmap.colors(in: PixelRect(x: 0, y: y, width: width, height: 1)) }
        // Transparency is magenta, as in imgproxy, so that a URL can name it.
        func components(_ color: Color) -> SIMD3<Double> {
            let back = SIMD3(1.0, 0, 1) * (1 - color.alpha)
            return (SIMD3(color.red, color.green, color.blue) * color.alpha + back) * 255
        }
        let corner = row(trim.startsAtBottomRight ? height - 1 : 0)
        guard let pixel = trim.startsAtBottomRight ? corner.last : corner.first else { return nil }
        let color = trim.color.map { SIMD3(Double($0.red), Double($0.green), Double($0.blue)) } ?? components(pixel)
        func isBorder(_ pixel: Color) -> Bool {
            let distance = components(pixel) - color
            // Half a level, as components are rounded.
            return max(abs(distance.x), abs(distance.y), abs(distance.z)) <= trim.tolerance + 0.5
        }
        var (left, right, top, bottom) = (width, 0, height, 0)
        for y in 0..<height {
            if isCancelled() { throw CancellationError() }
            let row = row(y)
            guard let first = row.firstIndex(where: { !isBorder($0) }),
                let last = row.lastIndex(where: { !isBorder($0) })
            else { continue }
            left = min(left, first)
            right = max(right, last + 1)
            top = min(top, y)
            bottom = y + 1
        }
        guard left < right else { return nil }
        if trim.isEqualHorizontally {
            let cut = min(left, width - right)
            (left, right) = (cut, width - cut)
        }
        if trim.isEqualVertically {
            let cut = min(top, height - bottom)
            (top, bottom) = (cut, height - cut)
        }
        return PixelRect(x: left, y: top, width: right - left, height: bottom - top)
    }
}
