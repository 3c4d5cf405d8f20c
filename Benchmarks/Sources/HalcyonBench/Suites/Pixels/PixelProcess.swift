internal import Glibc

/// A contender that runs, as this side sees it.
final class PixelProcess {
    /// What is asked of it, and how it is started.
    struct Launch {
        /// What stands in the table if the process does not say it better.
        let name: String
        let program: String
        let arguments: [String]
        /// Whether its own name, with the version, is shown.
        let tellsItsName: Bool
    }

    /// What so many images took.
    struct Sample {
        /// For one image, nanoseconds.
        let time: TimeSample
        /// The greatest memory so far, beyond that at the start, bytes.
        let memory: Int
        /// The size of the file that was written, bytes.
        let byteCount: Int
    }

    let name: String
    private let process: LineProcess
    private let threadCount: Int

    init(_ launch: Launch, threadCount: Int) throws {
        process = try LineProcess(launch.program, launch.arguments)
        self.threadCount = threadCount
        let answer = try process.answer()
        guard answer.hasPrefix("ready ") else {
            throw BenchmarkError(answer)
        }
        name = launch.tellsItsName ? String(answer.dropFirst("ready ".count)) : launch.name
    }

    /// Does the work, so often on each thread.
    func run(_ count: Int) throws -> Sample {
        let answer = try process.ask("\(count)")
        let numbers = answer.split(separator: " ").compactMap { Double($0) }
        guard numbers.count == 4 else { throw BenchmarkError(answer) }
        let time = TimeSample(wall: numbers[0], processor: numbers[1]) / Double(count * threadCount)
        return Sample(time: time, memory: Int(numbers[2]), byteCount: Int(numbers[3]))
    }

    /// Fills caches and pools, and finds how often the work fits into a sample.
    func warmUp(_ sampleTime: Double) throws -> Int {
        var count = 1
        while true {
            let best = try (0..<3).map { _ in try run(count).time.wall }.min() ?? 0
            let elapsed = best * Double(count * threadCount)
            if elapsed >= sampleTime || count >= 1 << 20 { return count }
            let factor = elapsed > 0 ? sampleTime / elapsed * 1.1 : 10
            count = max(count + 1, Int(Double(count) * min(10, factor)))
        }
    }
}
