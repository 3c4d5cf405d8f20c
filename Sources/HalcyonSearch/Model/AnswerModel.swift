internal import HalcyonConcurrency

/// Says which answers are allowed.
///
/// Every image that the origin sends, and every one that a program stores, has a serial number of its own, so that an
/// answer tells which of them it is. The model knows nothing of caches: it demands only what follows from the order of
/// calls and results, so that every demand holds however threads interleave.
///
/// Its time is a count of events. What happens between a call and its result may have happened at any moment between.
final class AnswerModel: Sendable {
    struct State {
        var time = 0
        var nextID = 0
        var nextSerial = 0
        var images: [Int: SentImage] = [:]
        var activities: [Int: Activity] = [:]
        /// What holds once everything that goes on has ended.
        var pending: [Replacement] = []
        /// Calls that a cache has to answer.
        var cached: Set<Call> = []
        /// When something last happened that may have removed a resource from a cache.
        var disturbances: [Int: Int] = [:]
        var failing: Set<Int> = []
        var diskHasFailed = false
        var finding: Finding?
    }

    /// An image that was sent or stored.
    struct SentImage {
        let identity: Identity
        /// When its transfer came to the origin, or its store ended.
        var time: Int
        /// When the origin last said that it is still good.
        var validated = 0
        var demands: [Demand] = []
    }

    /// Calls that begin after this time are not answered with the image.
    struct Demand {
        let rule: Finding.Rule
        /// `nil`: whatever is made of it.
        let variant: Variant?
        /// The caches of others know nothing of it; `nil`: all do.
        var scope: Call.Carrier?
        let time: Int
        let reason: String
    }

    /// Something of which the result is not known yet, or that may still have an effect.
    struct Activity {
        let resources: Set<Int>
        let call: Call?
        let start: Int
        var end: Int?
        var isCancelled = false
        /// Whether others went on with the same resource at the same time.
        var isAlone: Bool
        /// Whether the call brought the image itself: one that another cache or another call had is stored as those say.
        var hasLoaded = false
    }

    /// An image that takes the place of all that began before.
    struct Replacement {
        let rule: Finding.Rule
        let identity: Identity
        let variant: Variant?
        let scope: Call.Carrier
        let serial: Int
        let time: Int
        let reason: String
    }

    let resources: [Program.Resource]
    private let ignored: Set<Finding.Rule>
    let state = Lock(State())

    /// - Parameter ignored: Rules that may be broken, as one that many programs break hides the others.
    init(resources: [Program.Resource], ignoring ignored: Set<Finding.Rule> = []) {
        self.resources = resources
        self.ignored = ignored
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

    /// The number of an image that is about to be sent for a request that has come.
    func imageIsSent(to identity: Identity) -> Int {
        state.withLock { state in
            state.nextSerial += 1
            state.images[state.nextSerial] = SentImage(identity: identity, time: state.tick())
            return state.nextSerial
        }
    }

    /// The origin says that an image is still good.
    func imageIsValidated(_ serial: Int) {
        state.withLock { state in
            let now = state.tick()
            state.images[serial]?.validated = now
            state.images[serial]?.demands.removeAll { $0.rule == .olderImage }
        }
    }

    /// Something goes on with these resources.
    func begin(_ resources: Set<Int>, call: Call? = nil) -> Int {
        state.withLock { $0.begin(resources, call: call) }
    }

    /// It has ended.
    func end(_ id: Int) {
        state.withLock { state in
            let now = state.tick()
            state.activities[id]?.end = now
        }
    }

    /// A caller gives up a call.
    func cancel(_ id: Int) {
        state.withLock { $0.activities[id]?.isCancelled = true }
    }

    /// The origin does not answer with images now.
    func resourceFails(_ resource: Int) {
        state.withLock { state in
            state.failing.insert(resource)
            state.disturb([resource])
        }
    }

    /// The disk does not work, from now on or again.
    func diskChanges() {
        state.withLock { state in
            state.diskHasFailed = true
            state.disturb(nil)
            // What is newer may be unreadable for a while, and then be made anew of an original that is older.
            state.forgetReplacements()
        }
    }

    /// Caches may have lost what they had of these resources; `nil`: of all.
    func disturb(_ resources: Set<Int>?) {
        state.withLock { $0.disturb(resources) }
    }

    /// Time passes on the clocks.
    func clockMoves(by seconds: Int) {
        state.withLock { state in
            state.disturb(nil)
            guard seconds >= 3_600 else { return }
            // What is newer may have expired before what is older and was used more often.
            state.forgetReplacements()
        }
    }

    /// Everything that went on has ended.
    ///
    /// - Parameter isFlushed: Whether all of it is on disk too.
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
            guard activities[id]?.end == nil || activities[id]?.isCancelled == true else { continue }
            activities[id]?.isAlone = false
            isAlone = false
        }
        activities[nextID] = AnswerModel.Activity(
            resources: resources,
            call: call,
            start: tick(),
            isAlone: isAlone
        )
        return nextID
    }

    /// Older images may come back from now on.
    fileprivate mutating func forgetReplacements() {
        pending = []
        for serial in images.keys { images[serial]?.demands.removeAll { $0.rule == .olderImage } }
    }

    mutating func disturb(_ resources: Set<Int>?) {
        let now = tick()
        cached = cached.filter { resources?.contains($0.identity.resource) == false }
        for resource in resources ?? Set(0..<8) { disturbances[resource] = now }
    }

    /// Whether nothing goes on with a resource. What was cancelled may still have an effect, and so may what a stale
    /// image's use began.
    func isQuiet(_ resource: Int, _ policy: Program.Policy) -> Bool {
        !activities.values.contains { activity in
            activity.resources.contains(resource)
                && (activity.end == nil || activity.isCancelled || policy == .staleWhileRevalidate)
        }
    }

    fileprivate mutating func demand(_ replacement: AnswerModel.Replacement, from now: Int) {
        for serial in images.keys where serial != replacement.serial {
            guard let image = images[serial], image.identity == replacement.identity,
                image.time < replacement.time, image.validated < replacement.time
            else { continue }
            images[serial]?.demands.append(
                AnswerModel.Demand(
                    rule: replacement.rule,
                    variant: replacement.variant,
                    scope: replacement.scope,
                    time: now,
                    reason: replacement.reason
                )
            )
        }
    }

    /// Whether a cache has to answer the same call from now on.
    fileprivate func isCached(_ activity: AnswerModel.Activity, _ resources: [Program.Resource]) -> Bool {
        guard activity.hasLoaded, let call = activity.call, call.kind == .task || call.kind == .response,
            call.reads == .all, call.storesInMemory, call.storesOnDisk, !call.revalidates, call.identity.body == 0
        else { return false }
        let resource = resources[call.identity.resource]
        guard resource.policy.isStorable, !resource.isVarying else { return false }
        return disturbances[call.identity.resource, default: 0] < activity.start
    }
}
