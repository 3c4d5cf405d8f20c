internal import HalcyonHTTP

/// A report of a piece of work to its waiters.
enum WorkReport: Sendable {
    /// A stage of the load has begun.
    case began(ImageError.Stage)
    /// A transfer has begun to receive its body. The number orders the transfers of one load.
    case receiving(ReceivedBody, number: UInt64)
    /// Bytes have been received.
    case progress(ProgressReport)
}

/// The latest reports of a piece of work, which waiters that join get first.
///
/// Two threads may deliver the reports of one piece of work at the same time, a joiner's and that of the work. So each
/// kind of report has an order, and one that is not later than the last of its kind is dropped, whichever thread is
/// first.
struct WorkStatus: Sendable {
    private(set) var stage: ImageError.Stage?
    private(set) var body: ReceivedBody?
    private(set) var progress: ProgressReport?
    private var bodyNumber: UInt64 = 0

    /// The reports that bring a waiter to this status.
    var reports: [WorkReport] {
        var reports: [WorkReport] = []
        if let stage { reports.append(.began(stage)) }
        if let body { reports.append(.receiving(body, number: bodyNumber)) }
        if let progress { reports.append(.progress(progress)) }
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
        case .receiving(let body, let number):
            guard number > bodyNumber else { return false }
            (self.body, bodyNumber) = (body, number)
        case .progress(let progress):
            if let last = self.progress, !progress.isNewer(than: last) { return false }
            self.progress = progress
        }
        return true
    }

    /// Forgets the body, once no more of it is received.
    mutating func endBody() {
        body = nil
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
