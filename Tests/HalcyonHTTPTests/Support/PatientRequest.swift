import FoundationEssentials
import HTTPTypes
import HalcyonHTTP
import HalcyonSystem

extension TransferRequest {
    /// A request that no timeout ends, for tests that are about something else: they run beside others that may keep
    /// both processors busy for longer than the usual timeouts.
    static func patient(
        url: URL,
        method: HTTPRequest.Method = .get,
        headers: HTTPFields = [:],
        body: Data? = nil,
        priority: LoadPriority = .normal,
        timeouts: TransferTimeouts = .init(connect: .seconds(3600), idle: .seconds(3600), total: .seconds(3600)),
        limits: TransferLimits = .standard
    ) -> TransferRequest {
        TransferRequest(
            url: url,
            method: method,
            headers: headers,
            body: body,
            priority: priority,
            timeouts: timeouts,
            limits: limits
        )
    }
}
