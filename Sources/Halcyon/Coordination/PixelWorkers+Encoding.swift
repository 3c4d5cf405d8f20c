internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster
internal import HalcyonSystem

/// A failure of a serializer.
struct SerializationError: Error {
    /// ``ImageError/Stage/encode`` or ``ImageError/Stage/decode``.
    let stage: ImageError.Stage
    /// The text of its error, or the reason why its result cannot be used.
    let reason: String

    init(_ stage: ImageError.Stage, _ reason: String) {
        self.stage = stage
        self.reason = reason
    }
}

extension PixelWorkers {
    /// Encodes a processed image on a worker.
    ///
    /// - Parameters:
    ///   - original: The bytes that the image was made of, for a serializer that asks for them. Default: `nil`.
    ///   - color: The colours of the result. Default: those of the image.
    /// - Returns: The bytes; `nil` if the serializer stores none.
    func encode(
        _ image: DecodedImage,
        original: Data? = nil,
        codecs: ImageCodecs,
        serializer: any ImageSerializing,
        color: ColorHandling = .asStored,
        priority: PriorityBox
    ) async throws -> Data? {
        try await withPixels(of: image, priority: priority) { image, flag in
            let image = try image.converted(color, isCancelled: { flag.isCancelled })
            let context = ImageSerializationContext(codecs: codecs, isCancelled: { flag.isCancelled })
            let data = try Self.serializing(.encode, flag) {
                try serializer.data(for: image, original: original, context: context)
            }
            // Built-in encodings are bounded by their formats.
            guard let data, !(serializer is ImageSerializer) else { return data }
            if data.isEmpty { throw SerializationError(.encode, "it returned no bytes") }
            let limit = 2 * image.bitmap.byteCount + 1 << 20
            guard data.count <= limit else {
                let text = "it returned \(data.count) bytes, more than the \(limit) that are allowed"
                throw SerializationError(.encode, text)
            }
            return data
        }
    }

    /// Decodes what a serializer has encoded, on a worker.
    ///
    /// - Parameters:
    ///   - size: The size of the image that was encoded; `nil` if it is not known.
    func decode(
        _ data: Data,
        of serializer: any ImageSerializing,
        size: PixelSize?,
        codecs: ImageCodecs,
        options: DecodeOptions,
        priority: PriorityBox
    ) async throws -> DecodedImage {
        if serializer is ImageSerializer {
            return try await decode(data, codecs: codecs, options: options, priority: priority)
        }
        guard let size else { throw SerializationError(.decode, "the size of its image is not known") }
        return try await run(priority: priority, within: budget.images, holding: nil) {
            Demand(byteCount: size.bitmapByteCount(depth: options.keepsSixteenBits ? .sixteen : .eight)) { flag in
                let context = ImageSerializationContext(
                    codecs: codecs,
                    decodeOptions: options,
                    isCancelled: { flag.isCancelled }
                )
                let image = try Self.serializing(.decode, flag) { try serializer.image(from: data, context: context) }
                guard image.size == size else {
                    throw SerializationError(.decode, "it returned an image of \(image.size) for one of \(size)")
                }
                return image
            }
        }.result
    }

    /// Runs a function of a serializer, and gives its errors a type. Only work that was cancelled ends with
    /// `CancellationError`.
    private static func serializing<Result>(
        _ stage: ImageError.Stage,
        _ flag: CancellationFlag,
        _ body: () throws -> Result
    ) throws -> Result {
        do {
            let result = try body()
            try flag.check()
            return result
        } catch let error as CodecError {
            throw error
        } catch {
            try flag.check()
            throw SerializationError(stage, "\(error)")
        }
    }
}

extension PixelWorkers {
    /// Makes something other than an image from an image on a worker.
    ///
    /// - Parameters:
    ///   - lease: The part of the budget that the image's pixels take; `nil` if they take none, as those of a cache: the
    ///     work then takes as much as the image.
    ///   - place: The number of processors that have run on the image.
    func withPixels<Result: Sendable>(
        of image: DecodedImage,
        lease: PixelLease?,
        place: Int,
        priority: PriorityBox,
        _ body: @escaping @Sendable (DecodedImage, CancellationFlag) throws -> Result
    ) async throws -> Result {
        guard let lease else { return try await withPixels(of: image, priority: priority, body) }
        guard let successor = lease.successor() else {
            // Another encoding has the place of the image, which is held meanwhile, so this one takes its own from
            // another budget.
            defer { withExtendedLifetime(lease) {} }
            return try await run(
                priority: priority,
                within: budget.results(at: place),
                holding: lease,
                isContinuation: true
            ) {
                Demand(byteCount: image.bitmap.byteCount) { flag in try body(image, flag) }
            }.result
        }
        defer { withExtendedLifetime(successor) {} }
        return try await run(priority: priority, isContinuation: true) { flag in try body(image, flag) }
    }
}
