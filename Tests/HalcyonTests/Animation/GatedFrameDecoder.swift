import FoundationEssentials

@testable import Halcyon

/// Decodes PNG. Frames other than the first wait for a gate.
struct GatedFrameDecoder: ImageDecoder {
    var gate: DispatchGate?
    var damagedFrame: Int?
    private let base = PNGDecoder()

    init(gate: DispatchGate? = nil, damagedFrame: Int? = nil) {
        (self.gate, self.damagedFrame) = (gate, damagedFrame)
    }

    var format: ImageFormat { .png }

    func recognizes(_ prefix: Data) -> Bool { base.recognizes(prefix) }

    func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        try base.info(of: data, limits: limits)
    }

    func decode(_ data: Data, options: DecodeOptions, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        if options.frame > 0 { gate?.wait() }
        if options.frame == damagedFrame { throw CodecError.corrupt(.png, reason: "frame") }
        return try base.decode(data, options: options, isCancelled: isCancelled)
    }
}
