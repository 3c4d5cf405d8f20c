/// Measures contenders in turn, A B A B, so that what else the machine does meets them alike.
///
/// The ratio is the median of the ratios within each pair, not the ratio of the medians: a slow moment then spoils one
/// pair and not one side.
struct PairedRun {
    private let settings: RunSettings

    init(_ settings: RunSettings) {
        self.settings = settings
    }

    func results(of work: some PairedCase) async throws -> [BenchmarkResult] {
        let contest = try await work.contest()
        let contenders = [contest.ours] + contest.references
        var counts: [Int] = []
        for contender in contenders {
            counts.append(try await warmUp(contender, work.repetitions))
        }
        var samples = [[TimeSample]](repeating: [], count: contenders.count)
        for _ in 0..<settings.samples {
            for (index, contender) in contenders.enumerated() {
                let start = TimeSample.now
                try await contender.run(counts[index])
                samples[index].append((TimeSample.now - start) / Double(counts[index]))
            }
        }
        noteIfCrowded(work, samples[0])
        return work.measures.flatMap { measure in
            results(of: work, contest, samples.map { $0.map { $0[measure.clock] / work.unit.inNanoseconds } }, measure)
        }
    }

    private func results(
        of work: some PairedCase,
        _ contest: Contest,
        _ samples: [[Double]],
        _ measure: Measure
    ) -> [BenchmarkResult] {
        let name = measure.clock == .wall ? work.name : "\(work.name), CPU"
        let ours = Distribution(samples[0])
        guard !contest.references.isEmpty else {
            return [BenchmarkResult(name, ours: ours.median, unit: work.unit.rawValue, spread: ours.spread)]
        }
        return contest.references.indices.map { index in
            let reference = samples[index + 1]
            let ratios = Distribution(zip(samples[0], reference).map { $0 / $1 })
            return BenchmarkResult(
                name,
                ours: ours.median,
                reference: .init(name: contest.references[index].name, value: Distribution(reference).median),
                ratio: ratios.median,
                unit: work.unit.rawValue,
                spread: ratios.spread,
                budget: index == 0 ? measure.budget : nil
            )
        }
    }

    /// Threads that have to take turns on one processor never meet, so that their row says nothing.
    private func noteIfCrowded(_ work: some PairedCase, _ samples: [TimeSample]) {
        let used = Distribution(samples.map { $0.processor / $0.wall }).median
        guard used < 0.75 * Double(work.processorCount), work.processorCount > 1 else { return }
        let tenths = Int((used * 10).rounded())
        StandardStream.error.writeLine(
            """
            halcyon-bench: \(work.name): only \(tenths / 10).\(tenths % 10) of \(work.processorCount) processors were \
            free for it; its row says nothing.
            """
        )
    }

    /// Fills caches and pools, and finds how often the work fits into a sample.
    private func warmUp(_ contender: Contender, _ repetitions: Repetitions) async throws -> Int {
        if case .fixed(let count) = repetitions {
            try await contender.run(count)
            return count
        }
        var count = 1
        while true {
            var elapsed = try await time(contender, count)
            // Twice more: another program that took the processor makes little work look long.
            for _ in 0..<2 where elapsed >= settings.sampleTime {
                elapsed = min(elapsed, try await time(contender, count))
            }
            if elapsed >= settings.sampleTime { return count }
            // Towards the goal in steps of ten at most: the first calls say little about the later ones.
            let factor = elapsed > 0 ? settings.sampleTime / elapsed * 1.1 : 10
            count = max(count + 1, Int(Double(count) * min(10, factor)))
        }
    }

    private func time(_ contender: Contender, _ count: Int) async throws -> Double {
        let start = TimeSample.now
        try await contender.run(count)
        return (TimeSample.now - start).wall
    }
}
