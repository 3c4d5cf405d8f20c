internal import Halcyon
internal import ServerURLs

/// The server's watermark.
struct ServerWatermark: Hashable, Sendable {
    let image: WatermarkImage
    /// The part of keys of caches that tells it from other watermarks.
    let tag: String
}

/// Draws the server's watermark onto an image, at the place that a plan says.
struct WatermarkProcessor: ImageProcessing {
    let watermark: ImagePlan.Watermark
    let image: ServerWatermark
    /// The factor of offsets in pixels.
    let density: Double

    func encodeParameters(into encoder: inout CacheKeyEncoder) {
        encoder.encode(image.tag)
        for value in [watermark.opacity, watermark.scale] { encoder.encode(value) }
        encoder.encode(watermark.isTiled)
        Placement(gravity: watermark.gravity, density: density).encode(into: &encoder)
    }

    func workingSize(for image: DecodedImage) -> PixelSize {
        let mark = self.image.image.bitmap.size
        return mark.area > image.size.area ? mark : image.size
    }

    func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        let placement = placement(in: image.size)
        return try ImageProcessorChain.watermark(self.image.image, placement: placement, opacity: watermark.opacity)
            .process(image, isCancelled: isCancelled)
    }

    /// Returns the placement in an image of this size.
    private func placement(in size: PixelSize) -> WatermarkPlacement {
        var placement = WatermarkPlacement(anchor: .center)
        if watermark.scale > 0 { placement.size = .fraction(watermark.scale) }
        if case .anchor(let x, let y, let offsetX, let offsetY) = watermark.gravity {
            let own = Placement(gravity: watermark.gravity, density: density)
            if watermark.isTiled {
                placement.tileSpacing = .pixels(own.offset(offsetX, 0, size.width), own.offset(offsetY, 0, size.height))
            } else {
                placement.anchor = RelativePoint(x, y)
                placement.offset = .pixels(own.offset(offsetX, x, size.width), own.offset(offsetY, y, size.height))
            }
        }
        return placement
    }
}
