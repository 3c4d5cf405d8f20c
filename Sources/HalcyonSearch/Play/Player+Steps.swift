internal import FoundationEssentials
internal import Glibc
internal import Halcyon
internal import HalcyonIsolation
internal import HalcyonSystem

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
        case .setWidth(let index, let width):
            running(index)?.setWidth(width)
        case .configure:
            model.configurationChanges()
            configure()
        case .metered(let isMetered):
            if isMetered { model.networkIsMetered() }
            network.status.isMetered = isMetered
        case .deliver(let index):
            origin.deliver(index)
        case .deliverPart(let index):
            origin.deliver(index, isPart: true)
        case .publish(let resource):
            origin.publish(resource)
        case .replaceFile(let resource):
            replaceFile(of: resource)
        case .outage(let resource, let outage):
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
        case .killWorkers:
            model.workersAreKilled()
            await killWorkers()
        case .pause:
            await comeToRest()
        case .settle, .restart:
            preconditionFailure("a barrier stands between groups")
        case .store, .remove, .removeResource, .removeAll, .removeFromDisk, .removeFromMemory, .clearMemory, .clearDisk,
            .memoryPressure, .trimDisk, .removeExpired, .flush, .look:
            await maintain(step)
        }
    }

    /// Ends the processes that decode, and for a moment each one that takes the place of another.
    private func killWorkers() async {
        for _ in 0..<10 {
            let zygote = WorkerPool.shared.zygoteProcess() ?? 0
            let children = FileManager.default.contents(atPath: "/proc/\(zygote)/task/\(zygote)/children") ?? Data()
            for process in String(decoding: children, as: UTF8.self).split(separator: " ").compactMap({ pid_t($0) }) {
                kill(process, SIGKILL)
            }
            await Sleep.briefly()
        }
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

    /// Replaces the file of a resource at once, as editors do. Its time is the number of its image, so that two files that
    /// have the same number of the file system, one after the other, are never taken for the same.
    func replaceFile(of resource: Int) {
        let properties = program.resources[resource]
        let path = self.path(ofFile: resource)
        files.withLock { _ in
            model.replaceFile(of: resource) { serial in
                do {
                    let data = try LabelledImage.encoded(
                        serial: serial,
                        isLarge: properties.isLarge,
                        isAnimated: properties.isAnimated
                    )
                    let folder = URL(filePath: path).deletingLastPathComponent()
                    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                    try data.write(to: URL(filePath: path + ".new"))
                    let time = Date(timeIntervalSince1970: Double(serial))
                    try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: path + ".new")
                } catch {
                    preconditionFailure("a file that can be written: \(error)")
                }
                rename(path + ".new", path)
            }
        }
    }

    /// Returns the path of the file of a resource.
    func path(ofFile resource: Int) -> String { "\(folder)/files/r\(resource)" }

    func running(_ index: Int) -> Running? {
        state.withLock { state in
            guard !state.running.isEmpty else { return nil }
            return state.running[state.running.count - 1 - index % state.running.count]
        }
    }

    func append(_ running: Running) {
        state.withLock { $0.running.append(running) }
    }
}
