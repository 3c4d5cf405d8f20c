public import FoundationEssentials
public import HalcyonHTTP
internal import HalcyonSystem
internal import Synchronization

/// Loads encoded images from servers. It neither reads nor writes a cache.
///
/// Equal requests share one transfer while it runs: equal in URL, method, headers, body, credential and bounds, after
/// they were modified, and in the handling of the response. Each caller gets exactly one result. The transfer has the
/// highest priority among its callers; when the last one cancels, it is cancelled, and a later request starts a new
/// one.
///
/// Releasing a downloader lets its downloads finish. ``shutdown()`` cancels them.
public final class ImageDownloader: Sendable {
    /// The settings that are the same for all downloads; ``updateConfiguration(_:transport:)`` replaces them.
    public var configuration: Configuration { setup.configuration }

    /// Waits until what was received in transfers that have ended is kept for later ones.
    package func waitForWriting() async { await setup.bodies.waitForWriting() }

    private let currentSetup: Lock<DownloadSetup>
    /// A Boolean value that indicates whether the policy may change the identity of images. Atomic, as it is read at each look
    /// into memory.
    private let isAudienceChanged: Atomic<Bool>
    /// The types of hooks without an identity that were reported.
    let reportedHooks = Lock<Set<ObjectIdentifier>>([])

    /// A number that no other downloader of this process has.
    let number = WorkNumber.next()
    let workers = WorkQueue(name: "halcyon.bodies", width: ProcessorCount.available)
    let transferCount = Lock(0)
    let calls = DownloadCalls()
    /// The requests that hooks are changing, so that a caller can cancel at once. Not shared: each has a key of its
    /// own.
    let modifications = WorkCoalescer<Int, TransferRequest>()
    let transfers = WorkCoalescer<TransferKey, TransferredBody>(.transfer)

    /// A downloader that uses a transport.
    ///
    /// - Parameters:
    ///   - transport: Carries the requests.
    ///   - configuration: The settings that are the same for all downloads. Default: the defaults.
    public init(transport: any HTTPTransport, configuration: Configuration = Configuration()) {
        let setup = DownloadSetup(configuration, transport)
        currentSetup = Lock(setup)
        isAudienceChanged = Atomic(setup.configuration.policy.mayChangeIdentity)
    }

    /// The configuration at this moment, with the parts that work by it.
    var setup: DownloadSetup { currentSetup.withLock { $0 } }

    /// A Boolean value that indicates whether the policy at this moment may change the identity of images.
    @inline(__always)
    var mayChangeAudience: Bool { isAudienceChanged.load(ordering: .acquiring) }

    /// Replaces the setup, unless another one has taken the place of `earlier`.
    private func replaceSetup(_ earlier: DownloadSetup, with next: DownloadSetup) -> Bool {
        // A plain look-up must not follow a configuration under which keys are not plain.
        currentSetup.withLock { setup in
            guard setup === earlier else { return false }
            setup = next
            isAudienceChanged.store(next.configuration.policy.mayChangeIdentity, ordering: .releasing)
            return true
        }
    }

    /// Starts a download, or joins one of an equal request, and returns its task.
    public func task(for request: TransferRequest, policy: NetworkPolicy = NetworkPolicy()) -> DownloadTask {
        let task = DownloadTask(request: request)
        task.start { context in try await self.download(request, policy: policy, context: context).body }
        return task
    }

    /// Starts a download, or joins one of the same URL, and returns its task.
    public func task(for url: URL, policy: NetworkPolicy = NetworkPolicy()) -> DownloadTask {
        task(for: TransferRequest(url: url), policy: policy)
    }

    /// Returns the response to a request, with its body. Cancelling the calling task ends the wait at once.
    ///
    /// - Throws: ``ImageError``, `CancellationError`.
    public func download(
        _ request: TransferRequest,
        policy: NetworkPolicy = NetworkPolicy()
    ) async throws -> HTTPResponseBody {
        let context = WorkContext(priority: PriorityBox(request.priority), report: { _ in })
        return try await download(request, policy: policy, context: context).body
    }

    /// Returns the response for a URL, with its body. Cancelling the calling task ends the wait at once.
    ///
    /// - Throws: ``ImageError``, `CancellationError`.
    public func download(from url: URL, policy: NetworkPolicy = NetworkPolicy()) async throws -> HTTPResponseBody {
        try await download(TransferRequest(url: url), policy: policy)
    }

    /// Cancels all downloads of `url`: those that asked for it, and those whose modified request leads there.
    /// Complexity: O(n) in the number of waiting calls.
    public func cancel(_ url: URL) {
        calls.cancel(url)
    }

    /// Cancels all downloads; new ones may begin.
    public func cancelAll() {
        calls.cancelAll()
    }

    /// Cancels all downloads; later ones fail with ``ImageError/Reason/downloaderShutDown``. The transport stays as it
    /// is, as it may have other users.
    public func shutdown() {
        calls.shutDown()
    }
}

extension ImageDownloader: Hashable {
    /// Returns whether both are the same object.
    public static func == (left: ImageDownloader, right: ImageDownloader) -> Bool { left === right }

    /// Hashes the identity of the object.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

extension ImageDownloader {
    /// Replaces the configuration for the transfers that begin from now on. Those under way end under the earlier one.
    ///
    /// What belongs to connections (TLS, proxies, trusted hosts, address policy, credentials of hosts) is the transport's: a
    /// new transport has connections of its own, so none is used that its configuration would forbid. The earlier one is
    /// released when its last transfer has ended.
    ///
    /// ```swift
    /// var transfers = CurlTransport.Configuration()
    /// transfers.proxies = .none
    /// downloader.updateConfiguration(downloader.configuration, transport: CurlTransport(configuration: transfers))
    /// ```
    ///
    /// Requests share a transfer with an earlier one only where its answer cannot differ: with the same transport and an equal
    /// ``Configuration/policy``. Loads of pipelines see the new policy in the keys of their images from the next request on; one
    /// that was under way, and whose transfer begins now, is sent by the new policy, and its image is not cached. May be called
    /// from any thread; of two calls at the same time, one counts. No lock is held while transfers begin or end.
    ///
    /// - Parameters:
    ///   - configuration: The settings from now on.
    ///   - transport: Carries the requests from now on; `nil`: the one in use goes on. Default: `nil`.
    public func updateConfiguration(_ configuration: Configuration, transport: (any HTTPTransport)? = nil) {
        // Equality of policies compares hooks by identities that were fixed when they were given, and runs no code of theirs;
        // made anew if another call came first, so that no lock is held for it.
        while true {
            let earlier = setup
            let next = earlier.replaced(by: configuration, transport)
            guard !replaceSetup(earlier, with: next) else { return }
        }
    }
}
