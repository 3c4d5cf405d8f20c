internal import HalcyonCodecs
internal import HalcyonRaster
public import HalcyonStore
internal import HalcyonSystem

/// The decoded frames of all animations that are being played: one budget for the process, on threads of its own.
///
/// Players of one animation at one size share its frames, and each frame is decoded once for all of them. Frames stay
/// for as long as there is room; then those go first that no player shows for the longest time. No player waits for
/// room: a frame that is due is decoded whatever the budget says, as the frames that are being shown have to be in memory
/// anyway. So the bytes are within the budget unless those frames alone take more.
///
/// The frames of an animation go with its last player, and all but those being shown when the system is short of
/// memory.
public final class AnimationFramePool: Sendable {
    /// The pool of this process: an eighth of the memory that it may use, one thread for each processor.
    public static let shared = AnimationFramePool()

    /// Delivers a frame that was awaited, or the reason why there is none.
    typealias Delivery = @Sendable (_ frame: Int, Result<DecodedImage, any Error>) -> Void

    /// A player's place in the pool.
    struct Place: Sendable {
        let key: AnimationFrameKey
        let number: UInt64
    }

    struct State {
        var sets: [AnimationFrameKey: AnimationFrameSet] = [:]
        /// The bytes of all frames, and of the canvases of decoders.
        var byteCount = 0
        var lastNumber: UInt64 = 0
        /// The time until which little is kept, in nanoseconds of the clock.
        var shortUntil = Int64.min
    }

    /// The most bytes that frames take, and what their decoders keep, unless the frames being shown take more.
    public let byteLimit: Int
    let queue: WorkQueue
    let state = Lock(State())
    let clock: StoreClock
    private let pressure: Lock<MemoryPressureMonitor.Subscription?> = Lock(nil)

    /// A pool of its own.
    ///
    /// - Parameters:
    ///   - byteLimit: See ``byteLimit``. Default: `nil`, an eighth of the memory that this process may use.
    ///   - threadCount: The number of frames that are decoded at the same time; at least 1. Default: `nil`, the number of
    ///     processors that this process may use.
    ///   - memoryPressure: Reports shortage of memory. Default: that of this process.
    public convenience init(
        byteLimit: Int? = nil,
        threadCount: Int? = nil,
        memoryPressure: MemoryPressureMonitor? = .shared
    ) {
        self.init(byteLimit: byteLimit, threadCount: threadCount, memoryPressure: memoryPressure, clock: .system)
    }

    init(byteLimit: Int?, threadCount: Int?, memoryPressure: MemoryPressureMonitor?, clock: StoreClock) {
        self.byteLimit = max(0, byteLimit ?? SystemMemory().available / 8)
        self.clock = clock
        queue = WorkQueue(name: "halcyon.frames", width: max(1, threadCount ?? ProcessorCount.available))
        let subscription = memoryPressure?.addHandler { [weak self] _ in self?.relieve() }
        pressure.withLock { $0 = subscription }
    }

    /// The bytes of the frames that are decoded, and about those that their decoders keep.
    public var byteCount: Int { state.withLock { $0.byteCount } }

    /// The number of frames that are decoded.
    public var frameCount: Int { state.withLock { $0.sets.values.reduce(0) { $0 + $1.frames.count } } }

    /// Drops all frames but those that are due or being shown. They are decoded again when they are due.
    public func purge() {
        purge { _ in true }
    }

    /// Drops frames of one animation as ``purge()`` does.
    func purge(_ place: Place) {
        purge { $0 == place.key }
    }

    /// Drops all frames but those being shown, and the decoders of players that stand still. Keeps little for a while, so
    /// that they do not come back at once.
    private func relieve() {
        let closed = state.withLock { state in
            state.shortUntil = clock.monotonic() + Self.shortage
            return closeRestingCursors(&state)
        }
        withExtendedLifetime(closed) { purge() }
    }

    /// 10 s.
    private static let shortage: Int64 = 10_000_000_000

    /// Takes a place for a player, to which awaited frames are delivered on a thread of the pool, one at a time.
    func join(_ key: AnimationFrameKey, frameByteCount: Int, deliver: @escaping Delivery) -> Place {
        let timeline = AnimationTimeline(key.animation)
        return state.withLock { state in
            state.lastNumber += 1
            let number = state.lastNumber
            let set =
                state.sets[key]
                ?? AnimationFrameSet(timeline: timeline, number: number, frameByteCount: frameByteCount)
            set.add(.init(deliver: deliver), number: number)
            state.sets[key] = set
            return Place(key: key, number: number)
        }
    }

    /// Gives up a place. The frames of an animation without players are dropped.
    func leave(_ place: Place) {
        // Released after the lock: a set has no other owner then, and the client's function may be the last one's.
        let dropped = state.withLock { state -> (AnimationFrameSet.Client?, AnimationFrameSet?) in
            guard let set = state.sets[place.key] else { return (nil, nil) }
            let client = set.removeClient(place.number)
            guard set.clients.isEmpty else { return (client, nil) }
            state.byteCount -= set.byteCount(of: place.key)
            state.sets[place.key] = nil
            return (client, set)
        }
        dropped.1?.cancellation.cancel()
    }

    /// Notes what a player needs, and returns the frame that is due if it is decoded; otherwise, it is delivered as soon
    /// as it is. Frames that the player no longer needs are not delivered, unless they are being decoded.
    func frame(for demand: AnimationFrameDemand, shown: Int?, at place: Place) throws -> DecodedImage? {
        let (result, jobs) = state.withLock { state -> (Result<DecodedImage, any Error>?, [Job]) in
            guard let set = state.sets[place.key], set.clients[place.number] != nil else { return (nil, []) }
            let result: Result<DecodedImage, any Error>? =
                if let frame = set.frames[demand.frame] {
                    .success(frame.image)
                } else {
                    set.failures[demand.frame].map { .failure($0) }
                }
            set.changeClient(place.number) { client in
                (client.demand, client.shown) = (demand, shown)
                client.awaited.formIntersection(set.inFlight)
                switch result {
                case .success: (client.shown, client.awaited) = (demand.frame, [])
                case .failure: break
                // The image itself shows the first frame, which the pool then need not have.
                case nil: if shown != demand.frame { client.awaited.insert(demand.frame) }
                }
            }
            return (result, plan(place.key, &state))
        }
        schedule(jobs)
        return try result?.get()
    }

    /// Ends waiting for a frame, and the decoding ahead, for a player that stands still.
    func rest(_ place: Place, shown: Int?) {
        state.withLock { state in
            state.sets[place.key]?.changeClient(place.number) { client in
                (client.demand, client.awaited, client.shown) = (nil, [], shown)
            }
        }
    }
}
