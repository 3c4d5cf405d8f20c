internal import FoundationEssentials
internal import Halcyon
internal import HalcyonConcurrency

extension Player {
    /// Performs one step that is no barrier.
    func perform(_ step: Step) async {
        switch step {
        case .load(let call):
            let running = begin(call)
            if call.isAwaited { await wait(for: running) }
        case .cancel(let index):
            guard let running = running(index) else { return }
            model.cancel(running.id)
            running.cancel()
        case .prioritize(let index, let priority):
            running(index)?.prioritize(LoadPriority(rawValue: priority) ?? .normal)
        case .priorityStorm(let count):
            await changePriorities(count)
        case .prefetch(let resources, let toDisk, let variant):
            prefetch(resources, toDisk: toDisk, variant)
        case .prefetchSequence(let resources, let toDisk, let variant):
            prefetch(resources, toDisk: toDisk, variant, isSequence: true)
        case .clearSlot:
            slotChanges()
            slot.clear()
        case .metered(let isMetered):
            if isMetered { model.networkIsMetered() }
            network.status.isMetered = isMetered
        case .deliver(let index):
            origin.deliver(index)
        case .deliverPart(let index):
            origin.deliver(index, isPart: true)
        case .publish(let resource):
            origin.publish(resource)
        case .outage(let resource, let outage):
            // Before and after an outage caches may lose what they have.
            model.disturb([resource])
            origin.setOutage(resource, outage)
        case .advance(let seconds):
            model.clockMoves(by: seconds)
            clock.advance(by: Double(seconds))
        case .disk(let diskState):
            model.diskChanges()
            fileSystem.set(diskState)
        case .hold(let mark):
            holds.hold(mark)
        case .release:
            holds.release()
        case .pause:
            await comeToRest()
        case .settle, .restart:
            preconditionFailure("a barrier stands between groups")
        case .store, .remove, .removeResource, .removeAll, .removeFromDisk, .removeFromMemory, .clearMemory, .clearDisk,
            .memoryPressure,
            .trimDisk, .removeExpired, .flush:
            await maintain(step)
        }
    }

    /// Performs a step on the cache. Its errors come from the disk that a program made fail; the model then demands
    /// nothing.
    private func maintain(_ step: Step) async {
        let cache = pipeline.cache
        switch step {
        case .store(let identity):
            await store(identity)
        case .remove(let identity, let variant):
            await remove(.image(identity)) {
                for carrier in Call.scopes(of: identity) {
                    let call = Call(identity: identity, carrier: carrier, variant: variant)
                    try await cache.remove(for: ImageRequest(self.source(of: call), options: self.options(of: call)))
                }
            }
        case .removeResource(let resource):
            await remove(.resource(resource)) {
                try await cache.removeAll(originalsBeginningWith: SearchOrigin.url(resource).absoluteString)
            }
        case .removeAll:
            if planted == .crashes { fatalError("a planted crash") }
            if planted == .hangs { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
            await remove(.everything) { try await cache.removeAll() }
        case .removeFromDisk(let identity):
            model.disturb([identity.resource])
            let call = Call(identity: identity)
            _ = try? await cache.remove(for: ImageRequest(source(of: call), options: options(of: call)), from: .disk)
        case .removeFromMemory(let identity):
            let call = Call(identity: identity)
            _ = try? await cache.remove(for: ImageRequest(source(of: call), options: options(of: call)), from: .memory)
        case .clearMemory:
            cache.removeAllFromMemory()
        case .clearDisk:
            model.disturb(nil)
            try? await cache.removeAllFromDisk()
        case .memoryPressure(let isCritical):
            state.withLock { $0.pressure }?.tell(isCritical ? .critical : .warning)
        case .trimDisk:
            model.disturb(nil)
            try? await cache.trimDisk(to: 0)
        case .removeExpired:
            _ = try? await cache.removeExpired()
        case .flush:
            await cache.flush()
        default:
            break
        }
    }

    private func remove(_ scope: AnswerModel.Scope, _ body: () async throws -> Void) async {
        let removal = model.beginRemoval(scope, busy: origin.busy)
        do {
            try await body()
            model.endRemoval(removal)
        } catch {
            // The disk fails; its entries may come back.
        }
    }

    private func store(_ identity: Identity) async {
        let resource = program.resources[identity.resource]
        let (id, serial) = model.beginStore(of: identity)
        var isStored = false
        if let data = try? LabelledImage.encoded(
            serial: serial,
            isLarge: resource.isLarge,
            isAnimated: resource.isAnimated
        ) {
            let call = Call(identity: identity)
            isStored =
                (try? await pipeline.cache.store(data, for: ImageRequest(source(of: call), options: options(of: call))))
                ?? false
        }
        model.endStore(id, serial, isStored: isStored)
    }

    private func prefetch(_ resources: [Int], toDisk: Bool, _ variant: Variant, isSequence: Bool = false) {
        let id = model.begin(Set(resources))
        let completions = Lock(0)
        let onCompletion: @Sendable (PrefetchResult) -> Void = { [model] _ in
            let count = completions.withLock { count in
                count += 1
                return count
            }
            if count > 1 { model.report(.result, "a prefetcher told its completion \(count) times") }
        }
        let urls = resources.map { SearchOrigin.url($0) }
        let options = options(of: Call(variant: variant))
        let prefetcher =
            isSequence
            ? ImagePrefetcher(
                urls: urls,
                options: options,
                pipeline: pipeline,
                destination: toDisk ? .disk : .memory,
                maxConcurrentLoads: 2,
                collectsResults: true,
                onCompletion: onCompletion
            )
            : ImagePrefetcher(
                urls: urls,
                options: options,
                pipeline: pipeline,
                destination: toDisk ? .disk : .memory,
                maxConcurrentLoads: 2,
                onCompletion: onCompletion
            )
        prefetcher.start()
        let isStopped = Lock(false)
        let watcher = Task { [model] in
            let result = await prefetcher.run()
            let count = result.completed.count + result.skipped.count + result.failed.count
            // What was not yet taken from a sequence has no result.
            let isCut = isSequence && isStopped.withLock { $0 }
            if isCut ? count > Set(resources).count : count != Set(resources).count {
                model.report(.result, "a prefetcher of \(Set(resources).count) images ended with \(count) results")
            }
            model.end(id)
        }
        append(
            Running(id: id, watcher: watcher) {
                isStopped.withLock { $0 = true }
                prefetcher.stop()
            } prioritize: {
                prefetcher.priority = $0
            }
        )
    }

    /// Changes the priorities of callers that wait for the same work to the highest and the lowest in turn, so that the
    /// work's own priority changes often.
    private func changePriorities(_ count: Int) async {
        let tasks = state.withLock { Array($0.running.suffix(6)) }
        await withTaskGroup(of: Void.self) { group in
            for (number, task) in tasks.enumerated() {
                group.addTask {
                    for round in 0..<count {
                        task.prioritize((round + number).isMultiple(of: 2) ? .veryHigh : .veryLow)
                    }
                }
            }
        }
    }

    private func running(_ index: Int) -> Running? {
        state.withLock { state in
            guard !state.running.isEmpty else { return nil }
            return state.running[state.running.count - 1 - index % state.running.count]
        }
    }

    func append(_ running: Running) {
        state.withLock { $0.running.append(running) }
    }
}
