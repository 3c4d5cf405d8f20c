internal import FoundationEssentials
internal import HalcyonCodecs
internal import Synchronization

/// A decoder that counts what another one does.
struct CountingDecoder<Base: ImageDecoder>: ImageDecoder {
    /// How often an image was decoded.
    final class Counter: Sendable {
        private let count = Atomic(0)

        var value: Int { count.load(ordering: .relaxed) }

        func increment() {
            count.wrappingAdd(1, ordering: .relaxed)
        }
    }

    let base: Base
    let counter: Counter

    var format: ImageFormat { base.format }

    func recognizes(_ prefix: Data) -> Bool {
        base.recognizes(prefix)
    }

    func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        try base.info(of: data, limits: limits)
    }

    func decode(_ data: Data, options: DecodeOptions, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        counter.increment()
        return try base.decode(data, options: options, isCancelled: isCancelled)
    }
}
