extension ResamplingWeights {
    /// Returns the weights of both axes for a part of a scaled image, as
    /// ``cached(source:destination:part:filter:maximumBits:takesPairs:)`` does for one.
    ///
    /// - Parameters:
    ///   - source: The size of the image.
    ///   - part: The size of the part.
    ///   - bits: The maximum numbers of fractional bits.
    ///   - takesPairs: That of the horizontal weights. Default: `false`.
    static func cached(
        source: PixelSize,
        window: ResamplingWindow,
        part: PixelSize,
        filter: ResamplingFilter,
        bits: (vertical: Int, horizontal: Int),
        takesPairs: Bool = false
    ) -> (vertical: ResamplingWeights, horizontal: ResamplingWeights) {
        let vertical = cached(
            source: source.height,
            destination: window.scaledSize.height,
            part: window.origin.y..<(window.origin.y + part.height),
            filter: filter,
            maximumBits: bits.vertical
        )
        let horizontal = cached(
            source: source.width,
            destination: window.scaledSize.width,
            part: window.origin.x..<(window.origin.x + part.width),
            filter: filter,
            maximumBits: bits.horizontal,
            takesPairs: takesPairs
        )
        return (vertical, horizontal)
    }

    /// Returns the source pixels that some destination pixels take, with those that only weights of zero meet.
    ///
    /// - Parameters:
    ///   - destination: At least one pixel.
    ///   - count: The number of source pixels.
    func columns(for destination: Range<Int>, in count: Int) -> Range<Int> {
        // Neither starts nor ends ever decrease.
        let first = destination.lowerBound - part.lowerBound
        let last = destination.upperBound - 1 - part.lowerBound
        return Int(starts[first])..<min(count, Int(starts[last]) + stride)
    }

    /// Calls a closure with the starts and the weights of the destination pixels from one on.
    func withWeights(from pixel: Int, _ body: (UnsafePointer<Int32>, UnsafePointer<Int16>) -> Void) {
        let first = pixel - part.lowerBound
        starts.withUnsafeBufferPointer { starts in
            values.withUnsafeBufferPointer { values in
                guard let starts = starts.baseAddress, let values = values.baseAddress else { return }
                body(starts + first, values + first * stride)
            }
        }
    }
}
