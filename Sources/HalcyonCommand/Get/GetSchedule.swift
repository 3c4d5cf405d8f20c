internal import Halcyon

/// Loads the images of a list, a bounded number at a time, in their order but for those of hosts that do not answer, which
/// come last. It ends where no further result can be written. However long the list is, it holds no more of it than is being
/// loaded and was read with that.
struct GetSchedule {
    let load: GetLoad
    let concurrency: Int
    let output: ResultOutput
    let report: ReportFile?
    /// Whether ``doneImages`` is filled.
    let keepsOutputs: Bool
    /// The paths of the files that an earlier round wrote, by the images' places in the list.
    let written: [Int: [String?]]

    private(set) var doneImages: [DoneImage] = []
    private var waiting: ArraySlice<ListItem> = []
    private var names = FirstNames()
    private var recent = RecentImages()
    private var isSuccess = true
    /// The images that were cancelled, with the numbers of their files that were written.
    private var cancelled: [(ListItem, Int)] = []
    /// The error after which no further result can be written; `nil` while they can.
    private(set) var finalError: ImageError?

    init(
        load: GetLoad,
        concurrency: Int,
        output: ResultOutput,
        report: ReportFile?,
        keepsOutputs: Bool,
        written: [Int: [String?]]
    ) {
        self.load = load
        self.concurrency = concurrency
        self.output = output
        self.report = report
        self.keepsOutputs = keepsOutputs
        self.written = written
    }

    private enum Event: Sendable {
        case read(Result<[ListItem], any Error>)
        case ended(ListItem, [GetResult])
    }

    /// Loads all images; returns `false` if one failed, or the list could not be read.
    mutating func run(_ list: ItemList) async -> Bool {
        var reader: ListReader?
        switch list.source {
        case .items(let items): waiting = items[...]
        case .reader(let source): reader = source
        }
        var deferred = DeferredItems()
        var (isReading, isLast, running) = (false, false, 0)
        await withTaskGroup(of: Event.self) { [load, written] group in
            while true {
                while running < concurrency, !group.isCancelled, let item = waiting.popFirst() {
                    guard let item = begin(item, list.earlier) else { continue }
                    if !isLast, let host = item.argument.hostAndPort, load.failures.isLeftForLast(host) {
                        deferred.append(item)
                        continue
                    }
                    recent.begin(item)
                    running += 1
                    group.addTask { .ended(item, await load.results(for: item, written: written[item.index])) }
                }
                if let source = reader, waiting.isEmpty, !isReading, !group.isCancelled {
                    isReading = true
                    group.addTask {
                        do { return .read(.success(try await source.next())) } catch { return .read(.failure(error)) }
                    }
                }
                if running == 0, !isReading, waiting.isEmpty, !group.isCancelled {
                    isLast = true
                    do {
                        waiting = try deferred.next()[...]
                        if !waiting.isEmpty { continue }
                    } catch {
                        fail(error)
                        // What was written elsewhere may still be read.
                        continue
                    }
                }
                guard let event = await group.next() else { break }
                switch event {
                case .read(.success(let items)):
                    isReading = false
                    waiting = items[...]
                    if items.isEmpty { reader = nil }
                case .read(.failure(let error)):
                    isReading = false
                    if error is CancellationError { continue }
                    reader = nil
                    fail(error)
                case .ended(let item, let results):
                    running -= 1
                    end(item, results)
                    if finalError == nil, let error = results.last?.failure, FileOutput.isFinal(error) {
                        finalError = error
                        group.cancelAll()
                    }
                }
            }
        }
        if let finalError {
            while !deferred.isEmpty {
                do { waiting += try deferred.next() } catch { fail(error) }
            }
            // What the list still has is read only where that takes no time.
            while let source = reader, source.isAtEnd, let items = try? await source.next() {
                waiting += items
                if items.isEmpty { reader = nil }
            }
            await leaveRest(list.earlier, after: finalError, isRead: reader == nil)
        }
        return isSuccess
    }

    /// Reports what is left of the list as not done, so that a next run goes on with it.
    ///
    /// - Parameter isRead: Whether it was read to its end.
    private func leaveRest(_ earlier: ReportFile.Earlier?, after error: ImageError, isRead: Bool) async {
        guard case .file(let path, let reason) = error.reason else { return }
        var rest = cancelled
        for item in waiting where !isDone(item, earlier) {
            if case .ended = recent.state(of: item) { continue }
            if await !isThere(item) { rest.append((item, 0)) }
        }
        for (item, fileCount) in rest {
            let error = ImageError(
                stage: error.stage,
                reason: .file(path: path.parentFolder, reason: "the run ended before this image: \(reason)"),
                source: item.argument.text
            )
            let result = load.result(.failed(error), for: item, fileCount)
            output.add(result, isReported: item.isReported, isWarned: false)
        }
        guard !rest.isEmpty || !isRead else { return }
        let unread = isRead ? "" : ", and the rest of the list was not read"
        load.display.interrupt {
            Terminal.warn(
                "the run ended, since nothing more can be written: \(rest.count) images are not done\(unread)"
            )
        }
    }

    /// Whether an earlier run has written all files of an image.
    private func isThere(_ item: ListItem) async -> Bool {
        for variant in load.variants {
            let there = try? await load.writer.written(item, variant, load.writer.origin(of: item, variant))
            if there ?? nil == nil { return false }
        }
        return true
    }

    /// Whether an earlier report has all files of an image.
    private func isDone(_ item: ListItem, _ earlier: ReportFile.Earlier?) -> Bool {
        guard let earlier, item.problem == nil, item.argument.isLasting else { return false }
        return load.variants.allSatisfy { earlier.isDone(load.writer.origin(of: item, $0).request, name: item.name) }
    }

    /// Reports that images are missing.
    private mutating func fail(_ error: any Error) {
        load.display.interrupt { Terminal.warn("\(error)") }
        isSuccess = false
    }

    /// Returns the image with what its name depends on, or `nil` if nothing is to be done for it any more.
    private mutating func begin(_ item: ListItem, _ earlier: ReportFile.Earlier?) -> ListItem? {
        var item = item
        if let name = load.writer.plainName(of: item) {
            item.mayBePlain = names.isFirst(item.argument.identity, named: name)
        }
        if isDone(item, earlier) {
            load.display.count(isSkipped: true)
            let skipped = GetResult.Skipped(output: nil, byteCount: nil)
            // Without a line in the report, which has one.
            output.add(
                GetResult(index: item.index, argument: item.argument, outcome: .skipped(skipped)),
                isReported: false
            )
            return nil
        }
        switch recent.state(of: item) {
        case .new: return item
        case .running:
            recent.follow(item)
            return nil
        case .ended(let first, let results):
            add(results.map { $0.repeated(as: item) }, item, first)
            return nil
        }
    }

    private mutating func end(_ item: ListItem, _ results: [GetResult]) {
        let followers = recent.end(item, results)
        if !isComplete(results) { cancelled += ([item] + followers).map { ($0, results.count) } }
        guard !results.isEmpty else { return }
        add(results, item, item.index)
        // Each under the text that the person gave.
        for follower in followers { add(results.map { $0.repeated(as: follower) }, follower, item.index) }
    }

    /// Whether an image has ended otherwise than by cancellation.
    private func isComplete(_ results: [GetResult]) -> Bool {
        results.count == load.variants.count || results.contains(where: \.isFailure)
    }

    private mutating func add(_ results: [GetResult], _ item: ListItem, _ first: Int) {
        load.display.count(isSkipped: results.allSatisfy(\.isSkipped))
        for result in results {
            output.add(result, isReported: item.isReported)
            if result.isFailure { isSuccess = false }
        }
        guard keepsOutputs, isComplete(results), !results.contains(where: \.isFailure) else { return }
        doneImages.append(
            DoneImage(
                index: item.index,
                place: first,
                argument: item.argument,
                outputs: results.map(\.output),
                isSkipped: results.contains(where: \.isSkipped)
            )
        )
    }
}

/// The images that are being loaded, and those that ended last: one that a list has twice is loaded once.
private struct RecentImages {
    enum State {
        case new
        case running
        case ended(first: Int, [GetResult])
    }

    private enum Entry {
        case running(first: Int, followers: [ListItem])
        case ended(first: Int, [GetResult])
    }

    /// An image that comes again after more than this is looked for as in another run.
    private static let capacity = 4_096

    private var entries: [ListItem.Key: Entry] = [:]
    private var ended: [ListItem.Key] = []
    private var oldest = 0

    func state(of item: ListItem) -> State {
        switch entries[item.key] {
        case nil: .new
        case .running: .running
        case .ended(let first, let results): .ended(first: first, results)
        }
    }

    mutating func begin(_ item: ListItem) {
        entries[item.key] = .running(first: item.index, followers: [])
    }

    mutating func follow(_ item: ListItem) {
        guard case .running(let first, let followers)? = entries[item.key] else { return }
        entries[item.key] = .running(first: first, followers: followers + [item])
    }

    /// Returns the images that are the same.
    mutating func end(_ item: ListItem, _ results: [GetResult]) -> [ListItem] {
        let key = item.key
        guard case .running(let first, let followers)? = entries[key] else { return [] }
        guard !results.isEmpty else {
            entries[key] = nil
            return followers
        }
        entries[key] = .ended(first: first, results)
        if ended.count < Self.capacity {
            ended.append(key)
        } else {
            entries[ended[oldest]] = nil
            ended[oldest] = key
            oldest = (oldest + 1) % Self.capacity
        }
        return followers
    }
}
