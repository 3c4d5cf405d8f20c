/// A piece of work on pixels, done by ours and by others in processes of their own, so that the memory of each can be told,
/// and libraries of one name do not meet.
struct PixelCase: BenchmarkCase {
    /// What the design asks of a ratio, by whom ours is measured against.
    struct Budgets {
        var newestVips: Double?
        var debianVips: Double?
        var library: Double?
        var pillow: Double?
        /// Megabytes at the peak.
        var memory: Double?
    }

    let name: String
    let work: PixelWork
    let budgets: Budgets
    let contenders: PixelContenders
    /// Makes the input.
    let input: (PixelInputs) throws -> PixelInput

    private struct Competitor {
        let process: PixelProcess
        let budget: Double?
        var count = 1
        var samples: [PixelProcess.Sample] = []
    }

    func results(_ settings: RunSettings) async throws -> [BenchmarkResult] {
        let input: PixelInput
        do {
            input = try self.input(contenders.inputs())
        } catch {
            contenders.note("\(name): left out: \(error)")
            return []
        }
        return try [1, 2].flatMap { try results(settings, input, threadCount: $0) }
    }

    private func results(
        _ settings: RunSettings,
        _ input: PixelInput,
        threadCount: Int
    ) throws -> [BenchmarkResult] {
        var competitors = contenders.start(work, input, threadCount: threadCount, budgets, for: name).map {
            Competitor(process: $0.process, budget: $0.budget)
        }
        guard !competitors.isEmpty else { return [] }
        for index in competitors.indices {
            competitors[index].count = try competitors[index].process.warmUp(settings.sampleTime)
        }
        for _ in 0..<settings.samples {
            for index in competitors.indices {
                competitors[index].samples.append(try competitors[index].process.run(competitors[index].count))
            }
        }
        let title = threadCount == 1 ? name : "\(name), \(threadCount) threads"
        var rows = rows("\(title), CPU", "ms", competitors, hasBudget: true) { $0.time.processor / 1e6 }
        rows += self.rows("\(title), wall", "ms", competitors) { $0.time.wall / 1e6 }
        if threadCount == 1 {
            rows += memory(title, competitors)
            if case .encode = work {
                rows += self.rows("\(title), size", "kB", competitors) { Double($0.byteCount) / 1e3 }
            }
        }
        return rows
    }

    private func rows(
        _ title: String,
        _ unit: String,
        _ competitors: [Competitor],
        hasBudget: Bool = false,
        _ figure: (PixelProcess.Sample) -> Double
    ) -> [BenchmarkResult] {
        let ours = competitors[0].samples.map(figure)
        guard competitors.count > 1 else {
            let distribution = Distribution(ours)
            return [BenchmarkResult(title, ours: distribution.median, unit: unit, spread: distribution.spread)]
        }
        return competitors.dropFirst().map { other in
            let budget = hasBudget ? other.budget : nil
            return .pairs(title, ours, other.process.name, other.samples.map(figure), unit: unit, budget: budget)
        }
    }

    /// Peaks only grow, so that the last sample tells them.
    private func memory(_ title: String, _ competitors: [Competitor]) -> [BenchmarkResult] {
        let peaks = competitors.map { Double($0.samples.last?.memory ?? 0) / 1e6 }
        let title = "\(title), peak memory"
        var rows = competitors.indices.dropFirst().map { index in
            BenchmarkResult(
                title,
                ours: peaks[0],
                reference: .init(name: competitors[index].process.name, value: peaks[index]),
                ratio: peaks[0] / max(peaks[index], 0.001),
                unit: "MB"
            )
        }
        if let limit = budgets.memory {
            rows.append(.limit(title, Distribution([peaks[0]]), limit, unit: "MB"))
        }
        return rows
    }
}
