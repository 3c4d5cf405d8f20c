internal import FoundationEssentials
internal import HalcyonHTTP

/// Transfers as a program makes them that wants whole bodies: tasks that await `data(for:)`.
struct TransferDataCase: PairedCase {
    let version: HTTPVersion
    let origin: NginxOrigin
    let count: Int
    let asyncHTTPClient: String?

    var name: String { "\(version.rawValue), 30 kB, data(for:)" }
    var unit: TimeUnit { .microseconds }
    var repetitions: Repetitions { .fixed(count) }
    var measures: [Measure] { [Measure(clock: .wall), Measure(clock: .processor)] }

    func contest() throws -> Contest {
        let text = try origin.url(version)
        guard let url = URL(string: text) else { throw BenchmarkError("\(text) is no URL") }
        let authority = origin.authorityFile(version)
        let ours = Contender("CurlTransport.data(for:)") { count in
            let transport = CurlTransport(configuration: .benchmark(authority))
            let bytes = try await Self.load(TransferRequest(url: url), count: count, through: transport)
            transport.shutdown()
            guard bytes == count * NginxOrigin.bodySize else {
                throw BenchmarkError("\(count) transfers gave \(bytes) bytes")
            }
        }
        var references: [Contender] = [
            .curlLoop(text, authority, storesBody: true),
            .curlCommand(text, authority),
        ]
        if let asyncHTTPClient { references.append(.asyncHTTPClient(asyncHTTPClient, text, authority)) }
        return Contest(ours: ours, references: references)
    }

    private static func load(
        _ request: TransferRequest,
        count: Int,
        through transport: CurlTransport
    ) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            var bytes = 0
            for started in 0..<count {
                if started >= HTTPSuite.concurrency { bytes += try await group.next() ?? 0 }
                group.addTask { try await transport.data(for: request).data.count }
            }
            return try await group.reduce(bytes, +)
        }
    }
}
