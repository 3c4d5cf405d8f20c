internal import FoundationEssentials
internal import HalcyonHTTP
internal import HalcyonSystem

/// The parts of a request without hooks of its own that decide whether it fails: all that is sent, and the responses
/// that are accepted.
struct FailedRequest: Hashable, Sendable {
    /// The request, without its priority and its bounds, and with the digest of a body in place of it.
    let transfer: TransferRequest
    private let acceptedStatusCodes: Range<Int>?
    private let acceptedContentTypes: Set<String>?
    /// The number of the request's own downloader, which another server may answer; `nil`: that of the pipeline.
    private let downloader: UInt64?
    /// The ``DownloadSetup/generation`` of the downloader: what failed under one configuration says nothing about another.
    let generation: UInt64
    /// The frame that failed, for a failure of one behind the first; `nil`: the request itself failed, or the first frame.
    private var frame: Int?

    init(_ request: TransferRequest, policy: NetworkPolicy = NetworkPolicy(), generation: UInt64) {
        var transfer = TransferRequest(
            url: request.url.normalized,
            method: request.method,
            headers: request.headers,
            body: request.body.map { Data(SHA256.hexadecimal(of: Array($0)).utf8) }
        )
        transfer.credential = request.credential
        transfer.proxyCredential = request.proxyCredential
        transfer.followsRedirects = request.followsRedirects
        self.transfer = transfer
        acceptedStatusCodes = policy.acceptedStatusCodes
        acceptedContentTypes = policy.acceptedContentTypes
        downloader = policy.downloader?.number
        self.generation = generation
    }

    /// Returns whether this is a plain GET of a URL by the downloader of a pipeline, whatever its configuration.
    func isPlain(_ url: URL) -> Bool {
        transfer.url == url.normalized && self == FailedRequest(TransferRequest(url: url), generation: generation)
    }

    /// Returns the name of a failure of one frame alone. A failure of the first is one of the image.
    func ofFrame(_ frame: Int) -> FailedRequest {
        var request = self
        request.frame = frame == 0 ? nil : frame
        return request
    }
}
