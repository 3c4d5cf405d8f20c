import FoundationEssentials
import HTTPTypes
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

/// Rounds of callers who join, cancel, change priority and are cancelled together, while the server makes errors.
final class DownloadStress: Sendable {
    private static let body = [UInt8](repeating: 7, count: 20_000)
    private static let paths = 9
    private let slow = Lock(Gate())
    private let log = EventLog()

    func run(seed: UInt64, rounds: Int, temporaryFolder: String) async throws {
        let server = try OriginServer { [slow] request in
            switch request.path {
            case "/0": .init(steps: [.reset])
            case "/1": .scripted(headers: [.contentLength: "100"], .bytes([1]), .close)
            case "/2": .init(500, body: [4])
            case "/3": .scripted(headers: [.contentLength: "2"], .bytes([7]), .wait(slow.withLock { $0 }), .bytes([7]))
            case "/4": .redirect(to: "/8")
            case "/5": .scripted(headers: [.contentLength: "20000"], .bytes([7, 7]), .reset)
            default: .init(body: Self.body)
            }
        }
        let transport = CurlTransport(configuration: .init(maximumConcurrentTransfers: 16))
        var configuration = ImageDownloader.Configuration(
            policy: .with { $0.timeouts = .download(.seconds(3600)) },
            onEvent: { [log] in log.add($0) }
        )
        // Some bodies go through files, some stay in memory.
        configuration.memoryThreshold = 10_000
        configuration.temporaryFolder = temporaryFolder
        let downloader = ImageDownloader(transport: transport, configuration: configuration)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<rounds {
            try await round(&random, downloader, server)
        }
        await eventually { downloader.calls.count + downloader.transfers.count == 0 }
        await eventually { [log] in log.startCount == log.finishCount }
        downloader.shutdown()
        transport.shutdown()
        server.stop()
    }

    private func round(_ random: inout SeededGenerator, _ downloader: ImageDownloader, _ server: OriginServer)
        async throws
    {
        let path = Int(random.next() % UInt64(Self.paths))
        let url = server.url("/\(path)")
        let results = Lock<[Int]>([])
        let count = 2 + Int(random.next() % 4)
        let policy =
            random.next() % 4 == 0 ? NetworkPolicy.with { $0.hooks = Self.following } : NetworkPolicy()
        var tasks: [DownloadTask] = []
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                let task = downloader.task(for: url, policy: policy)
                tasks.append(task)
                group.addTask {
                    let result = await task.result
                    results.withLock { $0.append(number) }
                    if case .success(let body) = result {
                        #expect(body.data.allSatisfy { $0 == 7 } && [2, 20_000].contains(body.data.count))
                        #expect(path != 0 && path != 1 && path != 2 && path != 5)
                    }
                }
                for _ in 0..<(random.next() % 3) { await Task.yield() }
                switch random.next() % 10 {
                case 0, 1: tasks[Int(random.next() % UInt64(tasks.count))].cancel()
                case 2: downloader.cancel(url)
                case 3: downloader.cancelAll()
                case 4, 5: task.priority = random.next() % 2 == 0 ? .veryHigh : .low
                case 6: group.addTask { task.cancel() }
                case 7:
                    group.addTask {
                        // Cancelling a Swift task that downloads itself.
                        let direct = Task { try await downloader.download(from: url, policy: policy) }
                        direct.cancel()
                        _ = await direct.result
                    }
                default: break
                }
            }
            openSlowPath()
            // A slow transfer that begins later waits at the new gate.
            while results.withLock({ $0.count }) < count {
                openSlowPath()
                await Task.yield()
            }
        }
        #expect(results.withLock { $0.sorted() } == Array(0..<count))
    }

    private static let following = TestHooks.redirect(.unchanged) { $1 }

    private func openSlowPath() {
        let gate = slow.withLock { gate in
            defer { gate = Gate() }
            return gate
        }
        gate.open()
    }
}
