internal import HalcyonSystem

/// The load that an ``ImageDataProvider`` supplies the bytes for, as the provider sees it.
public final class ProvidedLoad: Sendable {
    private struct State {
        var hasEnded = false
        var streams: [PriorityBox.ObserverID: AsyncStream<LoadPriority>.Continuation] = [:]
    }

    private let box: PriorityBox
    private let state = Lock(State())

    init(_ priority: PriorityBox) {
        box = priority
    }

    /// A load of this urgency, which does not change, for a provider that is asked by hand.
    ///
    /// - Parameter priority: Default: ``LoadPriority/normal``.
    public convenience init(priority: LoadPriority = .normal) {
        self.init(PriorityBox(priority))
    }

    deinit {
        end()
    }

    /// The urgency of the load at this moment: the highest of the loads that share the bytes.
    public var priority: LoadPriority { box.value }

    /// The urgency at this moment, then each change, until the provider has supplied the bytes or this object is
    /// released. A slow reader gets the latest.
    public var priorityUpdates: AsyncStream<LoadPriority> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: LoadPriority.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let id = box.addObserver { [weak box] in
            if let box { continuation.yield(box.value) }
        }
        let hasEnded = state.withLock { state in
            if !state.hasEnded { state.streams[id] = continuation }
            return state.hasEnded
        }
        continuation.onTermination = { [weak self, weak box] _ in
            box?.removeObserver(id)
            _ = self?.state.withLock { $0.streams.removeValue(forKey: id) }
        }
        // Once more if it has changed meanwhile: the observer may have been faster with the later value.
        var latest: LoadPriority?
        while latest != box.value {
            let value = box.value
            continuation.yield(value)
            latest = value
        }
        if hasEnded { continuation.finish() }
        return stream
    }

    /// Ends the streams. Calling it again does nothing.
    func end() {
        let streams = state.withLock { state in
            state.hasEnded = true
            defer { state.streams = [:] }
            return state.streams
        }
        for (id, stream) in streams {
            box.removeObserver(id)
            stream.finish()
        }
    }
}
