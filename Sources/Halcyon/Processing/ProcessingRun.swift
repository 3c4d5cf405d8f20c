internal import HalcyonCodecs
internal import HalcyonRaster

/// The next work of a chain: one processor, or several that share a pass over the pixels.
///
/// A shared pass finishes each row while it is in the processor's cache, makes no bitmap between, and no pixel that is
/// cut off later. Its result equals that of the processors one after the other, to the last bit.
struct ProcessingRun: Sendable {
    /// The processors.
    let steps: ArraySlice<ImageProcessorChain.Step>
    private let pass: BitmapPass?

    /// Creates the run at the beginning of `steps`, of which there is at least one.
    ///
    /// - Parameter joinsSteps: A Boolean value that indicates whether processors may share a pass. Default: `true`.
    init(
        _ steps: ArraySlice<ImageProcessorChain.Step>,
        on image: DecodedImage,
        joinsSteps: Bool = true
    ) throws {
        var pass = BitmapPass(over: image.size)
        var fullSize = image.fullSize
        var end = steps.startIndex
        while joinsSteps, end < steps.endIndex, let processor = steps[end].processor as? any PassProcessing {
            var longer = pass
            guard try processor.add(to: &longer, fullSize: fullSize) else { break }
            pass = longer
            fullSize = pass.size
            end += 1
        }
        self.pass = end > steps.startIndex + 1 ? pass : nil
        self.steps = steps[..<max(end, steps.startIndex + 1)]
    }

    /// The names of the processors' types.
    var name: String { steps.map { "\(type(of: $0.processor))" }.joined(separator: " |> ") }

    /// Returns the size of the largest bitmap that the run makes, with the memory that it takes beside.
    func workingSize(for image: DecodedImage) -> PixelSize {
        if let pass {
            return pass.size.adding(pass.workingByteCount(over: image.bitmap), depth: image.bitmap.depth)
        }
        return steps.first?.processor.workingSize(for: image) ?? image.size
    }

    /// Returns the processed image.
    func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        if let pass { return image.replacingBitmap(try image.bitmap.applying(pass, isCancelled: isCancelled)) }
        return try steps.first?.processor.process(image, isCancelled: isCancelled) ?? image
    }
}

extension PixelSize {
    /// Returns the size of a bitmap of the same width that takes some bytes more; the same size for no bytes, or
    /// if it is empty.
    func adding(_ byteCount: Int, depth: SampleDepth) -> PixelSize {
        guard byteCount > 0, !isEmpty else { return self }
        let bytesPerRow = PixelSize(width, 1).bitmapByteCount(depth: depth)
        let (height, overflows) = (byteCount / bytesPerRow + 1).addingReportingOverflow(height)
        return PixelSize(width, overflows ? .max : height)
    }
}

/// A processor that shares one pass over the pixels with its neighbours in a chain.
protocol PassProcessing: ImageProcessing {
    /// Adds the work of the processor to a pass; returns `false` where the pass has no room for it, and leaves it as it
    /// is.
    ///
    /// - Parameters:
    ///   - pass: The work of the processors before; its size is that of the image to process.
    ///   - fullSize: The ``DecodedImage/fullSize`` of the image to process.
    /// - Throws: What ``ImageProcessing/process(_:isCancelled:)`` throws for parameters that do not fit the image.
    func add(to pass: inout BitmapPass, fullSize: PixelSize) throws -> Bool
}

extension PassProcessing {
    /// Returns the image after the work of this processor alone, unless it has a way of its own.
    func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        var pass = BitmapPass(over: image.size)
        // An empty pass has room for those that are done in a pass also on their own.
        _ = try add(to: &pass, fullSize: image.fullSize)
        return image.replacingBitmap(try image.bitmap.applying(pass, isCancelled: isCancelled))
    }
}
