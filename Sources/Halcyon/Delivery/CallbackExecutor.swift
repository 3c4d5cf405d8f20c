public import Dispatch

/// The place where the callbacks of a load are called.
///
/// ```swift
/// pipeline.loadImage(with: request, on: .queue(queue)) { result in … }
/// ```
public struct CallbackExecutor: Sendable, Hashable {
    private enum Kind: Hashable, Sendable {
        case mainActor
        case mainActorLater
        case calling
        case queue(Queue)
        case custom(IdentifiedClosure<@Sendable (_ work: @escaping @Sendable () -> Void) -> Void>)
    }

    /// A queue, which is equal to itself alone.
    private struct Queue: Hashable, Sendable {
        let queue: DispatchQueue

        static func == (left: Queue, right: Queue) -> Bool { left.queue === right.queue }

        func hash(into hasher: inout Hasher) {
            hasher.combine(ObjectIdentifier(queue))
        }
    }

    private let kind: Kind

    /// The main actor: at once for a call that is made on it, such as that of an image in memory that is asked for
    /// there, and else as soon as its queue gets to it.
    ///
    /// The closures are not isolated to the main actor for the compiler; `MainActor.assumeIsolated` tells it so.
    ///
    /// - Important: The main actor's executor is Dispatch's main queue. On Linux it is served only in a program that
    ///   runs it: one with an asynchronous `main`, with `dispatchMain()`, or with an event loop that the main queue is
    ///   bridged into, as GLib's is by a GTK program's integration. In any other program a call never comes; use
    ///   ``calling`` or ``queue(_:)`` there.
    public static let mainActor = CallbackExecutor(kind: .mainActor)

    /// The main actor, never before the function that starts the load returns. See ``mainActor`` for what must run.
    public static let mainActorLater = CallbackExecutor(kind: .mainActorLater)

    /// The thread on which the event happens: that of the caller for an image in memory, any other for a load, which
    /// may be one of Swift's cooperative pool. The callbacks must return soon.
    public static let calling = CallbackExecutor(kind: .calling)

    /// A queue. On a concurrent one, too, the callbacks of one load come one after the other.
    public static func queue(_ queue: DispatchQueue) -> CallbackExecutor {
        CallbackExecutor(kind: .queue(Queue(queue: queue)))
    }

    /// A place of your own, such as an event loop. Equal to its copies alone.
    ///
    /// - Parameter execute: Calls `work` once, now or later, on any thread.
    public static func custom(
        _ execute: @escaping @Sendable (_ work: @escaping @Sendable () -> Void) -> Void
    ) -> CallbackExecutor {
        CallbackExecutor(kind: .custom(IdentifiedClosure(execute)))
    }

    /// Runs `work` in this place: at once where the rule of the place says so.
    func execute(_ work: @escaping @Sendable () -> Void) {
        switch kind {
        case .mainActor where MainQueue.isCurrent: work()
        case .mainActor, .mainActorLater, .queue: queue?.async(execute: work)
        case .calling: work()
        case .custom(let closure): closure.function(work)
        }
    }

    /// The queue in which work waits for its turn; `nil` if ``execute(_:)`` may run its work before it returns in any case, so
    /// that further work is better run in the same turn: else calls would be made within calls.
    var queue: DispatchQueue? {
        switch kind {
        case .mainActor, .mainActorLater: .main
        case .queue(let queue): queue.queue
        case .calling, .custom: nil
        }
    }
}

/// Dispatch's main queue.
private enum MainQueue {
    /// The mark of the main queue.
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// A Boolean value that indicates whether the calling code runs on the main queue: on the main thread, or where
    /// `dispatchMain()` has given that up, in the queue's turn on another.
    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}
