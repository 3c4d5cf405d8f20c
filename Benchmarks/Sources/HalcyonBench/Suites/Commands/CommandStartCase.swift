/// What the command takes before it does anything.
struct CommandStartCase: BenchmarkCase {
    let programs: CommandPrograms

    var name: String { "start of the command (--version)" }

    func results(_ settings: RunSettings) async throws -> [BenchmarkResult] {
        guard let halcyon = programs.halcyon else {
            CommandPrograms.note("\(name): left out: swift build -c release --product HalcyonCommand")
            return []
        }
        let folder = try TemporaryFolder()
        // The first reads the program and its libraries from the disk.
        _ = try MeasuredProcess.run(halcyon, ["--version"], in: folder.path)
        let costs = try (0..<max(settings.samples, 11)).map { _ in
            try MeasuredProcess.run(halcyon, ["--version"], in: folder.path)
        }
        return [
            .limit("\(name), wall", Distribution(costs.map { $0.time.wall / 1e6 }), 15, unit: "ms"),
            .limit("\(name), memory", Distribution(costs.map { Double($0.peakMemory) / 1e6 }), 15, unit: "MB"),
        ]
    }
}
