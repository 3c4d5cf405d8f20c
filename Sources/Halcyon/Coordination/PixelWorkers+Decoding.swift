internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonConcurrency
internal import HalcyonRaster

extension PixelWorkers {
    /// Decodes an image on a worker, to be handed out at once.
    ///
    /// - Throws: ``CodecError``, `CancellationError`.
    func decode(
        _ data: Data,
        codecs: ImageCodecs,
        options: DecodeOptions,
        priority: PriorityBox
    ) async throws -> DecodedImage {
        try await decode(data, codecs: codecs, options: options, target: .full, priority: priority).image
    }

    /// Decodes an image on a worker, at the size that a target needs.
    ///
    /// - Returns: The image, and the part of the budget that its pixels take until they are processed or handed out.
    /// - Throws: ``CodecError``, `CancellationError`.
    func decode(
        _ data: Data,
        codecs: ImageCodecs,
        options: DecodeOptions,
        target: DecodeTarget,
        priority: PriorityBox
    ) async throws -> (image: DecodedImage, lease: PixelLease) {
        let (image, lease) = try await run(priority: priority, within: budget.images) {
            let info = try codecs.info(of: data, limits: options.limits, hint: options.typeHint)
            var options = options
            options.targetSize = target.targetSize(for: info.displaySize)
            let depth = options.keepsSixteenBits && info.bitDepth > 8 ? SampleDepth.sixteen : .eight
            let size = Self.largestSize(of: info, target: options.targetSize)
            let byteCount = Self.byteCount(
                Self.byteCount(size, depth),
                of: info.format,
                atMost: options.largestByteCount
            )
            return Demand(byteCount: byteCount) { [options] flag in
                try codecs.decode(data, options: options, isCancelled: { flag.isCancelled })
            }
        }
        // A decoder that reduced the image no longer needs the rest.
        lease.reduce(to: image.bitmap.byteCount)
        return (image, PixelLease([lease]))
    }

    /// Returns the number of bytes that decoding takes where the result is bounded: formats that are decoded at reduced
    /// size take about four times as much before it is scaled down, others the whole image.
    private static func byteCount(_ byteCount: Int, of format: ImageFormat, atMost maximum: Int?) -> Int {
        guard let maximum, format == .jpeg || format == .svg else { return byteCount }
        let (product, overflows) = maximum.multipliedReportingOverflow(by: 5)
        return overflows ? byteCount : min(byteCount, max(1, product))
    }

    /// Returns the size of the largest bitmap that a decoder may have to make: a drawing is made as large as it takes
    /// to cover a target.
    private static func largestSize(of info: ImageInfo, target: PixelSize?) -> PixelSize {
        guard info.format == .svg, let target else { return info.size }
        return info.displaySize.filling(target)
    }
}
