internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonSystem

extension ProgressiveDecoding {
    /// The use of the decoder at a moment.
    enum Use {
        /// - Parameter mayMakeImage: See ``ProgressiveDecoding/mayMakeImage``.
        case idle(mayMakeImage: Bool)
        /// A piece of work on previews runs.
        case busy(mayMakeImage: Bool, waiter: CheckedContinuation<Bool, Never>? = nil)
        /// The image itself is made.
        case taken
    }

    /// Runs a piece of the work on previews.
    ///
    /// - Throws: The error of `body`; `CancellationError` if the decoder has been taken for the image itself.
    func working<Result>(_ body: () throws -> Result) throws -> Result {
        let isFree = use.withLock { use in
            guard case .idle(let mayMakeImage) = use else { return false }
            use = .busy(mayMakeImage: mayMakeImage)
            return true
        }
        guard isFree else { throw CancellationError() }
        defer {
            let mayMakeImage = mayMakeImage
            let waiter = use.withLock { use -> CheckedContinuation<Bool, Never>? in
                guard case .busy(_, let waiter?) = use else {
                    use = .idle(mayMakeImage: mayMakeImage)
                    return nil
                }
                use = .taken
                return waiter
            }
            waiter?.resume(returning: true)
        }
        return try body()
    }

    /// A Boolean value that indicates whether the decoder may be taken for the image itself; `false` once it has been.
    var isAtHand: Bool {
        use.withLock { if case .idle(mayMakeImage: true) = $0 { true } else { false } }
    }

    /// Takes the decoder for the image itself, if it has read nothing but the beginning of a body.
    ///
    /// Waits for a piece of work only where the decoder may make the image: any other may take as long as it likes.
    func take(havingRead data: Data) async -> Bool {
        let isTaken = await withCheckedContinuation { continuation in
            let answer = use.withLock { use -> Bool? in
                switch use {
                case .idle(mayMakeImage: true):
                    use = .taken
                    return true
                case .busy(mayMakeImage: true, waiter: nil):
                    use = .busy(mayMakeImage: true, waiter: continuation)
                    return nil
                case .idle, .busy, .taken:
                    return false
                }
            }
            if let answer { continuation.resume(returning: answer) }
        }
        guard isTaken else { return false }
        let mayMakeImage = mayMakeImage
        if mayMakeImage, hasRead(beginningOf: data) { return true }
        use.withLock { $0 = .idle(mayMakeImage: mayMakeImage) }
        return false
    }

    /// Returns the image of a body, of which the decoder, which has been taken, reads the rest. It is of no use after that.
    ///
    /// - Returns: `nil` if the image may be another one than that of the whole body.
    func image(of data: Data, info: ImageInfo, isCancelled: @Sendable () -> Bool) throws -> DecodedImage? {
        defer { close() }
        do {
            try decoder.append(data.dropFirst(decoder.byteCount))
            decoder.end()
            while try decoder.advance(isCancelled: isCancelled) {}
            guard decoder.progress.isComplete, decoder.matchesWholeDecoding,
                let image = try decoder.image(isCancelled: isCancelled), image.info == info
            else { return nil }
            // An image of a beginning says that its file was not there to its end.
            return DecodedImage(
                bitmap: image.bitmap,
                info: info,
                fullSize: image.fullSize,
                colorProfile: image.colorProfile,
                isPartial: image.isPartial
            )
        } catch let error as CancellationError {
            throw error
        } catch {
            // The error of the whole body is the one to report.
            return nil
        }
    }
}
