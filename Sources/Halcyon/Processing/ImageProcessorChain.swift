public import HalcyonCodecs

/// A chain of processors, run from left to right.
///
/// The empty chain, ``identity``, changes nothing; joining it to another chain changes neither the result nor the
/// cache key. Loads of one chain at the same time share its result.
public struct ImageProcessorChain: Hashable, Sendable {
    /// An element of the chain: a processor with its encoded identity.
    struct Step: Sendable {
        let processor: any ImageProcessing
        let identity: [UInt8]
        /// A Boolean value that indicates whether the processor has lengths in points.
        let hasLengthsInPoints: Bool

        init(_ processor: some ImageProcessing) {
            self.processor = processor
            identity = Self.identity(of: processor)
            let scaled = processor.inPixels(atScale: 2)
            // A processor with a parameter that is not a number is unequal to itself, and is told by its identity.
            let isEqualToItself = processor == processor
            hasLengthsInPoints = isEqualToItself ? scaled != processor : Self.identity(of: scaled) != identity
        }

        private static func identity(of processor: some ImageProcessing) -> [UInt8] {
            var encoder = CacheKeyEncoder()
            // The mangled name is the same in every process, also for a private type, whose printed name has an
            // address.
            encoder.encode(_mangledTypeName(type(of: processor)) ?? String(reflecting: type(of: processor)))
            encoder.encode(type(of: processor).version)
            processor.encodeParameters(into: &encoder)
            return encoder.bytes
        }

        func inPixels(atScale scale: Double) -> Step {
            func step(_ processor: some ImageProcessing) -> Step { Step(processor.inPixels(atScale: scale)) }
            return step(processor)
        }
    }

    let steps: [Step]
    /// The variant of an original's first frame that the chain makes, as a part of keys; `nil` for the empty chain.
    let variant: ImageKey.Variant?
    /// A Boolean value that indicates whether a processor has lengths in points.
    package let hasLengthsInPoints: Bool

    private init(steps: [Step]) {
        self.steps = steps
        hasLengthsInPoints = steps.contains(where: \.hasLengthsInPoints)
        variant = steps.isEmpty ? nil : ImageKey.Variant(decode: DecodePolicy(), steps: steps)
    }

    /// A chain of one processor.
    public init(_ processor: some ImageProcessing) {
        self.init(steps: [Step(processor)])
    }

    /// The chain without a processor.
    public static let identity = ImageProcessorChain(steps: [])

    /// A Boolean value that indicates whether the chain has no processor.
    public var isIdentity: Bool { steps.isEmpty }

    /// Returns whether both chains have equal processors in the same order.
    public static func == (left: ImageProcessorChain, right: ImageProcessorChain) -> Bool {
        left.variant == right.variant
    }

    /// Hashes the identity of the chain.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(variant)
    }

    /// Returns a chain that runs the left chain, then the right one.
    public static func |> (left: ImageProcessorChain, right: ImageProcessorChain) -> ImageProcessorChain {
        ImageProcessorChain(steps: left.steps + right.steps)
    }

    /// Returns the chain with the lengths of its processors in pixels. At scale 1, a point is a pixel.
    package func inPixels(atScale scale: Double) -> ImageProcessorChain {
        guard hasLengthsInPoints, scale != 1 else { return self }
        return ImageProcessorChain(steps: steps.map { $0.inPixels(atScale: scale) })
    }

    /// The resolution that the decoder has to deliver: the one that the first processor needs.
    var decodeTarget: DecodeTarget { steps.first?.processor.decodeTarget ?? .full }

    /// A Boolean value that indicates whether the first processor scales the image to ``decodeTarget`` in the standard way,
    /// so that it may as well be done where the image is decoded.
    var scalesToTarget: Bool { (steps.first?.processor as? ResizeProcessor)?.resampling == .standard }

    /// A Boolean value that indicates whether the first processor resizes, so that colours are better converted after
    /// it, where there are fewer pixels: lcms2 takes 13 ms for a megapixel that it needs a table for. Other processors
    /// expect converted colours, and so does resizing in linear light, which decodes sRGB.
    var resizesFirst: Bool {
        guard let first = steps.first?.processor else { return false }
        if let resize = first as? ResizeProcessor { return !resize.resampling.isInLinearLight }
        return first is TargetSizeProcessor
    }

    /// Returns an image after all processors have run on it. Lengths in points become pixels by its
    /// ``DecodedImage/scale``.
    ///
    /// - Throws: The error of a processor, or `CancellationError`.
    public func process(
        _ image: DecodedImage,
        isCancelled: @Sendable () -> Bool = { false }
    ) throws -> DecodedImage {
        var image = image
        var steps = inPixels(atScale: image.scale).steps[...]
        while !steps.isEmpty {
            if isCancelled() { throw CancellationError() }
            let run = try ProcessingRun(steps, on: image)
            image = try run.process(image, isCancelled: isCancelled)
            steps = steps.dropFirst(run.steps.count)
        }
        return image
    }
}

precedencegroup ImageProcessingPrecedence {
    associativity: left
    higherThan: AdditionPrecedence
}

/// Joins two chains of image processors.
infix operator |> : ImageProcessingPrecedence
