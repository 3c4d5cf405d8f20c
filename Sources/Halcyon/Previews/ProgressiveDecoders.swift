internal import FoundationEssentials
internal import HalcyonSystem

/// The decoders that have read an image while its bytes arrived, so that it need not be decoded a second time.
///
/// There is at most one for each decoding: that of the latest transfer. It is here until its transfer is of no more use
/// to any load.
final class ProgressiveDecoders: Sendable {
    private let decoders = Lock<[DecodedWorkKey: ProgressiveDecoding]>([:])

    init() {}

    /// The number of decoders.
    var count: Int { decoders.withLock { $0.count } }

    /// Offers a decoder for the image itself, in place of another one.
    func add(_ decoding: ProgressiveDecoding, for key: DecodedWorkKey) {
        let replaced = decoders.withLock { $0.updateValue(decoding, forKey: key) }
        // Released without the lock.
        withExtendedLifetime(replaced) {}
    }

    /// Removes a decoder, unless another one has taken its place.
    func remove(_ decoding: ProgressiveDecoding, for key: DecodedWorkKey) {
        let removed = decoders.withLock { decoders -> (key: DecodedWorkKey, value: ProgressiveDecoding)? in
            guard let index = decoders.index(forKey: key), decoders.values[index] === decoding else { return nil }
            return decoders.remove(at: index)
        }
        withExtendedLifetime(removed) {}
    }

    /// Takes the decoder that has read the beginning of a body, or all of it. It makes no more previews.
    ///
    /// Waits for the piece of work that the decoder is at: that has to be done also without previews, but for the making
    /// of one.
    ///
    /// - Returns: `nil` if there is none, or its image might not be the same as that of the whole body.
    func take(for key: DecodedWorkKey, of data: Data) async -> ProgressiveDecoding? {
        guard let decoding = decoders.withLock({ $0[key] }), await decoding.take(havingRead: data) else { return nil }
        return decoding
    }
}
