internal import Halcyon
internal import HalcyonSystem

/// What a run loads and writes.
struct RunPlan: Sendable {
    var items: [ListItem] = []
    /// The path of the list that takes the place of ``items``.
    var list: String?
    var target = OutputWriter.Target.nowhere
    var format: OutputFormat?
    var template: NameTemplate?
    /// Whether the extensions of the images' names are those of formats to write, as in a list, or of the images.
    var namesSayFormats = true
    var variants: [OutputVariant] = []
    var encoding: EncodingArguments
    /// Whether images that are written as they came are decoded nevertheless.
    var checksPixels = true
    var cacheUse: CacheUse?
    var cache: CacheArguments
    var overwrites = false
    var concurrency: Int
    var network: NetworkArguments
    var report: String?
    var resume: String?
    var rounds = 1
    var sheet: String?
    var trace = false
    var stats = false
    var json = false
    /// Whether nothing but failures is said.
    var isQuiet = false
}

/// One run of `halcyon get`, or of `halcyon convert` for several images.
struct GetRun: Sendable {
    private let plan: RunPlan
    private let transport: CurlTransport
    private let downloader: ImageDownloader
    private let pipeline: ImagePipeline
    private let failures = HostFailures()

    /// - Throws: `CookieFileError` for a file of cookies that cannot be used, ``OpenFileLimit/TooLow``.
    init(_ plan: RunPlan) throws {
        var plan = plan
        plan.concurrency = try OpenFileLimit.fitting(plan.concurrency)
        self.plan = plan
        transport = try plan.network.transport(concurrency: plan.concurrency)
        downloader = plan.network.downloader(
            over: transport,
            partialFolder: plan.cache.partialFolder,
            failures
        )
        pipeline = UntrustedImages.pipeline(
            .init(downloader: downloader, cache: plan.cache.cache(), defaultOptions: UntrustedImages.options)
        )
    }

    /// Loads everything, in each requested round; returns `false` if anything failed.
    func run() async -> Bool {
        let reportPath = plan.resume ?? plan.report
        let writer = OutputWriter(
            target: plan.target,
            format: plan.format,
            encoding: plan.encoding,
            requestIdentity: plan.network.identity,
            checksPixels: plan.checksPixels,
            template: plan.template,
            namesSayFormats: plan.namesSayFormats,
            overwrites: plan.overwrites,
            makesDigests: reportPath != nil
        )
        let (report, options): (ReportFile?, [ImageOption])
        var list: ItemList
        do {
            let (resumes, target) = (plan.resume != nil, plan.target)
            options = loadOptions()
            report = try await FileOutput.inBackground {
                try writer.prepare()
                return try reportPath.map { try ReportFile(path: $0, resumes: resumes, target: target) }
            }
            list = try await items(report)
        } catch {
            refuse(
                error as? ImageError ?? ImageError(stage: .load, reason: .provider("\(error)"), source: "the images")
            )
            return false
        }
        // The sheet shows those that are done, too.
        let loadsAll = plan.overwrites || plan.cacheUse == .refresh || plan.sheet != nil
        if let report { list = list.without(report.earlier, unless: loadsAll) }
        let sheet = plan.sheet.map { _ in ContactSheet(imageCount: list.count ?? 0) }
        var isSuccess = true
        var drawn: [DoneImage] = []
        var written: [Int: [String?]] = [:]
        for round in 1...plan.rounds {
            let isShown = Terminal.isInteractive && (!plan.json || Terminal.resultWidth == nil)
            let display = ProgressDisplay(total: list.count, isShown: isShown)
            if isShown, case .reader(let reader) = list.source { countImages(of: reader, for: display) }
            let output = ResultOutput(
                json: plan.json,
                trace: plan.trace,
                isQuiet: plan.isQuiet || plan.target == .standardOutput,
                display: display,
                report: report
            )
            output.begin(round: round, of: plan.rounds)
            Interruption.setLastAction { output.end(isInterrupted: true) }
            let load = GetLoad(
                pipeline: pipeline,
                options: options,
                writer: writer,
                variants: plan.variants,
                display: display,
                failures: failures,
                // The sheet is drawn once: further rounds load the same images.
                sheet: round == 1 ? sheet : nil,
                cacheUse: plan.cacheUse,
                trace: plan.trace
            )
            var schedule = GetSchedule(
                load: load,
                concurrency: plan.concurrency,
                output: output,
                report: report,
                keepsOutputs: plan.sheet != nil || plan.rounds > 1,
                written: written
            )
            isSuccess = await schedule.run(list) && isSuccess
            output.end(isInterrupted: Task.isCancelled)
            Interruption.setLastAction(nil)
            if round == 1 { drawn = schedule.doneImages }
            for image in schedule.doneImages where !image.isSkipped { written[image.index] = image.outputs }
            // Further rounds have no reader left.
            if Task.isCancelled || Terminal.outputState == .closed || schedule.finalError != nil { break }
        }
        // After the last round, because drawing empties the memory cache.
        if let sheet, let path = plan.sheet, !Task.isCancelled {
            isSuccess = await draw(sheet, of: drawn, path: path) && isSuccess
        }
        // The next run is to have what this one has asked for.
        await pipeline.waitForRefreshes()
        await pipeline.cache.flush()
        // At its end the transport writes the cookies, and the program ends soon. What was received of images that were left is
        // for the next run.
        if plan.network.cookies != nil || Task.isCancelled { transport.shutdown() }
        await downloader.waitForWriting()
        if plan.stats { reportStatistics() }
        if isSuccess { report?.end() }
        return isSuccess && report?.isComplete != false
    }

    private func loadOptions() -> [ImageOption] {
        // The original is kept as well, so that another size of it needs no network.
        // Each load waits for its storing, so that no more of it is held than there are loads at a time.
        var options: [ImageOption] = [.cacheOriginalImage, .waitForCache]
        // What the report says to be done is nowhere else.
        if plan.target == .nowhere, (plan.resume ?? plan.report) != nil { options.append(.diskDurability(.normal)) }
        if let cacheUse = plan.cacheUse { options += cacheUse.options }
        return options + plan.network.options(failures)
    }

    /// Returns the images of the command line, of the list, or those that failed in the report.
    private func items(_ report: ReportFile?) async throws -> ItemList {
        guard let path = plan.list else {
            return ItemList(.items(plan.items.isEmpty ? report?.earlier.failedItems ?? [] : plan.items))
        }
        let reader = ListReader(path: path)
        guard plan.rounds > 1 || plan.sheet != nil else { return ItemList(.reader(reader)) }
        // What is loaded again, or drawn in order, has to be in memory.
        var items: [ListItem] = []
        while case let next = try await reader.next(), !next.isEmpty { items += next }
        return ItemList(.items(items))
    }

    private func countImages(of reader: ListReader, for display: ProgressDisplay) {
        let path = reader.path
        Task.detached(priority: .utility) {
            if let count = try? await FileOutput.inBackground({ ListReader.count(path) }) { display.setTotal(count) }
        }
    }

    /// Reports why no load could be started.
    private func refuse(_ error: ImageError) {
        guard plan.json, !plan.items.isEmpty else { return Terminal.warn("\(error)") }
        for item in plan.items {
            let result = GetResult(index: item.index, argument: item.argument, outcome: .failed(error))
            Terminal.print(JSONLine.text(result.record))
        }
    }

    private func reportStatistics() {
        let report = StatisticsReport(pipeline.statistics)
        guard !plan.json else { return Terminal.print(JSONLine.text(report.record)) }
        Terminal.print("")
        for line in report.lines { Terminal.print(line) }
    }

    /// Draws the contact sheet of the images that were loaded, in the order of the list.
    private func draw(_ drawing: ContactSheet, of images: [DoneImage], path: String) async -> Bool {
        guard !images.isEmpty else { return true }
        let files = images.flatMap { $0.outputs.compactMap(\.self) } + images.compactMap(\.argument.path)
        guard !files.contains(where: { FileOutput.isSameFile($0, path) }) else {
            Terminal.warn("the contact sheet could not be made: \(path) is one of its images")
            return false
        }
        let places = images.sorted { $0.index < $1.index }.map(\.place)
        do {
            // From here on, nothing is needed of what was kept for more images.
            pipeline.cache.removeAllFromMemory()
            MemoryPool.shared.trim()
            let format = OutputFormat(path: path)?.format ?? .png
            let options = plan.encoding.options
            // It runs alone by now, so it needs no part of the pipeline's budget.
            let queue = WorkQueue(name: "halcyon.contact-sheet", width: 1)
            let (data, size) = try await queue.run(priority: PriorityBox(.normal)) { _ in
                let sheet = try drawing.drawn(places)
                return (try ImageCodecs.standard.encode(sheet, as: format, options: options), sheet.size)
            }
            try await FileOutput.writeInBackground(data, to: path, source: "the contact sheet")
            if !plan.json { Terminal.print("Contact sheet: \(path) (\(size))") }
            return true
        } catch {
            Terminal.warn("the contact sheet could not be made: \(error)")
            return false
        }
    }
}

/// An image that is done: for further rounds, and for the contact sheet.
struct DoneImage: Sendable {
    /// The place in the list.
    let index: Int
    /// The place in the list of the first equal image, whose tile it shows.
    let place: Int
    let argument: SourceArgument
    /// The paths of its files.
    let outputs: [String?]
    /// Whether the files were there.
    let isSkipped: Bool
}

/// The images of a run, in their order.
struct ItemList: Sendable {
    enum Source: Sendable {
        case items([ListItem])
        case reader(ListReader)
    }

    let source: Source
    /// What an earlier report says; those that it has as done are left out.
    private(set) var earlier: ReportFile.Earlier?

    init(_ source: Source) {
        self.source = source
    }

    /// The number of images, if it is known.
    var count: Int? { if case .items(let items) = source { items.count } else { nil } }

    func without(_ earlier: ReportFile.Earlier, unless isIgnored: Bool) -> ItemList {
        var list = self
        list.earlier = isIgnored ? nil : earlier
        return list
    }
}
