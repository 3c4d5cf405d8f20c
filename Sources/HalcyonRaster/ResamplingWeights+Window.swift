extension ResamplingWeights {
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
