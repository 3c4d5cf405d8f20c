internal import Halcyon

/// The result of one image in one round. It keeps neither pixels nor encoded bytes: there is one for each URL, however
/// many there are.
struct GetResult: Sendable {
    let argument: SourceArgument
    let outcome: Result<Loaded, ImageError>

    /// An image that was loaded, and written if requested.
    struct Loaded: Sendable {
        let source: ImageResponse.Source
        /// The size of the encoded original.
        let byteCount: Int
        /// The size of the original as it is displayed.
        let originalSize: PixelSize
        /// The size of the result.
        let size: PixelSize
        /// Whether the original is cut short or damaged.
        let isPartial: Bool
        let timings: ImageTimings
        /// The metrics of the transfer, where a timeline is requested.
        var metrics: TransferMetrics?
        var output: String?
        /// The format of the output, or of the original if nothing was written.
        var format: ImageFormat
        var writeTime: Duration?

        init(_ response: ImageResponse) {
            source = response.source
            byteCount = response.byteCount
            originalSize = response.image.info.displaySize
            size = response.image.size
            isPartial = response.image.isPartial
            timings = response.timings
            metrics = response.metrics
            format = response.image.info.format
        }

        init(_ image: EncodedImage) {
            source = image.source
            byteCount = image.originalByteCount
            originalSize = image.originalInfo.displaySize
            size = image.size
            isPartial = image.isPartial
            timings = image.timings
            metrics = image.metrics
            format = image.format
        }
    }
}

extension GetResult {
    /// The object that `--json` prints.
    struct Record: Encodable {
        let url: String
        var source: String?
        var bytes: Int?
        var format: String?
        var width: Int?
        var height: Int?
        var partial: Bool?
        var output: String?
        var milliseconds: [String: Double]?
        var error: Failure?

        struct Failure: Encodable {
            let stage: String
            let reason: String
            let message: String
        }
    }

    var record: Record {
        var record = Record(url: argument.shownText)
        switch outcome {
        case .success(let loaded):
            record.source = loaded.source.rawValue
            record.bytes = loaded.byteCount
            record.format = loaded.format.rawValue
            record.width = loaded.size.width
            record.height = loaded.size.height
            record.partial = loaded.isPartial
            record.output = loaded.output
            record.milliseconds = loaded.milliseconds
        case .failure(let error):
            record.error = .init(stage: error.stage.rawValue, reason: error.code, message: error.message)
        }
        return record
    }
}

extension GetResult.Loaded {
    /// The time of each stage that ran.
    var milliseconds: [String: Double] {
        let stages: [(String, Duration?)] = [
            ("disk", timings.disk), ("load", timings.load), ("decode", timings.decode),
            ("process", timings.process), ("encode", timings.encode), ("store", timings.store), ("write", writeTime),
            ("total", timings.total),
        ]
        return Dictionary(
            uniqueKeysWithValues: stages.compactMap { name, time in time.map { (name, $0.milliseconds) } }
        )
    }
}
