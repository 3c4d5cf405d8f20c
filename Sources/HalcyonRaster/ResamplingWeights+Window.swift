extension ResamplingWeights {
    /// Returns the weights of both axes for a part of a scaled image, as
    /// ``cached(source:destination:part:filter:edges:maximumBits:takesPairs:)`` does for one.
    ///
    /// - Parameters:
    ///   - source: The image.
    ///   - part: The part, of what the window shows.
    ///   - bits: The maximum numbers of fractional bits.
    ///   - takesPairs: That of the horizontal weights. Default: `false`.
    static func cached(
        source: Bitmap,
        window: ResamplingWindow,
        part: PixelRect,
        filter: ResamplingFilter,
        bits: (vertical: Int, horizontal: Int),
        takesPairs: Bool = false
    ) -> (vertical: ResamplingWeights, horizontal: ResamplingWeights) {
        let (origin, size) = (window.origin(of: part), part.size)
        let vertical = cached(
            source: source.height,
            destination: window.scaledSize.height,
            part: origin.y..<(origin.y + size.height),
            filter: filter,
            edges: source.partialEdges.vertical,
            maximumBits: bits.vertical
        )
        let horizontal = cached(
            source: source.width,
            destination: window.scaledSize.width,
            part: origin.x..<(origin.x + size.width),
            filter: filter,
            edges: source.partialEdges.horizontal,
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

    /// Returns the row of intermediate pixels for some columns of the source: the column that it begins with, its
    /// length, and the starts counted from its beginning. It is the whole row, and the starts are those of the table,
    /// unless the axis is long.
    func row(for columns: Range<Int>, in count: Int) -> (origin: Int, length: Int, starts: [Int32]) {
        guard isLong, let last = starts.last else { return (0, count + overhang, starts) }
        let origin = columns.lowerBound
        return (origin, Int(last) + stride - origin, starts.map { $0 - Int32(origin) })
    }

    /// Calls a closure with the starts and the weights of the destination pixels from one on.
    ///
    /// - Parameter starts: Those of the table, counted from any column.
    func withWeights(
        from pixel: Int,
        starts: [Int32],
        _ body: (UnsafePointer<Int32>, UnsafePointer<Int16>) -> Void
    ) {
        let first = pixel - part.lowerBound
        starts.withUnsafeBufferPointer { starts in
            values.withUnsafeBufferPointer { values in
                guard let starts = starts.baseAddress, let values = values.baseAddress else { return }
                body(starts + first, values + first * stride)
            }
        }
    }
}
