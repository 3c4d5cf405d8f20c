import Glibc
import HalcyonFleet

/// `queue-load`, for `Scripts/measure`: see ``usage``.
@main
struct QueueLoad {
    private static let usage = """
        queue-load ENGINE add COUNT
            adds jobs
        queue-load ENGINE work CONCURRENCY IDLE-MILLISECONDS
            works on jobs, which take no time, until no machine has any; those of a worker without a sign of life for that time too
        queue-load ENGINE state
            prints the counts of the queue
        """

    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            try await run(arguments)
        } catch {
            print("queue-load: \(error)")
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        let numbers = arguments.dropFirst(2).compactMap { Int($0) }
        guard arguments.count >= 2, numbers.count == arguments.count - 2 else { return refuse() }
        var configuration = PrefetchQueue.Configuration()
        if numbers.count == 2 { configuration.idleTime = .milliseconds(numbers[1]) }
        let queue = PrefetchQueue(try FleetEngine(arguments[0]), name: "load", configuration: configuration)
        let clock = ContinuousClock()
        let start = clock.now
        switch (arguments[1], numbers.count) {
        case ("add", 1):
            let count = try await queue.add((0..<numbers[0]).lazy.map { job($0) })
            print("added=\(count) seconds=\((clock.now - start) / .seconds(1))")
        case ("work", 2):
            let summary = try await queue.work(concurrency: numbers[0]) { _ in .shared }
            print("done=\(summary.doneCount) seconds=\((clock.now - start) / .seconds(1))")
        case ("state", 0):
            let state = try await queue.progress()
            print(
                "added=\(state.addedCount) done=\(state.doneCount) failed=\(state.failedCount)",
                "waiting=\(state.waitingCount) running=\(state.runningCount)"
            )
        default: refuse()
        }
    }

    /// Returns a job with a source as long as usual ones.
    private static func job(_ number: Int) -> PrefetchJob {
        PrefetchJob(source: "https://images.example.org/photographs/2026/\(number).jpg", variant: "w:400/f:webp")
    }

    private static func refuse() {
        print(usage)
        exit(64)
    }
}
