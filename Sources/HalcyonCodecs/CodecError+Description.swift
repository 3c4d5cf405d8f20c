extension CodecError: CustomStringConvertible {
    /// A sentence about the failure.
    public var description: String {
        switch self {
        case .empty: "there are no bytes"
        case .unknownFormat(let detected?): "this is no image but \(detected)"
        case .unknownFormat(nil): "this is no image of a known format"
        case .unregistered(let format):
            if let product = format.product {
                "\(format.name) is not registered: add the product \(product.name), import it, "
                    + "and call ImageCodecs.register(.\(product.codecs))"
            } else {
                "\(format.name) is not registered"
            }
        case .unsupported(let format, let reason): "this kind of \(format.name) is not supported: \(reason)"
        case .truncated(let format): "the \(format.name) ends before the image does"
        case .corrupt(let format, let reason): "the \(format.name) is damaged: \(reason)"
        case .limitExceeded(let format, let limit): "the \(format.name) is refused: \(limit)"
        case .noSuchFrame(let frame, let count): "there is no frame \(frame) among \(count)"
        case .bitmap(let error): error.description
        case .cannotEncode(let format, let reason): "cannot be written as \(format.name): \(reason)"
        case .tooManyBytes(let format, let byteCount, let maximum):
            "as \(format.name) it takes \(byteCount) bytes at least, more than the \(maximum) allowed"
        case .isolation(let error): error.description
        }
    }

    /// The case as one word that programs can rely on.
    public var code: String {
        switch self {
        case .empty: "empty"
        case .unknownFormat: "notAnImage"
        case .unregistered: "unregistered"
        case .unsupported: "unsupported"
        case .truncated: "truncated"
        case .corrupt: "corrupt"
        case .limitExceeded: "limitExceeded"
        case .noSuchFrame: "noSuchFrame"
        case .bitmap: "memory"
        case .cannotEncode: "cannotEncode"
        case .tooManyBytes: "tooManyBytes"
        case .isolation: "isolation"
        }
    }
}

extension CodecError.Limit: CustomStringConvertible {
    /// A phrase with the value asked for and the one allowed.
    public var description: String {
        switch self {
        case .pixelCount(let size, let maximum): "\(size) pixels are more than the \(maximum) allowed"
        case .sideLength(let size, let maximum): "\(size) pixels have a side longer than the \(maximum) allowed"
        case .frameCount(let count, let maximum): "\(count) frames are more than the \(maximum) allowed"
        case .memory(let byteCount, let maximum):
            "it needs \(byteCount) bytes of memory, more than the \(maximum) allowed"
        }
    }
}

extension ImageFormat {
    /// The format's usual name, such as "JPEG" or "WebP".
    public var name: String {
        switch self {
        case .webp: "WebP"
        case .webm: "WebM"
        case .blurHash: "BlurHash"
        case .thumbHash: "ThumbHash"
        default: rawValue.uppercased()
        }
    }
}
