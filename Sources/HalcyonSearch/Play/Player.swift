internal import Dispatch
internal import FoundationEssentials
internal import HTTPTypes
internal import Halcyon
internal import HalcyonSystem
internal import HalcyonTesting

/// Plays a program against a real pipeline over an origin of its own, and reports the rule that it breaks.
final class Player: Sendable {
    /// A call that goes on.
    struct Running: Sendable {
        let id: Int
        let watcher: Task<Void, Never>
        let cancel: @Sendable () -> Void
        let prioritize: @Sendable (LoadPriority) -> Void
        /// Sets the number of loads at a time; of a single load, nothing.
        var setWidth: @Sendable (Int) -> Void = { _ in }
    }

    struct State {
        var pipeline: ImagePipeline?
        /// The other pipeline over the same caches.
        var otherPipeline: ImagePipeline?
        var caches: CacheSet?
        /// The observer of the configuration; `nil` if there is none.
        var observer: LoadRecorder?
        /// The number of the configuration of the pipeline's downloader.
        var configuration = 0
        var pressure: MemoryPressureMonitor?
        /// The running calls, in the order in which they began.
        var running: [Running] = []
        var step = "none"
        /// The task whose place the next superseding one takes.
        var latest: (id: Int, task: ImageTask)?
        /// The downloader of calls that name one.
        var otherDownloader: ImageDownloader?
    }

    let program: Program
    let model: AnswerModel
    let origin: SearchOrigin
    let holds = ProcessorHolds()
    let fileSystem = FailingFileSystem()
    let clock = ManualStoreClock()
    let network = ManualNetwork()
    /// The queue of callbacks.
    let callbacks = DispatchQueue(label: "halcyon.search-callbacks")
    /// The images of each resource as texts.
    let texts: [SourceForm: [String]]
    let folder: String
    let planted: PlantedDefect?
    /// The observer of calls that name one.
    let callObserver: LoadRecorder
    /// The threads of calls that name some.
    let workers: PixelWorkers
    /// The lock that is held while a file is replaced.
    let files = Lock(())
    let state = Lock(State())

    /// - Parameter folder: The folder for the disk cache, which does not exist yet.
    init(program: Program, folder: String, conditions: Conditions = Conditions()) {
        let planted = conditions.planted
        self.program = program
        self.folder = folder
        self.planted = planted
        workers = PixelWorkers(threadCount: 2, byteBudget: program.decodeBudget ?? 64 << 20)
        let model = AnswerModel(
            resources: program.resources,
            isUntrusted: program.isUntrusted == true,
            ignoring: conditions.ignored
        )
        self.model = model
        callObserver = LoadRecorder(model: model)
        let forms = [SourceForm.base64, .dataURL].map { form in
            let texts = program.resources.enumerated().map { number, resource in
                let serial = model.imageIsSent(to: Identity(resource: number, form: form), isFixed: true)
                return LabelledImage.text(serial: serial, resource)
            }
            return (form, texts)
        }
        texts = Dictionary(uniqueKeysWithValues: forms)
        origin = SearchOrigin(program: program, model: model, planted: planted)
    }

    /// Plays the whole program.
    ///
    /// - Returns: The first rule that was broken.
    func play() async -> Finding? {
        start()
        if program.readsFiles {
            for resource in program.resources.indices { replaceFile(of: resource) }
        }
        for group in program.groups {
            await play(group)
            if let finding = model.finding {
                await abandon()
                return finding
            }
        }
        await settle(flushes: true)
        await examine()
        await end()
        return model.finding
    }

    private func play(_ group: Program.Group) async {
        if group.lanes.count == 1, let lane = group.lanes.first {
            await play(lane)
        } else {
            await withTaskGroup(of: Void.self) { tasks in
                for lane in group.lanes {
                    tasks.addTask { await self.play(lane) }
                }
            }
        }
        switch group.barrier {
        case .restart:
            await settle(flushes: true)
            await stop()
            start()
        case .settle(let flushes):
            await settle(flushes: flushes)
        default:
            break
        }
    }

    private func play(_ steps: [Step]) async {
        for step in steps {
            guard model.finding == nil else { return }
            state.withLock { $0.step = "\(step)" }
            await perform(step)
        }
    }

    /// The description of what is going on, for the case that it does not end.
    var report: String {
        let step = state.withLock { "\($0.step); \($0.running.count) calls begun since the last barrier" }
        return
            "last step: \(step); \(origin.waitingCount) transfers wait for an answer, \(origin.unfinishedCount) go on"
    }
}

extension Player {
    /// The present pipeline.
    var pipeline: ImagePipeline {
        guard let pipeline = state.withLock({ $0.pipeline }) else {
            preconditionFailure("steps run between start and stop")
        }
        return pipeline
    }

    /// The pipelines over the present caches.
    var pipelines: [ImagePipeline] { state.withLock { [$0.pipeline, $0.otherPipeline].compactMap(\.self) } }

    /// Returns the pipeline that a call is made to.
    func pipeline(of call: Call) -> ImagePipeline {
        let other = call.isOfOtherPipeline == true ? state.withLock { $0.otherPipeline } : nil
        return other ?? pipeline
    }

    /// The cache of the present pipeline, and those beside it.
    var caches: CacheSet {
        guard let caches = state.withLock({ $0.caches }) else {
            preconditionFailure("steps run between start and stop")
        }
        return caches
    }

    /// The downloader beside that of the present pipeline.
    var otherDownloader: ImageDownloader? { state.withLock { $0.otherDownloader } }
}
