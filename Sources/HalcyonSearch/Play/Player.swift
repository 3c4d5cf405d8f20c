internal import Dispatch
internal import FoundationEssentials
internal import HTTPTypes
internal import Halcyon
internal import HalcyonConcurrency
internal import HalcyonTesting

/// Plays a program against a real pipeline over an origin of its own, and reports the rule that it breaks.
final class Player: Sendable {
    /// A call that goes on.
    struct Running: Sendable {
        let id: Int
        let watcher: Task<Void, Never>
        let cancel: @Sendable () -> Void
        let prioritize: @Sendable (LoadPriority) -> Void
    }

    struct State {
        var pipeline: ImagePipeline?
        var pressure: MemoryPressureMonitor?
        /// The running calls, in the order in which they began.
        var running: [Running] = []
        var step = "none"
        var slot: ImageSlot?
        /// The downloader of calls that name one.
        var otherDownloader: ImageDownloader?
        /// The number of loads that the slots were given, and of times that they were cleared.
        var slotChangeCount = 0
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
    /// The image of each resource as a text.
    let texts: [String]
    let folder: String
    let planted: PlantedDefect?
    let state = Lock(State())

    /// - Parameter folder: The folder for the disk cache, which does not exist yet.
    init(program: Program, folder: String, conditions: Conditions = Conditions()) {
        let planted = conditions.planted
        self.program = program
        self.folder = folder
        self.planted = planted
        let model = AnswerModel(resources: program.resources, ignoring: conditions.ignored)
        self.model = model
        texts = program.resources.enumerated().map { number, resource in
            let serial = model.imageIsSent(to: Identity(resource: number, form: .base64), isFixed: true)
            return LabelledImage.text(serial: serial, resource)
        }
        origin = SearchOrigin(program: program, model: model, planted: planted)
    }

    /// Plays the whole program.
    ///
    /// - Returns: The first rule that was broken.
    func play() async -> Finding? {
        start()
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

    /// The slot of the present pipeline.
    var slot: ImageSlot {
        guard let slot = state.withLock({ $0.slot }) else {
            preconditionFailure("steps run between start and stop")
        }
        return slot
    }

    /// The downloader beside that of the present pipeline.
    var otherDownloader: ImageDownloader? { state.withLock { $0.otherDownloader } }

    /// Notes that the slot is given a load, or cleared.
    func slotChanges() {
        state.withLock { $0.slotChangeCount += 1 }
    }

    /// The number of such changes so far.
    var slotChangeCount: Int { state.withLock { $0.slotChangeCount } }

    func start() {
        var disk = DiskCache.Configuration(folder: folder)
        disk.fileSystem = fileSystem
        disk.clock = clock.clock
        disk.sizeLimit = 64 << 20
        let pressure = MemoryPressureMonitor(sources: MemoryPressureSources(stallFiles: [], eventsFile: nil))
        let cache = ImageCache(disk: disk, memoryCostLimit: 64 << 20, memoryPressure: pressure)
        var downloads = ImageDownloader.Configuration()
        downloads.memoryThreshold = 10_000
        downloads.temporaryFolder = TemporaryFolder.path
        var options = ImageOptions()
        if let name = SearchOrigin.configuredField { options.network.headers[name] = "1" }
        let pipeline = ImagePipeline(
            configuration: .init(
                downloader: ImageDownloader(transport: origin, configuration: downloads),
                cache: cache,
                defaultOptions: options,
                workerCount: 4,
                decodeBudget: 64 << 20,
                recovery: RecoveryConfiguration(network: network)
            )
        )
        state.withLock { state in
            state.pipeline = pipeline
            state.slot = ImageSlot(pipeline: pipeline)
            state.otherDownloader = ImageDownloader(transport: origin, configuration: downloads)
            state.pressure = pressure
        }
    }
}

extension Program {
    /// The steps up to a barrier, by lanes.
    struct Group: Sendable {
        var lanes: [[Step]]
        var barrier: Step?
    }

    var groups: [Group] {
        var groups: [Group] = []
        var lanes: [Int: [Step]] = [:]
        func close(_ barrier: Step?) {
            groups.append(Group(lanes: lanes.sorted { $0.key < $1.key }.map(\.value), barrier: barrier))
            lanes = [:]
        }
        for line in lines {
            if line.step.isBarrier { close(line.step) } else { lanes[line.lane, default: []].append(line.step) }
        }
        close(nil)
        return groups
    }
}
