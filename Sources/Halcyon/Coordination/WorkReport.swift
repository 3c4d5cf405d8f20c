internal import HalcyonCodecs
internal import HalcyonHTTP

/// A report of a piece of work to its waiters.
enum WorkReport: Sendable {
    /// A stage of the load has begun.
    case began(ImageError.Stage)
    /// A transfer or a stream has begun to be received.
    case receiving(BodyReport)
    /// Bytes have been received.
    case progress(ProgressReport)
    /// A preview has been made of the bytes so far.
    case preview(ProgressivePreview)
    /// A part of the work has been done, for the observers of a load. Reported once, and not to waiters that join later.
    ///
    /// - Parameter isShared: A Boolean value that indicates whether another load has begun the work.
    case activity(LoadActivity, isShared: Bool)
}

/// The body of one attempt to get the bytes of a load. Its order is that of a ``ProgressReport``.
struct BodyReport: Sendable {
    /// The request whose body it is, if an interceptor may have gone on with another one than that of the load; `nil` for
    /// that of the load.
    var request: ImageRequest?
    /// The number of the source, in the order in which the load tries them.
    var source = 0
    /// The number of the attempt, in the order in which the load makes them. It may join a transfer that has begun
    /// before an earlier attempt.
    var attempt: UInt64 = 0
    /// The number of the transfer, in the order in which an attempt makes them.
    let number: UInt64
    let body: any ArrivingBody
    /// The provenance of images that are made of the bytes.
    let provenance: ImageResponse.Source

    init(_ body: any ArrivingBody, number: UInt64, provenance: ImageResponse.Source) {
        self.number = number
        self.body = body
        self.provenance = provenance
    }

    /// Returns whether this report follows another one: it is of a later source, attempt or transfer.
    func isNewer(than other: BodyReport) -> Bool {
        (source, attempt, number) > (other.source, other.attempt, other.number)
    }
}

/// The latest reports of a piece of work, which waiters that join get first.
///
/// Two threads may deliver the reports of one piece of work at the same time, a joiner's and that of the work. So each
/// kind of report has an order, and one that is not later than the last of its kind is dropped, whichever thread is
/// first.
struct WorkStatus: Sendable {
    private(set) var stage: ImageError.Stage?
    /// `nil` once no more of it is received.
    var body: BodyReport?
    private(set) var progress: ProgressReport?
    private(set) var preview: ProgressivePreview?

    /// The reports that bring a waiter to this status.
    var reports: [WorkReport] {
        var reports: [WorkReport] = []
        if let stage { reports.append(.began(stage)) }
        if let body { reports.append(.receiving(body)) }
        if let progress { reports.append(.progress(progress)) }
        if let preview { reports.append(.preview(preview)) }
        return reports
    }

    /// Adds a report.
    ///
    /// - Returns: `false` for a report that is not later than the last of its kind.
    mutating func add(_ report: WorkReport) -> Bool {
        switch report {
        case .began(let stage):
            if let last = self.stage, stage.position <= last.position { return false }
            self.stage = stage
        case .receiving(let body):
            if let last = self.body, !body.isNewer(than: last) { return false }
            self.body = body
        case .progress(let progress):
            if let last = self.progress, !progress.isNewer(than: last) { return false }
            self.progress = progress
        case .preview(let preview):
            if let last = self.preview, preview.number <= last.number { return false }
            self.preview = preview
        case .activity:
            break
        }
        return true
    }
}

extension ImageError.Stage {
    /// The position among the stages of a load.
    fileprivate var position: Int {
        switch self {
        case .source: 0
        case .cache: 1
        case .load: 2
        case .decode: 3
        case .process: 4
        case .encode: 5
        case .store: 6
        }
    }
}

/// The progress of one attempt to get the bytes of a load.
///
/// A load makes one attempt after the other: again after a failure, and with another source. Reports come from several
/// threads, and may overtake each other; what receives them takes a report only if it is newer than the last one.
struct ProgressReport: Sendable {
    /// The number of the source, in the order in which the load tries them.
    var source = 0
    /// The number of the attempt, in the order in which the load makes them.
    var attempt: UInt64 = 0
    var progress = ImageProgress()

    /// Returns whether this report follows another one: it is of a later source or attempt, or of more bytes.
    func isNewer(than other: ProgressReport) -> Bool {
        (source, attempt, progress.receivedBytes) > (other.source, other.attempt, other.progress.receivedBytes)
    }
}

/// A preview that was made of the bytes of a transfer so far, for all loads that share it.
struct ProgressivePreview: Sendable {
    /// Rises with each preview, whichever transfer it is of.
    let number: UInt64
    let response: ImageResponse
    /// `nil` for a thumbnail that the image embeds.
    let progress: IncrementalProgress?
}
