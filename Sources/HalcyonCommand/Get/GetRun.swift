internal import Halcyon
internal import HalcyonConcurrency

/// One run of `halcyon get`.
struct GetRun: Sendable {
    private let command: GetCommand
    private let pipeline: ImagePipeline
    private let arguments: [SourceArgument]
    /// For each argument, the index of the first equal one: an image that is named twice is loaded once.
    private let firsts: [Int]
    private let options: ImageOptions
    private let writer: OutputWriter
    private let sheet: ContactSheet?

    init(_ command: GetCommand) {
        self.command = command
        pipeline = ImagePipeline(configuration: .init(cache: command.cacheArguments.cache()))
        let arguments = command.urls.map(SourceArgument.init(text:))
        self.arguments = arguments
        var known: [SourceArgument: Int] = [:]
        firsts = arguments.indices.map { index in
            defer { known[arguments[index]] = known[arguments[index]] ?? index }
            return known[arguments[index]] ?? index
        }
        sheet = command.sheet.map { _ in ContactSheet(imageCount: arguments.count) }
        // The original is kept as well, so that another size of it needs no network.
        // Each load waits for its storing, so that no more of it is held than there are loads at a time.
        var options: [ImageOption] = [
            .processor(command.resizing.processing), .cacheOriginalImage, .waitForCache,
        ]
        if let cacheUse = command.cacheUse { options.append(cacheUse.option) }
        self.options = ImageOptions(options)
        writer = OutputWriter(
            output: command.output,
            format: command.format.flatMap(OutputFormat.init(name:)),
            resizing: command.resizing,
            encodeOptions: command.encoding.options,
            arguments: arguments
        )
    }

    /// Loads everything, in each requested round; returns `false` if anything failed.
    func run() async -> Bool {
        do {
            try writer.prepare()
        } catch {
            refuse(error)
            return false
        }
        var isSuccess = true
        // What is done, with the paths of files.
        var written: [Int: String?] = [:]
        for round in 1...command.repeat {
            let display = ProgressDisplay(total: Set(firsts).count, isShown: Terminal.isInteractive && !command.json)
            let results = await load(display: display, written: written)
            display.finish()
            if Task.isCancelled { break }
            for (index, result) in zip(arguments.indices, results) {
                if case .success(let loaded) = result.outcome {
                    written.updateValue(loaded.output, forKey: index)
                } else {
                    isSuccess = false
                }
            }
            report(results, round: round)
            // Further rounds have no reader left.
            if Terminal.outputState == .closed { break }
        }
        // After the last round, because drawing empties the memory cache.
        if let sheet = command.sheet, !Task.isCancelled {
            isSuccess = await drawSheet(of: written, path: sheet) && isSuccess
        }
        // The next run is to have what this one has asked for.
        await pipeline.waitForRefreshes()
        await pipeline.cache.flush()
        if command.stats { reportStatistics() }
        return isSuccess
    }

    /// Runs one round: a bounded number of loads at a time, with the results in the order of the arguments.
    private func load(display: ProgressDisplay, written: [Int: String?]) async -> [GetResult] {
        await withTaskGroup(of: (Int, GetResult).self) { group in
            var results: [Int: GetResult] = [:]
            var waiting = Set(firsts).sorted()[...]
            var running = 0
            while running < command.concurrency, let index = waiting.popFirst() {
                group.addTask { (index, await load(at: index, display: display, written: written[index])) }
                running += 1
            }
            for await (index, result) in group {
                results[index] = result
                guard !group.isCancelled, let index = waiting.popFirst() else { continue }
                group.addTask { (index, await load(at: index, display: display, written: written[index])) }
            }
            // Each under the text that the person gave.
            return zip(arguments, firsts).compactMap { argument, first in
                results[first].map { GetResult(argument: argument, outcome: $0.outcome) }
            }
        }
    }

    /// - Parameter written: The path of the file that an earlier round wrote, if it wrote one; `nil` if the image is not
    ///   done yet.
    private func load(at index: Int, display: ProgressDisplay, written: String??) async -> GetResult {
        let argument = arguments[index]
        do {
            let request = ImageRequest(try argument.source(), options: options)
            // The sheet is drawn once: further rounds load the same images.
            let tiles = written == nil ? sheet : nil
            var loaded =
                if let format = writer.format {
                    try await loadEncoded(request, as: format, at: index, display, written: written, tiles)
                } else {
                    try await load(request, at: index, display, tiles)
                }
            if !command.trace { loaded.metrics = nil }
            if loaded.isPartial, !command.json {
                display.interrupt { Terminal.warn(Terminal.partialImage(argument.shownText)) }
            }
            return GetResult(argument: argument, outcome: .success(loaded))
        } catch let error as ImageError {
            display.fail()
            if !command.json { display.interrupt { Terminal.warn("\(error)") } }
            return GetResult(argument: argument, outcome: .failure(error))
        } catch {
            // The pipeline throws nothing else but cancellation, and results of a cancelled round are not shown.
            let failure = ImageError(stage: .load, reason: .provider("\(error)"), source: argument.text)
            return GetResult(argument: argument, outcome: .failure(failure))
        }
    }

    /// Loads an image into the cache.
    private func load(
        _ request: ImageRequest,
        at index: Int,
        _ display: ProgressDisplay,
        _ tiles: ContactSheet?
    ) async throws -> GetResult.Loaded {
        let task = pipeline.task(for: request)
        let bar = display.begin { task.progress }
        defer { display.end(bar) }
        let response = try await task.response
        if let tiles { try await pipeline.withPixels(of: response.image) { try tiles.add($0, at: index) } }
        return GetResult.Loaded(response)
    }

    /// Loads an image, and writes it encoded.
    private func loadEncoded(
        _ request: ImageRequest,
        as format: EncodedImageFormat,
        at index: Int,
        _ display: ProgressDisplay,
        written: String??,
        _ tiles: ContactSheet?
    ) async throws -> GetResult.Loaded {
        let progress = Lock(ImageProgress())
        let bar = display.begin { progress.withLock { $0 } }
        defer { display.end(bar) }
        let image = try await pipeline.encoded(for: request, as: format) { update in progress.withLock { $0 = update } }
        if let written {
            var loaded = GetResult.Loaded(image)
            loaded.output = written
            return loaded
        }
        let loaded = try await writer.write(image, at: index)
        guard let tiles else { return loaded }
        // The pixels of what was written, reduced while they are decoded: the image itself may be in no cache, and would
        // be loaded once more.
        let codecs = image.format == .pam ? ImageCodecs(decoders: [WrittenPAMDecoder()], encoders: []) : nil
        try await pipeline.withPixels(of: image, fitting: ContactSheet.largestTile, codecs: codecs) { bitmap in
            try tiles.add(bitmap, at: index)
        }
        return loaded
    }

    /// Reports why no load could be started.
    private func refuse(_ error: ImageError) {
        guard command.json else { return Terminal.warn("\(error)") }
        for argument in arguments {
            Terminal.print(JSONLine.text(GetResult(argument: argument, outcome: .failure(error)).record))
        }
    }

    private func report(_ results: [GetResult], round: Int) {
        if command.json {
            for result in results { Terminal.print(JSONLine.text(result.record)) }
        } else {
            if round > 1 { Terminal.print("") }
            if command.repeat > 1 { Terminal.print("Round \(round)") }
            for line in GetTable(results).lines(width: Terminal.resultWidth) { Terminal.print(line) }
        }
        guard command.trace else { return }
        for result in results {
            for line in TraceReport(result).lines {
                // Programs read the results, so the timelines go to the error output.
                if command.json { Terminal.note(line) } else { Terminal.print(line) }
            }
        }
    }

    private func reportStatistics() {
        let report = StatisticsReport(pipeline.statistics)
        guard !command.json else { return Terminal.print(JSONLine.text(report.record)) }
        Terminal.print("")
        for line in report.lines { Terminal.print(line) }
    }

    /// Draws the contact sheet of the images that were loaded, in the order of the arguments.
    ///
    /// - Parameter written: The images that were loaded, with the paths of their files.
    private func drawSheet(of written: [Int: String?], path: String) async -> Bool {
        let loaded = firsts.filter { written[$0] != nil }
        guard let drawing = sheet, !loaded.isEmpty else { return true }
        let images = written.values.compactMap(\.self) + arguments.compactMap(\.path)
        guard !images.contains(where: { FileOutput.isSameFile($0, path) }) else {
            Terminal.warn("the contact sheet could not be made: \(path) is one of its images")
            return false
        }
        do {
            // From here on, nothing is needed of what was kept for more images.
            pipeline.cache.removeAllFromMemory()
            MemoryPool.shared.trim()
            let format = OutputFormat(path: path)?.format ?? .png
            let options = command.encoding.options
            // It runs alone by now, so it needs no part of the pipeline's budget.
            let queue = WorkQueue(name: "halcyon.contact-sheet", width: 1)
            let (data, size) = try await queue.run(priority: PriorityBox(.normal)) { _ in
                let sheet = try drawing.drawn(loaded)
                return (try ImageCodecs.standard.encode(sheet, as: format, options: options), sheet.size)
            }
            try await FileOutput.writeInBackground(data, to: path, source: "the contact sheet")
            if !command.json { Terminal.print("Contact sheet: \(path) (\(size))") }
            return true
        } catch {
            Terminal.warn("the contact sheet could not be made: \(error)")
            return false
        }
    }
}
