/// Downloads from a real server on loopback.
struct HTTPSuite: BenchmarkSuite {
    static let name = "http"
    static let summary = "images of 30 kB from nginx on loopback, 32 at a time"

    /// As in the design's budget.
    static let concurrency = 32

    let cases: [any BenchmarkCase]
    private let origin = NginxOrigin()

    init(_ options: SuiteOptions) {
        let count = options.transferCount
        let origin = origin
        cases =
            HTTPVersion.allCases.flatMap { version -> [any BenchmarkCase] in
                [
                    TransferCase(version: version, origin: origin, count: count),
                    TransferDataCase(
                        version: version,
                        origin: origin,
                        count: count,
                        asyncHTTPClient: options.asyncHTTPClient
                    ),
                ]
            } + [QueuedTransfersCase(), OutstandingTransfersCase(origin: origin)]
    }

    func start() throws {
        try origin.start()
    }

    func stop() {
        origin.stop()
    }
}

/// How the transfers reach the server.
enum HTTPVersion: String, CaseIterable {
    case http1 = "HTTP/1.1"
    case http2 = "TLS + HTTP/2"
}
