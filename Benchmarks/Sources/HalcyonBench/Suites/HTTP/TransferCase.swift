internal import CReferences
internal import Dispatch
internal import FoundationEssentials
internal import HalcyonHTTP

/// Transfers through a transport with a receiver that only counts, against a libcurl loop that does the same.
///
/// Both begin without a connection in every sample.
struct TransferCase: PairedCase {
    let version: HTTPVersion
    let origin: NginxOrigin
    let count: Int

    var name: String { "\(version.rawValue), 30 kB" }
    var unit: TimeUnit { .microseconds }
    var repetitions: Repetitions { .fixed(count) }
    /// 0.9 of the reference's throughput.
    var measures: [Measure] {
        [Measure(clock: .wall, budget: 1 / 0.9), Measure(clock: .processor)]
    }

    func contest() throws -> Contest {
        let text = try origin.url(version)
        guard let url = URL(string: text) else { throw BenchmarkError("\(text) is no URL") }
        let authority = origin.authorityFile(version)
        let ours = Contender("CurlTransport") { count in
            let transport = CurlTransport(configuration: .benchmark(authority))
            let driver = TransferDriver(transport, TransferRequest(url: url), count: count)
            driver.start(atOnce: HTTPSuite.concurrency)
            driver.ended.wait()
            transport.shutdown()
            guard driver.receivedBytes == count * NginxOrigin.bodySize else {
                throw BenchmarkError("\(count) transfers gave \(driver.receivedBytes) bytes")
            }
        }
        return Contest(ours: ours, references: [.curlLoop(text, authority, storesBody: false)])
    }
}

extension Contender {
    /// A bare multi loop, in C.
    static func curlLoop(_ url: String, _ authority: String?, storesBody: Bool) -> Contender {
        Contender("libcurl multi loop in C") { count in
            let bytes = halcyon_reference_curl_multi_loop(
                url,
                count,
                HTTPSuite.concurrency,
                authority,
                storesBody
            )
            guard bytes == count * NginxOrigin.bodySize else {
                throw BenchmarkError("libcurl's \(count) transfers gave \(bytes) bytes")
            }
        }
    }
}

extension CurlTransport.Configuration {
    /// As many transfers at a time as the reference, all to one host.
    static func benchmark(_ authority: String?) -> Self {
        Self(
            maximumConcurrentTransfers: HTTPSuite.concurrency,
            maximumTransfersPerHost: HTTPSuite.concurrency,
            certificateAuthorityFile: authority
        )
    }
}

/// Keeps a number of transfers going until enough have ended. Each transfer that ends starts the next.
///
/// Unchecked: the transport calls its receivers one after the other on its own thread, and nobody else touches the
/// state between the start and the end.
private final class TransferDriver: TransferReceiver, @unchecked Sendable {
    let ended = DispatchSemaphore(value: 0)
    private(set) var receivedBytes = 0
    private let transport: CurlTransport
    private let request: TransferRequest
    private let count: Int
    private var startedCount = 0
    private var endedCount = 0

    init(_ transport: CurlTransport, _ request: TransferRequest, count: Int) {
        self.transport = transport
        self.request = request
        self.count = count
    }

    func start(atOnce width: Int) {
        startedCount = min(width, count)
        for _ in 0..<startedCount {
            _ = transport.start(request, receiver: self)
        }
    }

    func didReceive(response: TransferResponse) {}

    func didReceive(bytes: UnsafeRawBufferPointer) -> TransferDemand {
        receivedBytes += bytes.count
        return .proceed
    }

    func didComplete(_ result: Result<TransferMetrics, TransferError>) {
        endedCount += 1
        if startedCount < count {
            startedCount += 1
            _ = transport.start(request, receiver: self)
        } else if endedCount == count {
            ended.signal()
        }
    }
}
