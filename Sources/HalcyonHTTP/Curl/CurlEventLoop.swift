internal import CCurlShim
internal import HalcyonSystem

/// The thread that drives libcurl, and everything that belongs to it. It begins with the first transfer, and loads libcurl.
///
/// Other threads only put commands into a mailbox; libcurl, the scheduler and the receivers are touched by the loop's
/// thread alone, so there is nothing to lock and no callback to re-enter. A command that a receiver posts is taken up
/// after libcurl has returned.
///
/// Unchecked: the mailbox and the thread are protected by locks; the rest belongs to the loop's thread.
final class CurlEventLoop: @unchecked Sendable {
    let mailbox = CurlMailbox()
    private let thread = Lock(Thread())
    let configuration: CurlTransport.Configuration
    /// `nil` before the thread begins.
    @exclusivity(unchecked)
    var multi: UnsafeMutableRawPointer?
    // Exclusivity is not checked where only this thread comes and no call made meanwhile leads back: see CurlExchange.
    @exclusivity(unchecked)
    var handles: CurlHandlePool
    @exclusivity(unchecked)
    var scheduler: TransferScheduler<CurlTransfer>
    @exclusivity(unchecked)
    var running: [CurlExchange] = []
    /// The transfers between two requests, which wait for their turn while their time runs.
    @exclusivity(unchecked)
    var betweenRequests: [ObjectIdentifier: CurlTransfer] = [:]
    let rules: SecurityRules
    let sockets: OpenSockets
    let watch: EventLoopWatch
    /// The time at which the bytes on the wire are next compared with the bytes received.
    var nextInspection = MonotonicTime.now
    @exclusivity(unchecked)
    var timeouts = ClockedTimeouts(.standard)
    /// The time before which no deadline of a running transfer comes.
    @exclusivity(unchecked)
    var nextDeadline = MonotonicTime.distantFuture
    /// The number of exchanges that have begun.
    @exclusivity(unchecked)
    var exchangeCount = 0
    /// The number of look-ups whose transfers are over and have left their places to others.
    @exclusivity(unchecked)
    var leftLookupCount = 0
    /// The time at which those that libcurl holds back are next given to it anew.
    @exclusivity(unchecked)
    var nextRenewal = MonotonicTime.distantFuture
    /// A Boolean value that indicates whether a transfer ended, or a host began to take more, since the waiting
    /// transfers were last looked at.
    @exclusivity(unchecked)
    var mayStartMore = false
    /// The time at which libcurl was last asked to work.
    @exclusivity(unchecked)
    var now = MonotonicTime.now

    private struct Thread {
        var hasBegun = false
        /// `nil` once it is waited for.
        var handle: SystemThread?
    }

    init(configuration: CurlTransport.Configuration) {
        self.configuration = configuration
        rules = SecurityRules(configuration)
        sockets = OpenSockets()
        watch = EventLoopWatch(sockets)
        handles = CurlHandlePool(configuration: configuration, rules: rules, sockets: sockets)
        scheduler = TransferScheduler(
            maximumTransfers: configuration.maximumConcurrentTransfers,
            maximumTransfersPerHost: configuration.maximumTransfersPerHost,
            order: configuration.order,
            startRate: configuration.startRate
        )
    }

    /// Hands over a command that the thread is started for, unless it runs. It keeps the loop alive until it ends.
    ///
    /// - Returns: The error where the loop has ended, or there is no thread.
    private func begin(with command: CurlMailbox.Command) -> TransferError? {
        thread.withLock { thread in
            guard mailbox.post(command) else { return .cancelled }
            guard !thread.hasBegun else { return nil }
            thread.handle = SystemThread { self.run() }
            thread.hasBegun = thread.handle != nil
            guard !thread.hasBegun else { return nil }
            var commands: [CurlMailbox.Command] = []
            _ = mailbox.take(into: &commands)
            return .other("the system has no thread for transfers")
        }
    }

    func start(_ transfer: CurlTransfer) {
        if let error = begin(with: .start(transfer)) { transfer.complete(.failure(error)) }
    }

    /// Hands a command over, unless the loop has ended.
    func post(_ command: CurlMailbox.Command) { _ = mailbox.post(command) }

    /// Removes every cookie, before any transfer that is started afterwards.
    func removeCookies() {
        // They may be in the file of an earlier process.
        if let file = configuration.cookies, begin(with: .removeCookies) != nil { _ = file.write { [] } }
    }

    /// Ends the thread, which libcurl could not be loaded on, with all transfers. The next one tries again.
    func fail(_ error: TransferError) {
        let (commands, stop) = thread.withLock { thread in
            thread.hasBegun = false
            thread.handle?.detach()
            thread.handle = nil
            var commands: [CurlMailbox.Command] = []
            let stop = mailbox.take(into: &commands)
            if stop != .never { _ = mailbox.closeIfEmpty() }
            return (commands, stop)
        }
        for command in commands {
            switch command {
            case .start(let transfer):
                transfer.complete(.failure(transfer.isCancelled || stop == .now ? .cancelled : error))
            case .removeCookies: _ = configuration.cookies?.write { [] }
            case .cancel, .setPriority, .resume: break
            }
        }
    }

    func stop(_ stop: CurlMailbox.Stop) {
        mailbox.stop(stop)
        thread.withLock { thread in
            if !thread.hasBegun { _ = mailbox.closeIfEmpty() }
        }
    }

    /// Waits for the end of the thread, unless this is the thread or someone else waits already.
    func join() {
        let other = thread.withLock { thread in thread.handle?.isCurrent == false ? thread.handle.take() : nil }
        other?.join()
    }

    deinit {
        // The thread keeps the loop, so it has ended, or is here, letting go of it.
        thread.withLock { $0.handle }?.detach()
    }
}
