/// Thumbnails in a build for debugging, beside those in this one.
struct DebugBuildCase: BenchmarkCase {
    let name: String
    let program: String
    let work: PixelWork
    let contenders: PixelContenders
    let input: (PixelInputs) throws -> PixelInput

    func results(_ settings: RunSettings) async throws -> [BenchmarkResult] {
        let processes = try contenders.startBuilds(program, work, input(contenders.inputs()))
        let counts = try processes.map { try $0.warmUp(settings.sampleTime) }
        var samples: [[Double]] = [[], []]
        for _ in 0..<settings.samples {
            for (index, process) in processes.enumerated() {
                samples[index].append(try process.run(counts[index]).time.processor / 1e6)
            }
        }
        return [
            .pairs("\(name), CPU", samples[0], processes[1].name, samples[1], unit: "ms", budget: 20)
        ]
    }
}
