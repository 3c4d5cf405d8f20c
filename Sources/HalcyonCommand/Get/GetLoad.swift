internal import FoundationEssentials
internal import Halcyon
internal import HalcyonSystem

/// Loads one image of a run, and writes its files.
struct GetLoad: Sendable {
    let pipeline: ImagePipeline
    let options: [ImageOption]
    let writer: OutputWriter
    let variants: [OutputVariant]
    let display: ProgressDisplay
    let failures: HostFailures
    /// The contact sheet; `nil` where none is drawn.
    let sheet: ContactSheet?
    let cacheUse: CacheUse?
    /// Whether results have their timeline.
    let trace: Bool

    /// Whether what is in the cache is compared with the server's.
    private var refreshes: Bool { cacheUse == .refresh }

    /// Returns the results for the files of an image: for all, up to the first that failed, or up to those that were
    /// written when it was cancelled.
    ///
    /// - Parameter written: The paths of the files that an earlier round wrote; `nil` for an image that is not done yet.
    func results(for item: ListItem, written: [String?]? = nil) async -> [GetResult] {
        let start = Date()
        let attempts = Lock<[String]>([])
        var results: [GetResult] = []
        do {
            try item.check()
            let state = item.argument.path.flatMap(FileOrigin.state)
            let base = written == nil ? try await base(for: item, attempts) : nil
            for (place, variant) in variants.enumerated() {
                var origin = writer.origin(of: item, variant)
                origin.source = state
                var outcome = try await outcome(
                    for: item,
                    variant,
                    origin,
                    base,
                    written: written.map { $0[place] },
                    attempts
                )
                if !trace, case .loaded(var loaded) = outcome {
                    loaded.metrics = nil
                    outcome = .loaded(loaded)
                }
                results.append(result(outcome, for: item, place, since: start))
            }
            // Failures are noted at each attempt. What was there says nothing of the host.
            if let host = item.argument.hostAndPort, results.contains(where: \.isFromNetwork) {
                failures.note(nil, of: host)
            }
        } catch is CancellationError {
            // What is written stays written.
        } catch {
            let error =
                error as? ImageError
                ?? ImageError(stage: .load, reason: .provider("\(error)"), source: item.argument.text)
            results.append(result(.failed(error), for: item, results.count, since: start))
        }
        for place in results.indices { results[place].attempts = attempts.withLock { $0 } }
        return results
    }

    /// Returns the result for a file of an image, by the place of its variant.
    func result(
        _ outcome: GetResult.Outcome,
        for item: ListItem,
        _ place: Int,
        since start: Date = Date()
    ) -> GetResult {
        GetResult(
            index: item.index,
            argument: item.argument,
            outcome: outcome,
            request: writer.origin(of: item, variants[place]).request,
            times: start...max(start, Date()),
            name: item.name
        )
    }

    private func outcome(
        for item: ListItem,
        _ variant: OutputVariant,
        _ origin: FileOrigin,
        _ base: ImageResponse?,
        written: String??,
        _ attempts: Lock<[String]>
    ) async throws -> GetResult.Outcome {
        let there = written == nil ? try await writer.written(item, variant, origin) : nil
        if let there, !refreshes {
            if let sheet { try await addFile(there.path, to: sheet, at: item.index) }
            return .skipped(.init(output: there.path, byteCount: there.byteCount))
        }
        // Before anything is transferred.
        if written == nil, let problem = writer.problem(of: item, variant, origin) { throw problem }
        let source = try await item.argument.sourceOrStandardInput()
        guard let format = writer.format(for: item, variant) else {
            let options = loadOptions(variant.processing, attempts)
            return .loaded(try await load(item, source, options, written == nil ? sheet : nil))
        }
        let progress = Lock(ImageProgress())
        let bar = display.begin { progress.withLock { $0 } }
        defer { display.end(bar) }
        let image = try await whole(item) { further -> ImageMaker.Made in
            let options = loadOptions(.identity, attempts) + further
            let maker = ImageMaker(pipeline: pipeline, options: options, writer: writer) { update in
                progress.withLock { $0 = update }
            }
            if let base { return try await maker.image(from: base, for: item, variant) }
            return try await maker.image(from: source, for: item, variant, as: format)
        } isCut: {
            base == nil && $0.loaded.isPartial && $0.loaded.source == .disk
        }
        var loaded = image.loaded
        if let written {
            loaded.output = written
            return .loaded(loaded)
        }
        loaded = try await writer.write(image.data, of: loaded, item, variant, origin, unlessIn: there)
        if let sheet { try await add(image.data, loaded.format, to: sheet, at: item.index) }
        return .loaded(loaded)
    }

    /// Loads the largest of several sizes, of which the others are made; `nil` where each is made by itself: one size alone,
    /// animations, and results with metadata.
    private func base(for item: ListItem, _ attempts: Lock<[String]>) async throws -> ImageResponse? {
        guard let chain = variants[0].base, variants.count > 1, writer.metadata == nil, item.argument.isLasting else {
            return nil
        }
        var missing = 0
        for variant in variants {
            let origin = writer.origin(of: item, variant)
            if !refreshes, try await writer.written(item, variant, origin) != nil { continue }
            guard writer.problem(of: item, variant, origin) == nil else { return nil }
            missing += 1
        }
        guard missing > 1 else { return nil }
        let options = loadOptions(chain, attempts) + writer.options(for: item, variants[0])
        let response = try await response(item, try item.argument.source(), options)
        return response.image.info.isAnimated ? nil : response
    }

    /// Loads an image, and asks its server once more where the cache has it cut short.
    private func response(_ item: ListItem, _ source: Source, _ options: [ImageOption]) async throws -> ImageResponse {
        try await whole(item) { further -> ImageResponse in
            let task = pipeline.task(for: ImageRequest(source, options: options + further))
            let bar = display.begin { task.progress }
            defer { display.end(bar) }
            return try await task.response
        } isCut: {
            $0.image.isPartial && $0.source == .disk
        }
    }

    /// Makes a result, and once more of what the server has by now if the cache has the image cut short. It is the first
    /// result again where the server cannot be asked.
    private func whole<Made>(
        _ item: ListItem,
        make: ([ImageOption]) async throws -> Made,
        isCut: (Made) -> Bool
    ) async throws -> Made {
        let made = try await make([])
        guard cacheUse == nil || refreshes, item.argument.hostAndPort != nil, isCut(made) else { return made }
        do {
            // Not by its validator, which the cache has with the bytes that are cut short.
            return try await make([.forceRefresh])
        } catch let error as CancellationError {
            throw error
        } catch {
            return made
        }
    }

    private func loadOptions(_ processing: ImageProcessorChain, _ attempts: Lock<[String]>) -> [ImageOption] {
        var options = options
        if processing != .identity { options.append(.processor(processing)) }
        if trace { options.append(.observers(AttemptObserver(attempts: attempts))) }
        return options
    }

    /// Loads an image into the cache.
    private func load(
        _ item: ListItem,
        _ source: Source,
        _ options: [ImageOption],
        _ sheet: ContactSheet?
    ) async throws -> GetResult.Loaded {
        let response = try await response(item, source, options)
        if let sheet { try await pipeline.withPixels(of: response.image) { try sheet.add($0, at: item.index) } }
        return GetResult.Loaded(response)
    }

    /// Adds the pixels of what was written, reduced while they are decoded: the image itself may be in no cache, and would
    /// be loaded once more.
    private func add(_ data: Data, _ format: ImageFormat, to sheet: ContactSheet, at index: Int) async throws {
        try await add(.data(data), isPAM: format == .pam, to: sheet, at: index)
    }

    /// Adds the image of a file that was there.
    private func addFile(_ path: String, to sheet: ContactSheet, at index: Int) async throws {
        try await add(.file(path), isPAM: path.hasSuffix(".pam"), to: sheet, at: index)
    }

    private func add(_ source: Source, isPAM: Bool, to sheet: ContactSheet, at index: Int) async throws {
        let largest = ContactSheet.largestTile
        var options: [ImageOption] = [.noCache, .processor(.resize(to: .pixels(largest), mode: .fit, enlarges: false))]
        if isPAM { options.append(.codecs(ImageCodecs(decoders: [WrittenPAMDecoder()], encoders: []))) }
        let image = try await pipeline.image(from: ImageRequest(source, options: options))
        try await pipeline.withPixels(of: image) { try sheet.add($0, at: index) }
    }
}

/// Notes a line for each attempt to load an image from its server.
private struct AttemptObserver: LoadObserving {
    let attempts: Lock<[String]>

    func observe(_ observation: LoadObservation) {
        guard case .transferred(let report) = observation.activity, !report.isCancelled else { return }
        let result =
            report.error?.message
            ?? "status \(report.status.map(String.init) ?? "–"), \(Format.bytes(report.byteCount))"
        attempts.withLock { attempts in
            attempts.append("attempt \(attempts.count + 1): \(result), \(Format.milliseconds(report.duration)) ms")
        }
    }

    static func == (left: AttemptObserver, right: AttemptObserver) -> Bool { left.attempts === right.attempts }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(attempts)) }
}
