internal import HalcyonSystem

/// The model of the answers that are allowed.
///
/// Every image that the origin sends, and every one that a program stores, has a serial number of its own, so that an
/// answer identifies its image. The model contains no caches: it demands only what follows from the order of calls and
/// results, so that every demand holds however threads interleave.
///
/// Its time is a count of events. The effect of a call may have happened at any moment between the call and its result.
final class AnswerModel: Sendable {
    struct State {
        var time = 0
        var nextID = 0
        var nextSerial = 0
        var images: [Int: SentImage] = [:]
        var activities: [Int: Activity] = [:]
        /// The replacements that hold once all present activities have ended.
        var pending: [Replacement] = []
        /// The removals since the last time at which all activities had ended: images of loads that were called before
        /// may still be sent.
        var removals: [(removal: Removal, end: Int)] = []
        /// The calls that a cache has to answer.
        var cached: Set<Call> = []
        /// The time of the last event that may have removed a resource from a cache.
        var disturbances: [Int: Int] = [:]
        var failing: Set<Int> = []
        var diskHasFailed = false
        var wasMetered = false
        /// A Boolean value that indicates whether processes that decode were ended from outside.
        var hasLostWorkers = false
        /// The time at which the downloader was configured last.
        var configured = 0
        /// A Boolean value that indicates whether the pipeline loads from servers alone.
        var isUntrusted = false
        var finding: Finding?
    }

    /// An image that was sent or stored.
    struct SentImage {
        let identity: Identity
        /// A Boolean value that indicates whether its source always has the same bytes, so that it may come back.
        var isFixed = false
        /// The time at which its transfer came to the origin, or its store ended.
        var time: Int
        /// The activities that may have sent for it, or that stored it.
        var causes: [Int]
        /// The time at which the origin last confirmed it.
        var validated = 0
        var demands: [Demand] = []
    }

    /// An activity whose result is not known yet, or that may still have an effect.
    struct Activity {
        let resources: Set<Int>
        let call: Call?
        let start: Int
        /// `true` if a cache has to answer the call.
        var isCached = false
        /// A time at which the function that begins it had returned; `nil` if that is not known.
        var called: Int?
        var end: Int?
        var isCancelled = false
        /// A Boolean value that indicates whether no other activity had the same resource at the same time.
        var isAlone: Bool
        /// A Boolean value that indicates whether the call loaded the image itself: one from another cache or another
        /// call is stored as those say.
        var hasLoaded = false

        /// A Boolean value that indicates whether it may still have an effect.
        var mayGoOn: Bool { end == nil || isCancelled || call?.lingers == true }
    }

    let resources: [Program.Resource]
    private let ignored: Set<Finding.Rule>
    let state: Lock<State>

    /// - Parameters:
    ///   - isUntrusted: A Boolean value that indicates whether the pipeline loads from servers alone. Default: `false`.
    ///   - ignored: The rules that may be broken, as one that many programs break hides the others. Default: none.
    init(
        resources: [Program.Resource],
        isUntrusted: Bool = false,
        ignoring ignored: Set<Finding.Rule> = []
    ) {
        self.resources = resources
        self.ignored = ignored
        state = Lock(State(isUntrusted: isUntrusted))
    }

    /// The first rule that was broken.
    var finding: Finding? { state.withLock { $0.finding } }

    /// Notes a broken rule; the first one counts.
    func report(_ rule: Finding.Rule, _ message: String) {
        guard !ignored.contains(rule) else { return }
        state.withLock { state in
            if state.finding == nil { state.finding = Finding(rule: rule, message: message) }
        }
    }

    /// Returns the number of an image that is about to be sent for a request that has come.
    ///
    /// - Parameter isFixed: A Boolean value that indicates whether its source always has the same bytes. Default:
    ///   `false`.
    func imageIsSent(to identity: Identity, isFixed: Bool = false) -> Int {
        state.withLock { state in
            state.nextSerial += 1
            let time = state.tick()
            let causes = state.activities.filter { $0.value.resources.contains(identity.resource) }.map(\.key)
            state.images[state.nextSerial] = SentImage(identity: identity, isFixed: isFixed, time: time, causes: causes)
            // Results of older images are removed once this one is known to be an image.
            state.cached = state.cached.filter { $0.identity != identity }
            for (removal, end) in state.removals { state.demand(removal, of: state.nextSerial, from: end) }
            return state.nextSerial
        }
    }

    /// Returns the identity of an image; `nil` if there is no such image.
    func identity(of serial: Int) -> Identity? {
        state.withLock { $0.images[serial]?.identity }
    }

    /// Replaces the file of a resource: calls that begin afterwards are not answered with the images it had before.
    func replaceFile(of resource: Int, _ write: (_ serial: Int) -> Void) {
        let identity = Identity(resource: resource, form: .file)
        let serial = imageIsSent(to: identity, isFixed: true)
        write(serial)
        state.withLock { state in
            let demand = Demand(
                rule: .olderImage,
                time: state.tick(),
                reason: "although its file had been replaced by image \(serial)"
            )
            for (older, image) in state.images where image.identity == identity && image.isFixed && older != serial {
                state.images[older]?.demands.append(demand)
            }
        }
    }

    /// Notes that the origin has confirmed an image.
    func imageIsValidated(_ serial: Int) {
        state.withLock { state in
            let now = state.tick()
            state.images[serial]?.validated = now
            state.images[serial]?.demands.removeAll { $0.rule == .olderImage }
        }
    }

    /// Notes that an activity with these resources begins.
    func begin(_ resources: Set<Int>, call: Call? = nil) -> Int {
        state.withLock { $0.begin(resources, call: call) }
    }

    /// Notes that the function which begins an activity has returned, so that what is called from now on is called later.
    func isCalled(_ id: Int) {
        state.withLock { state in
            let now = state.tick()
            state.activities[id]?.called = now
        }
    }

    /// Notes that an activity has ended.
    func end(_ id: Int) {
        state.withLock { state in
            let now = state.tick()
            state.activities[id]?.end = now
        }
    }

    /// Notes that a caller cancels a call.
    func cancel(_ id: Int) {
        state.withLock { $0.activities[id]?.isCancelled = true }
    }

    /// Notes that the origin does not answer with images now.
    ///
    /// - Parameter isGone: `true` if it has none any more, `false` if caches keep what they have. Default: `true`.
    func resourceFails(_ resource: Int, isGone: Bool = true) {
        state.withLock { state in
            state.failing.insert(resource)
            if isGone { state.disturb([resource]) }
        }
    }

    /// Notes that the disk does not work, from now on or again.
    func diskChanges() {
        state.withLock { state in
            state.diskHasFailed = true
            state.disturb(nil)
            // A newer image may be unreadable for a while, and then be made anew of an original that is older.
            state.forgetReplacements()
        }
    }

    /// Returns whether the source of one of these resources has failed, so that it may have sent no images.
    func hasFailed(_ resources: Set<Int>) -> Bool {
        state.withLock { !$0.failing.isDisjoint(with: resources) }
    }

    /// Notes that the network is metered, from now on or again not.
    func networkIsMetered() {
        state.withLock { $0.wasMetered = true }
    }

    /// Notes that the processes that decode are ended.
    func workersAreKilled() {
        state.withLock { $0.hasLostWorkers = true }
    }

    /// Notes that the downloader is configured anew: what is being loaded meanwhile may not be stored.
    func configurationChanges() {
        state.withLock { state in
            state.disturb(nil)
            state.configured = state.tick()
        }
    }

    /// Notes that caches may have lost what they had of these resources; `nil`: of all.
    func disturb(_ resources: Set<Int>?) {
        state.withLock { $0.disturb(resources) }
    }

    /// Notes that time passes on the clocks.
    func clockMoves(by seconds: Int) {
        state.withLock { state in
            state.disturb(nil)
            guard seconds >= 3_600 else { return }
            // A newer image may have expired before one that is older and was used more often.
            state.forgetReplacements()
        }
    }

    /// Notes that all activities have ended.
    ///
    /// - Parameter isFlushed: A Boolean value that indicates whether all of their results are on disk too.
    func settle(isFlushed: Bool) {
        state.withLock { state in
            let now = state.tick()
            for replacement in state.pending {
                state.demand(replacement, from: now)
            }
            state.pending = []
            if isFlushed, !state.diskHasFailed {
                for activity in state.activities.values where state.isCached(activity, resources) {
                    if let call = activity.call { state.cached.insert(call.withoutUrgency) }
                }
            }
            state.activities = [:]
            state.removals = []
        }
    }
}

extension AnswerModel.State {
    mutating func tick() -> Int {
        time += 1
        return time
    }

    mutating func begin(_ resources: Set<Int>, call: Call?) -> Int {
        nextID += 1
        var isAlone = true
        for id in activities.keys where activities[id]?.resources.isDisjoint(with: resources) == false {
            guard activities[id]?.mayGoOn == true else { continue }
            activities[id]?.isAlone = false
            isAlone = false
        }
        activities[nextID] = AnswerModel.Activity(
            resources: resources,
            call: call,
            start: tick(),
            isCached: call.map { cached.contains($0.withoutUrgency) } ?? false,
            isAlone: isAlone
        )
        return nextID
    }

    mutating func disturb(_ resources: Set<Int>?) {
        let now = tick()
        cached = cached.filter { resources?.contains($0.identity.resource) == false }
        for resource in resources ?? Set(0..<8) { disturbances[resource] = now }
    }

    /// Returns whether a resource has no activity. A cancelled call may still have an effect, and so may a refresh that
    /// the use of a stale image began.
    func isQuiet(_ resource: Int, _ policy: Program.Policy) -> Bool {
        !activities.values.contains { activity in
            activity.resources.contains(resource)
                && (activity.mayGoOn || policy == .staleWhileRevalidate)
        }
    }

    /// Returns whether a cache has to answer the same call from now on.
    fileprivate func isCached(_ activity: AnswerModel.Activity, _ resources: [Program.Resource]) -> Bool {
        guard activity.hasLoaded, let call = activity.call, call.kind == .task || call.kind == .response,
            call.reads == .all, call.storesInMemory, call.storesOnDisk, !call.revalidates, call.identity.body == 0,
            !call.isExemptFromStoring
        else { return false }
        let resource = resources[call.identity.resource]
        guard resource.policy.isStorable, !resource.isVarying else { return false }
        // A newer image takes the place of all results of an older one.
        let newer = images.values.count { $0.identity == call.identity && $0.time > activity.start }
        guard newer == 1 else { return false }
        return disturbances[call.identity.resource, default: 0] < activity.start
    }
}
