internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster
internal import HalcyonSystem

extension PixelWorkers {
    /// Decodes an image on a worker, to be handed out at once.
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
    /// - Parameters:
    ///   - scalesToTarget: Whether a worker scales it to that size, too. Default: `false`.
    ///   - begun: The decoder that has read a part of it with the same options; `nil` if there is none.
    /// - Returns: The image, the part of the budget that its pixels take until they are processed or handed out, and the
    ///   processor time of decoding it.
    func decode(
        _ data: Data,
        codecs: ImageCodecs,
        options: DecodeOptions,
        target: DecodeTarget,
        scalesToTarget: Bool = false,
        begun: ProgressiveDecoding? = nil,
        priority: PriorityBox
    ) async throws -> (image: DecodedImage, lease: PixelLease, processorTime: Duration) {
        let (decoded, lease) = try await run(priority: priority, within: budget.images, holding: nil) {
            let info = try codecs.info(of: data, limits: options.limits, hint: options.typeHint)
            var options = options
            options.targetSize = target.targetSize(for: info.displaySize)
            if scalesToTarget { options.scaledFullSize = info.displaySize }
            let isNarrowed = options.convertsAllBits(of: info)
            if isNarrowed { options.keepsSixteenBits = true }
            let depth = options.keepsSixteenBits && info.bitDepth > 8 ? SampleDepth.sixteen : .eight
            let size = Self.largestSize(of: info, target: options.targetSize)
            let byteCount = Self.byteCount(of: size, info, depth, within: options.bitmapLimit)
            let (sum, overflows) = byteCount.addingReportingOverflow(isNarrowed ? byteCount / 2 : 0)
            return Demand(byteCount: overflows ? .max : sum) { [options] flag in
                try Timed {
                    if let image = try begun?.image(of: data, info: info, isCancelled: { flag.isCancelled }) {
                        return image
                    }
                    let image = try codecs.decode(data, options: options, isCancelled: { flag.isCancelled })
                    return isNarrowed ? try image.withEightBits() : image
                }
            }
        }
        // A decoder that reduced the image no longer needs the rest.
        lease.reduce(to: decoded.value.bitmap.byteCount)
        return (decoded.value, PixelLease([lease]), decoded.processorTime)
    }

    /// Returns the number of bytes that decoding takes. Where the result is bounded, formats that are decoded at reduced
    /// size take about four times as much before it is scaled down, at least 1/8 of the sides; others the whole image.
    private static func byteCount(
        of size: PixelSize,
        _ info: ImageInfo,
        _ depth: SampleDepth,
        within limit: BitmapLimit?
    ) -> Int {
        let whole = size.bitmapByteCount(depth: depth)
        guard let limit, info.format == .jpeg || info.format == .svg else { return whole }
        let bound = limit.reduced(size, depth: depth).bitmapByteCount(depth: depth)
        let eighth = PixelSize((size.width + 7) / 8, (size.height + 7) / 8)
        let least = info.format == .jpeg ? eighth.bitmapByteCount(depth: depth) : 0
        let (sum, overflows) = bound.addingReportingOverflow(max(least, bound.saturated(times: 4)))
        return overflows ? whole : min(whole, sum)
    }

    /// Returns the size of the largest bitmap that a decoder may have to make: a drawing is made as large as it takes
    /// to cover a target.
    private static func largestSize(of info: ImageInfo, target: PixelSize?) -> PixelSize {
        guard info.format == .svg, let target else { return info.size }
        return info.displaySize.filling(target)
    }
}

extension Int {
    /// Returns the product with a number greater than 0, or the largest number.
    fileprivate func saturated(times factor: Int) -> Int {
        let (product, overflows) = multipliedReportingOverflow(by: factor)
        return overflows ? .max : product
    }
}
