import AsyncHTTPClient
import NIOCore
import NIOSSL

/// async-http-client-transfers URL COUNT AT-ONCE EXPECTED-BYTES [AUTHORITY.pem]
///
/// Downloads the URL COUNT times, AT-ONCE at a time, and checks the number of bytes in all.
@main
struct Transfers {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 5, let count = Int(arguments[2]), let width = Int(arguments[3]),
            let expected = Int(arguments[4])
        else { fatalError("usage: async-http-client-transfers URL COUNT AT-ONCE EXPECTED-BYTES [AUTHORITY.pem]") }

        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = width
        configuration.httpVersion = .automatic
        if arguments.count > 5 {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .file(arguments[5])
            configuration.tlsConfiguration = tls
        }
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let bytes = try await load(arguments[1], count: count, atOnce: width, through: client)
        try await client.shutdown()
        guard bytes == expected else { fatalError("\(bytes) bytes instead of \(expected)") }
    }

    private static func load(_ url: String, count: Int, atOnce width: Int, through client: HTTPClient) async throws
        -> Int
    {
        try await withThrowingTaskGroup(of: Int.self) { group in
            var bytes = 0
            for started in 0..<count {
                if started >= width { bytes += try await group.next() ?? 0 }
                group.addTask {
                    let response = try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(60))
                    return try await response.body.collect(upTo: 1 << 24).readableBytes
                }
            }
            return try await group.reduce(bytes, +)
        }
    }
}
