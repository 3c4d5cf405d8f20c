internal import Synchronization

/// Admits requests for a bounded number of images at a time; a bounded number of others waits, interactive ones
/// before prefetches, each in the order of arrival. Requests for one image share a place, as they share its work; while
/// others wait, later ones wait in line, so that an image that is always asked for does not keep its place for ever.
///
/// Invariant, under the lock: while a request waits, ``capacity`` images are made.
final class RequestQueue<Image: Hashable & Sendable>: Sendable {
    private struct Waiter {
        let number: UInt64
        let image: Image
        let urgency: RequestUrgency
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        /// The numbers of requests that run, by their images.
        var running: [Image: Int] = [:]
        var number: UInt64 = 0
        var waiting: [Waiter] = []

        /// Admits a request if its image has a place, or there is one left.
        mutating func admits(_ image: Image, _ capacity: Int) -> Bool {
            guard running.count < capacity || running[image] != nil && waiting.isEmpty else { return false }
            running[image, default: 0] += 1
            return true
        }
    }

    private let capacity: Int
    private let limit: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - capacity: The images at a time; at least 1.
    ///   - limit: The requests that wait.
    init(capacity: Int, limit: Int) {
        self.capacity = max(1, capacity)
        self.limit = limit
    }

    /// The number of images that are made, and that of requests that wait.
    var counts: (running: Int, waiting: Int) { state.withLock { ($0.running.count, $0.waiting.count) } }

    /// Runs a request when it is its turn.
    ///
    /// - Parameters:
    ///   - image: What the request is for: its work is that of equal ones.
    ///   - urgency: Which requests it comes before.
    ///   - work: Answers the request.
    /// - Throws: ``QueueFull``; `CancellationError` where the task is cancelled while it waits; the error of the
    ///   request.
    func run<Result: Sendable>(_ image: Image, _ urgency: RequestUrgency, _ work: () async throws -> Result)
        async throws -> Result
    {
        try await enter(image, urgency)
        defer { leave(image) }
        return try await work()
    }

    private func enter(_ image: Image, _ urgency: RequestUrgency) async throws {
        let number = try state.withLock { state throws(QueueFull) -> UInt64? in
            if state.admits(image, capacity) { return nil }
            guard state.waiting.count < limit || state.waiting.contains(where: { $0.image == image }) else {
                throw QueueFull()
            }
            state.number += 1
            return state.number
        }
        guard let number else { return }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isAdmitted = state.withLock { state in
                    // Another request may have left since, and a cancellation come before there was something to
                    // cancel.
                    if state.admits(image, capacity) { return true }
                    state.waiting.append(
                        Waiter(number: number, image: image, urgency: urgency, continuation: continuation)
                    )
                    return false
                }
                if isAdmitted {
                    continuation.resume()
                } else if Task.isCancelled {
                    cancel(number)
                }
            }
        } onCancel: {
            cancel(number)
        }
    }

    private func cancel(_ number: UInt64) {
        let waiter = state.withLock { state in
            state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0) }
        }
        // Not under the lock: the task may run at once.
        waiter?.continuation.resume(throwing: CancellationError())
    }

    private func leave(_ image: Image) {
        let admitted = state.withLock { state -> [Waiter] in
            guard let count = state.running[image] else { return [] }
            state.running[image] = count > 1 ? count - 1 : nil
            var admitted: [Waiter] = []
            // The place is handed over, so that no newcomer takes it.
            while state.running.count < capacity,
                let next = (state.waiting.first { $0.urgency == .interactive } ?? state.waiting.first)?.image
            {
                let equal = state.waiting.filter { $0.image == next }
                state.waiting.removeAll { $0.image == next }
                state.running[next, default: 0] += equal.count
                admitted += equal
            }
            return admitted
        }
        for waiter in admitted { waiter.continuation.resume() }
    }
}

/// The urgency of a request.
enum RequestUrgency: Sendable {
    /// Somebody looks at the place of the image.
    case interactive
    /// The image may be looked at later.
    case prefetch
}

/// As many requests wait as may.
struct QueueFull: Error {}
