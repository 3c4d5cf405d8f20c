package import FoundationEssentials
package import HalcyonCodecs
internal import HalcyonIsolation
internal import Synchronization

/// A decoder that stands for that of another format, and counts what it is asked for in the program, where nothing may be.
package struct WorkerOnlyDecoder: ConfinableDecoder, IncrementalDecoding {
    private static let calls = Atomic<Int>(0)

    /// The number of calls in this process.
    package static var callCount: Int { calls.load(ordering: .relaxed) }

    private static let decoders: [any ImageDecoder] = [GIFDecoder(), JPEGDecoder(), PNGDecoder(), WebPDecoder()]

    /// One for each format.
    package static let all = decoders.map { WorkerOnlyDecoder($0.format) }

    package let format: ImageFormat

    package init(_ format: ImageFormat) {
        self.format = format
    }

    package var confinement: DecoderConfinement { .wholeLibrary }

    package func prepareForWorkers() -> [String] { [] }

    package func recognizes(_ prefix: Data) -> Bool { ImageFormat.detect(prefix) == format }

    package func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        try decoder().info(of: data, limits: limits)
    }

    package func metadata(of data: Data) throws(CodecError) -> ImageMetadata {
        try decoder().metadata(of: data)
    }

    package func decode(
        _ data: Data,
        options: DecodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> DecodedImage {
        try decoder().decode(data, options: options, isCancelled: isCancelled)
    }

    package func cursor(for data: Data, options: DecodeOptions) throws -> sending any FrameCursor {
        try decoder().cursor(for: data, options: options)
    }

    package func incrementalReader(for beginning: Data, options: DecodeOptions) throws -> any IncrementalReading {
        try incrementalDecoder().incrementalReader(for: beginning, options: options)
    }

    package func embeddedThumbnail(
        in beginning: Data,
        options: DecodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> DecodedImage? {
        try incrementalDecoder().embeddedThumbnail(in: beginning, options: options, isCancelled: isCancelled)
    }

    private func decoder() throws(CodecError) -> any ImageDecoder {
        Self.calls.add(1, ordering: .relaxed)
        guard let decoder = Self.decoders.first(where: { $0.format == format }) else { throw .unregistered(format) }
        return decoder
    }

    private func incrementalDecoder() throws(CodecError) -> any IncrementalDecoding {
        guard let decoder = try decoder() as? any IncrementalDecoding else {
            throw .unsupported(format, reason: "it is decoded once all of it is there")
        }
        return decoder
    }
}
