internal import FoundationEssentials
internal import Halcyon
internal import HalcyonSystem

/// The result of one file of one image. It keeps neither pixels nor encoded bytes.
struct GetResult: Sendable {
    /// The place of the image in the list, from 0.
    let index: Int
    let argument: SourceArgument
    let outcome: Outcome
    /// The digits that tell the request; see ``FileOrigin/request``.
    var request: String?
    /// When it began and ended.
    var times: ClosedRange<Date>?
    /// The name that the list has for the file.
    var name: String?
    /// A line for each attempt to load it from a server, where a timeline is requested.
    var attempts: [String] = []

    enum Outcome: Sendable {
        case loaded(Loaded)
        /// The file is there with the bytes that were written for the same request, or an earlier report has it.
        case skipped(Skipped)
        case failed(ImageError)
    }

    /// A file that was there.
    struct Skipped: Sendable {
        /// `nil` where nothing is written.
        let output: String?
        let byteCount: Int?
    }

    /// An image that was loaded, and written if requested.
    struct Loaded: Sendable {
        let source: ImageResponse.Source
        /// The size of the encoded original.
        let byteCount: Int
        /// The size of the original as it is displayed.
        let originalSize: PixelSize
        let originalFormat: ImageFormat
        /// The size of the result.
        var size: PixelSize
        /// The number of frames of an animation, 0 for other images.
        let frameCount: Int
        /// Whether the result is the original, byte for byte.
        var isOriginal: Bool
        /// What a person has to know about the result.
        var note: String?
        /// Whether the original is cut short or damaged.
        /// The number of pages of the original, of which each is an image.
        var pageCount = 1
        let isPartial: Bool
        var timings: ImageTimings
        /// The metrics of the transfer, where a timeline is requested.
        var metrics: TransferMetrics?
        var output: String?
        /// The size of the file.
        var outputByteCount: Int?
        /// The SHA-256 of the file, in hexadecimal digits, where there is a report.
        var digest: String?
        /// The format of the output, or of the original if nothing was written.
        var format: ImageFormat
        var writeTime: Duration?

        init(_ response: ImageResponse) {
            source = response.source
            byteCount = response.byteCount
            originalSize = response.image.info.displaySize
            originalFormat = response.image.info.format
            size = response.image.size
            frameCount = response.image.info.frameDurations.count
            isOriginal = true
            isPartial = response.image.isPartial
            timings = response.timings
            metrics = response.metrics
            format = response.image.info.format
        }

        init(_ image: EncodedImage) {
            source = image.source
            byteCount = image.originalByteCount
            originalSize = image.originalInfo.displaySize
            originalFormat = image.originalInfo.format
            size = image.size
            frameCount = image.originalInfo.frameDurations.count
            if image.originalInfo.format == .tiff { pageCount = image.originalInfo.frameCount }
            isOriginal = image.isOriginal
            isPartial = image.isPartial
            timings = image.timings
            metrics = image.metrics
            format = image.format
        }
    }
}

extension GetResult {
    /// The object that `--json` prints, and with more fields the line of a report.
    struct Record: Codable {
        let index: Int
        var url: String
        /// "done", "skipped" or "failed".
        let status: String
        var source: String?
        var bytes: Int?
        var format: String?
        var width: Int?
        var height: Int?
        var originalWidth: Int?
        var originalHeight: Int?
        var partial: Bool?
        var note: String?
        var output: String?
        var outputBytes: Int?
        var milliseconds: [String: Double]?
        var error: Failure?
        // Of reports alone.
        var digest: String?
        var request: String?
        var name: String?
        var began: Double?
        var ended: Double?

        struct Failure: Codable {
            let stage: String
            let reason: String
            let message: String
        }
    }

    var record: Record {
        switch outcome {
        case .loaded(let loaded):
            var record = Record(index: index, url: argument.shownText, status: "done")
            record.source = loaded.source.rawValue
            record.bytes = loaded.byteCount
            record.format = loaded.format.rawValue
            record.width = loaded.size.width
            record.height = loaded.size.height
            record.originalWidth = loaded.originalSize.width
            record.originalHeight = loaded.originalSize.height
            record.partial = loaded.isPartial
            record.note = loaded.note
            record.output = loaded.output
            record.outputBytes = loaded.outputByteCount
            record.milliseconds = loaded.milliseconds
            return record
        case .skipped(let skipped):
            var record = Record(index: index, url: argument.shownText, status: "skipped")
            record.output = skipped.output
            record.outputBytes = skipped.byteCount
            return record
        case .failed(let error):
            var record = Record(index: index, url: argument.shownText, status: "failed")
            record.error = .init(stage: error.stage.rawValue, reason: error.code, message: error.fullMessage)
            return record
        }
    }

    /// The line of a report: that of `--json`, and what tells the request and the bytes, and the times in seconds since
    /// 1970. Paths are absolute, since the next run may be in another folder.
    var reportRecord: Record {
        var record = record
        // A line of a list that names no image is text alone.
        if argument.isLasting, let path = argument.path, failure?.stage != .source {
            record.url = FilePath.absolute(path)
        }
        record.output = record.output.map(FilePath.absolute)
        if case .loaded(let loaded) = outcome { record.digest = loaded.digest }
        record.request = request
        record.name = name
        record.began = times.map { Self.seconds($0.lowerBound) }
        record.ended = times.map { Self.seconds($0.upperBound) }
        return record
    }

    private static func seconds(_ date: Date) -> Double { (date.timeIntervalSince1970 * 1000).rounded() / 1000 }

    /// The same result under another name of the image, in another place.
    func repeated(as item: ListItem) -> GetResult {
        GetResult(
            index: item.index,
            argument: item.argument,
            outcome: outcome,
            request: request,
            times: times,
            name: item.name
        )
    }

    var isFailure: Bool { failure != nil }

    var failure: ImageError? {
        if case .failed(let error) = outcome { error } else { nil }
    }

    var isSkipped: Bool {
        if case .skipped = outcome { true } else { false }
    }

    var isFromNetwork: Bool {
        if case .loaded(let loaded) = outcome { loaded.source == .network } else { false }
    }

    /// The path of the file.
    var output: String? {
        switch outcome {
        case .loaded(let loaded): loaded.output
        case .skipped(let skipped): skipped.output
        case .failed: nil
        }
    }

    /// A line about the result, for people.
    var line: String {
        switch outcome {
        case .loaded(let loaded):
            let size =
                loaded.size == loaded.originalSize ? "\(loaded.size)" : "\(loaded.originalSize) → \(loaded.size)"
            let bytes = Format.bytes(loaded.outputByteCount ?? loaded.byteCount)
            return "\(loaded.output ?? argument.shownText)  \(size)  \(bytes)  \(loaded.source.rawValue)"
        case .skipped(let skipped): return "\(skipped.output ?? argument.shownText)  there already"
        case .failed(let error): return "\(argument.shownText)  failed  \(error.stage.rawValue): \(error.code)"
        }
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
