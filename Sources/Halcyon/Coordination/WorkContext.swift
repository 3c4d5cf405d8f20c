internal import HalcyonSystem
internal import Synchronization

/// The context of a piece of work: the priority of its waiters, and the function by which it reports to them.
struct WorkContext: Sendable {
    /// The priority, which may change while the work is in progress.
    let priority: PriorityBox
    /// Reports the beginnings of stages and the progress of the bytes to the waiters.
    let report: @Sendable (WorkReport) -> Void
    /// The activities of the pipeline; `nil` for work that none counts.
    let activities: LoadActivities?

    init(
        priority: PriorityBox,
        activities: LoadActivities? = nil,
        report: @escaping @Sendable (WorkReport) -> Void
    ) {
        self.priority = priority
        self.activities = activities
        self.report = report
    }

    /// Counts an activity, and reports it if any load is observed.
    func note(_ activity: @autoclosure () -> LoadActivity) {
        guard let activities else { return }
        let activity = activity()
        activities.count(activity)
        if activities.isObserved { report(.activity(activity, isShared: false)) }
    }

    /// Returns the context of a load with its observers, which get the reports of activities.
    func observed(by load: ObservedLoad?, of activities: LoadActivities) -> WorkContext {
        WorkContext(priority: priority, activities: activities) { [report] work in
            if case .activity(let activity, let isShared) = work {
                load?.add(activity, isShared: isShared)
            } else {
                report(work)
            }
        }
    }

    /// Reports that a stage begins.
    func begin(_ stage: ImageError.Stage) {
        report(.began(stage))
    }

    /// Returns the context of the next attempt, whose reports of the body and its progress follow all of the earlier
    /// ones.
    func nextAttempt() -> WorkContext {
        numbering(attempt: WorkNumber.next())
    }

    /// Returns the context of a source that is tried in place of others.
    ///
    /// - Parameter number: The number of sources that were tried before.
    func ofSource(_ number: Int) -> WorkContext {
        numbering(source: { _ in number })
    }

    /// Returns the context of a request that the interceptors of a load go on with: its sources follow all of those of the
    /// requests before it.
    ///
    /// - Parameter number: The number of requests before it.
    func ofRequest(_ request: ImageRequest, _ number: Int) -> WorkContext {
        // No load tries as many sources.
        numbering(request, source: { number << 32 | $0 })
    }

    private func numbering(
        _ request: ImageRequest? = nil,
        source: (@Sendable (Int) -> Int)? = nil,
        attempt: UInt64? = nil
    ) -> WorkContext {
        WorkContext(priority: priority, activities: activities) { [report] work in
            switch work {
            case .began, .preview, .activity:
                report(work)
            case .receiving(var body):
                body.request = request ?? body.request
                if let source { body.source = source(body.source) }
                body.attempt = attempt ?? body.attempt
                report(.receiving(body))
            case .progress(var progress):
                if let source { progress.source = source(progress.source) }
                progress.attempt = attempt ?? progress.attempt
                report(.progress(progress))
            }
        }
    }
}

/// Numbers of one sequence for all of this process. They order the beginnings of work and the changes of caches, also
/// where the work is shared between caches.
enum WorkNumber {
    private static let last = Atomic<UInt64>(0)

    /// Returns a number that is higher than all earlier ones.
    static func next() -> UInt64 {
        last.add(1, ordering: .sequentiallyConsistent).newValue
    }
}
