/// One public call, or one event that happens to the pipeline from outside.
enum Step: Hashable, Codable, Sendable {
    /// Loads an image.
    case load(Call)
    /// Cancels one of the running tasks, counted from the one that began last.
    case cancel(Int)
    /// Gives one of the running tasks another priority.
    case prioritize(Int, Int)
    /// Changes the priorities of the tasks that began last, all at the same time, each so many times.
    case priorityStorm(Int)
    /// Prefetches resources into memory or onto the disk.
    case prefetch([Int], toDisk: Bool, Variant)
    /// Prefetches a sequence of resources.
    case prefetchSequence([Int], toDisk: Bool, Variant)
    /// Sets the number of loads at a time of one of the running prefetchers, counted like the tasks.
    case setWidth(Int, Int)

    /// Asks the cache of a call whether it contains its image.
    case look(Call)
    /// Stores the bytes of an original in the cache.
    case store(Identity)
    /// Removes an original and what was made of it, named by the request of one of its variants.
    case remove(Identity, Variant)
    /// Removes all that was made of a resource, by the prefix of its URL.
    case removeResource(Int)
    /// Removes everything.
    case removeAll
    /// Removes an original and what was made of it from disk alone.
    case removeFromDisk(Identity)
    /// Removes an original and what was made of it from memory alone.
    case removeFromMemory(Identity)
    /// Clears the memory cache.
    case clearMemory
    /// Clears the disk cache.
    case clearDisk
    /// Evicts from memory as under memory pressure; `true`: critical.
    case memoryPressure(Bool)
    /// Evicts everything from disk.
    case trimDisk
    /// Removes the entries that have expired.
    case removeExpired
    /// Waits until everything that was stored is on disk.
    case flush

    /// Answers one of the transfers that wait, counted from the oldest.
    case deliver(Int)
    /// Sends the head and half of the body.
    case deliverPart(Int)
    /// Gives a resource new images from now on.
    case publish(Int)
    /// Replaces the file of a resource by one with a new image.
    case replaceFile(Int)
    /// Sets the answer of the origin for a resource from now on.
    case outage(Int, Outage)
    /// Replaces the transport of the downloader, and a header that it adds to requests.
    case configure
    /// Makes the network metered, or not.
    case metered(Bool)
    /// Moves the clocks, in seconds.
    case advance(Int)
    /// Sets the state of the file system from now on.
    case disk(DiskState)
    /// Keeps a processor from ending.
    case hold(UInt8)
    /// Lets all processors end.
    case release
    /// Ends the confined processes that decode, whatever they do at the moment.
    case killWorkers
    /// Waits until the pipeline is idle, apart from transfers that wait for the origin.
    case pause
    /// Ends all activities, and checks for leftovers; `true`: writes everything to disk before.
    case settle(Bool)
    /// The same, and then a new pipeline with a new cache in the same folder.
    case restart
}

/// The answer of an origin instead of an image.
enum Outage: String, Codable, Sendable, CaseIterable {
    /// No outage: images as before.
    case none
    case notFound, serverError, disconnected, noImage, emptyBody
}

/// The state of the file system.
enum DiskState: String, Codable, Sendable, CaseIterable {
    case healthy
    /// Nothing can be written.
    case full
    /// Nothing can be read or written.
    case failing
}

extension Step {
    /// A Boolean value that indicates whether all activities end before the next step, in all lanes.
    var isBarrier: Bool {
        switch self {
        case .settle, .restart: true
        default: false
        }
    }
}

extension Step: CustomStringConvertible {
    var description: String {
        switch self {
        case .load(let call): "\(call)"
        case .cancel(let index): "cancel task \(index)"
        case .prioritize(let index, let priority): "set priority of task \(index) to \(priority)"
        case .priorityStorm(let count): "change priorities at the same time, \(count) times each"
        case .prefetch(let resources, let toDisk, let variant):
            "prefetch \(resources.map { "r\($0)" }.joined(separator: ", ")) to \(toDisk ? "disk" : "memory"), \(variant)"
        case .prefetchSequence(let resources, let toDisk, let variant):
            "prefetch a sequence of \(resources.map { "r\($0)" }.joined(separator: ", ")) "
                + "to \(toDisk ? "disk" : "memory"), \(variant)"
        case .setWidth(let index, let width): "let prefetcher \(index) load \(width) at a time"
        case .look(let call): "look for \(call)"
        case .configure: "configure the downloader anew"
        case .metered(let isMetered): isMetered ? "the network is metered" : "the network is not metered"
        case .store(let identity): "store data of \(identity)"
        case .remove(let identity, let variant): "remove \(identity), \(variant)"
        case .removeResource(let resource): "remove all originals beginning with r\(resource)"
        case .removeAll: "remove all"
        case .removeFromDisk(let identity): "remove \(identity) from disk"
        case .removeFromMemory(let identity): "remove \(identity) from memory"
        case .clearMemory: "clear memory"
        case .clearDisk: "clear disk"
        case .memoryPressure(let isCritical): "memory pressure, \(isCritical ? "critical" : "warning")"
        case .trimDisk: "trim disk to 0"
        case .removeExpired: "remove expired"
        case .flush: "flush"
        case .deliver(let index): "answer transfer \(index)"
        case .deliverPart(let index): "answer transfer \(index) with half of its body"
        case .publish(let resource): "publish a new r\(resource)"
        case .replaceFile(let resource): "replace the file of r\(resource)"
        case .outage(let resource, let outage): "r\(resource): \(outage == .none ? "answers again" : outage.rawValue)"
        case .advance(let seconds): "\(seconds) s pass"
        case .disk(let state): "disk: \(state.rawValue)"
        case .hold(let mark): "hold the processor of mark \(mark)"
        case .release: "release processors"
        case .killWorkers: "kill the workers"
        case .pause: "pause"
        case .settle(let flushes): flushes ? "settle and flush" : "settle"
        case .restart: "restart"
        }
    }
}
