import FoundationEssentials
import Glibc

@testable import Halcyon

/// A call of a codec, before it does its work.
enum CodecCall: Sendable, Hashable {
    case info
    case decode
    case encode
}

extension ImageCodecs {
    /// Codecs, by default the standard ones, each of whose calls is told to `observer` first, on the thread that makes it.
    static func observed(
        _ codecs: ImageCodecs = .standard,
        by observer: @escaping @Sendable (CodecCall, Data?) -> Void
    ) -> ImageCodecs {
        ImageCodecs(
            decoders: codecs.decoders.map { ObservedDecoder(base: $0, observer: observer) },
            encoders: codecs.encoders.map { ObservedEncoder(base: $0, observer: observer) }
        )
    }
}

private struct ObservedDecoder: ImageDecoder {
    let base: any ImageDecoder
    let observer: @Sendable (CodecCall, Data?) -> Void

    var format: ImageFormat { base.format }

    func recognizes(_ prefix: Data) -> Bool { base.recognizes(prefix) }

    func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        observer(.info, data)
        return try base.info(of: data, limits: limits)
    }

    func decode(_ data: Data, options: DecodeOptions, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        observer(.decode, data)
        return try base.decode(data, options: options, isCancelled: isCancelled)
    }
}

private struct ObservedEncoder: ImageEncoder {
    let base: any ImageEncoder
    let observer: @Sendable (CodecCall, Data?) -> Void

    var format: ImageFormat { base.format }

    func encode(_ bitmap: Bitmap, options: EncodeOptions) throws(CodecError) -> Data {
        observer(.encode, nil)
        return try base.encode(bitmap, options: options)
    }
}

/// The label of the dispatch queue that runs the caller; empty if it cannot be told.
var currentQueueLabel: String {
    typealias Function = @convention(c) (UnsafeRawPointer?) -> UnsafePointer<CChar>?
    // Swift's overlay on Linux leaves out `dispatch_queue_get_label`, whose signature this is; no queue means the current.
    guard let symbol = dlsym(nil, "dispatch_queue_get_label"),
        let label = unsafeBitCast(symbol, to: Function.self)(nil)
    else { return "" }
    return String(cString: label)
}
