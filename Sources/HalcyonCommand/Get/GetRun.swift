internal import Halcyon

/// One run of `halcyon get`.
struct GetRun: Sendable {
    private let command: GetCommand
    private let pipeline: ImagePipeline
    private let arguments: [SourceArgument]
    private let options: [ImageOption]
    private let writer: OutputWriter

    init(_ command: GetCommand) {
        self.command = command
        pipeline = ImagePipeline(configuration: .init(cache: command.cacheArguments.cache()))
        arguments = command.urls.map(SourceArgument.init(text:))
        // The original is kept as well, so that another size of it needs no network.
        var options: [ImageOption] = [.processor(command.resizing.processing), .cacheOriginalImage]
        if let cacheUse = command.cacheUse { options.append(cacheUse.option) }
        self.options = options
        writer = OutputWriter(
            output: command.output,
            format: command.format.flatMap(OutputFormat.init(name:)),
            keepsOriginal: command.resizing.resize == nil,
            encodeOptions: command.encoding.options,
            arguments: arguments
        )
    }

    /// Loads everything, as often as asked for; `false` if anything failed.
    func run() async -> Bool {
        do {
            try writer.prepare()
        } catch {
            Terminal.warn("\(error)")
            return false
        }
        var isSuccess = true
        for round in 1...command.repeat {
            let display = ProgressDisplay(total: arguments.count, isShown: Terminal.isInteractive && !command.json)
            let results = await load(display: display, writes: round == 1)
            display.finish()
            isSuccess = isSuccess && results.allSatisfy { (try? $0.outcome.get()) != nil }
            report(results, round: round)
            if round == 1, let sheet = command.sheet {
                isSuccess = drawSheet(of: results, path: sheet) && isSuccess
            }
        }
        await pipeline.cache.flush()
        return isSuccess
    }

    /// One round: a bounded number of loads at a time, the results in the order of the arguments.
    private func load(display: ProgressDisplay, writes: Bool) async -> [GetResult] {
        await withTaskGroup(of: (Int, GetResult).self) { group in
            var results: [GetResult?] = Array(repeating: nil, count: arguments.count)
            var next = 0
            while next < min(command.concurrency, arguments.count) {
                group.addTask { [next] in (next, await load(at: next, display: display, writes: writes)) }
                next += 1
            }
            for await (index, result) in group {
                results[index] = result
                if next < arguments.count {
                    group.addTask { [next] in (next, await load(at: next, display: display, writes: writes)) }
                    next += 1
                }
            }
            return results.compactMap { $0 }
        }
    }

    private func load(at index: Int, display: ProgressDisplay, writes: Bool) async -> GetResult {
        let argument = arguments[index]
        let task = pipeline.task(for: argument.source, options: options)
        let bar = display.begin(task)
        defer { display.end(bar) }
        do {
            let response = try await task.response
            let loaded = try await writer.write(response, at: index, isNeeded: writes, pipeline: pipeline)
            return GetResult(argument: argument, outcome: .success(loaded))
        } catch let error as ImageError {
            display.fail()
            if !command.json { display.interrupt { Terminal.warn("\(error)") } }
            return GetResult(argument: argument, outcome: .failure(error))
        } catch {
            // The pipeline throws nothing else but cancellation, and nothing here cancels.
            let failure = ImageError(stage: .load, reason: .provider("\(error)"), source: argument.text)
            return GetResult(argument: argument, outcome: .failure(failure))
        }
    }

    private func report(_ results: [GetResult], round: Int) {
        if command.json {
            for result in results { Terminal.print(JSONLine.text(result.record)) }
        } else {
            if command.repeat > 1 { Terminal.print(round == 1 ? "Round 1" : "\nRound \(round)") }
            for line in GetTable(results).lines { Terminal.print(line) }
        }
        guard command.trace else { return }
        for result in results {
            for line in TraceReport(result).lines {
                // Programs read the results, so the timelines go elsewhere.
                if command.json { Terminal.writeError(line + "\n") } else { Terminal.print(line) }
            }
        }
    }

    private func drawSheet(of results: [GetResult], path: String) -> Bool {
        let bitmaps = results.compactMap { try? $0.outcome.get().response.image.bitmap }
        guard !bitmaps.isEmpty else { return true }
        do {
            let sheet = try ContactSheet(bitmaps).drawn()
            let format = OutputFormat(path: path)?.format ?? .png
            let data = try ImageCodecs.standard.encode(sheet, as: format, options: command.encoding.options)
            try FileOutput.write(data, to: path, source: "the contact sheet")
            if !command.json { Terminal.print("Contact sheet: \(path) (\(sheet.size))") }
            return true
        } catch {
            Terminal.warn("the contact sheet could not be made: \(error)")
            return false
        }
    }
}
