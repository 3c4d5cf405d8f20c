internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster

/// 10,000 images of 30 kB of a list from a server, each written as it came; nothing is cached before.
struct OriginalsToFilesCase: BenchmarkCase {
    /// A whole run takes seconds.
    private static let mostSamples = 5
    private static let imageCount = 10_000
    private static let byteCount = 30_000
    private static let parallelCounts = [50, 200]
    /// The highest ratio of wall times that the design allows, without a cache as `curl` has none.
    private static let budget = 1.3

    let usesCache: Bool
    let programs: CommandPrograms

    var name: String { "10,000 URLs of 30 kB to files, \(usesCache ? "with the disk cache" : "no cache")" }

    func results(_ settings: RunSettings) async throws -> [BenchmarkResult] {
        guard let halcyon = programs.halcyon, let curl = CommandPrograms.path(of: "curl") else {
            let ways = "swift build -c release --product HalcyonCommand, apt-get install curl"
            CommandPrograms.note("\(name): left out: \(ways)")
            return []
        }
        let origin = NginxOrigin { folder in
            let image = try SyntheticImage.photograph(PixelSize(480, 360))
            let options = EncodeOptions(quality: 95, maximumByteCount: Self.byteCount)
            try writeFile(folder.file("image.jpg"), ImageCodecs.standard.encode(image, as: .jpeg, options: options))
        }
        try origin.start()
        defer { origin.stop() }
        let url = try origin.url(.http1)
        let urls = (0..<Self.imageCount).map { "\(url)?\($0)" }
        var contenders = [ours(halcyon, urls)] + Self.parallelCounts.map { theirs(curl, urls, parallelCount: $0) }
        try CommandContender.measure(&contenders, samples: min(settings.samples, Self.mostSamples))
        return rows("wall", "s", contenders, budget: usesCache ? nil : Self.budget) { $0.time.wall / 1e9 }
            + rows("CPU", "s", contenders) { $0.time.processor / 1e9 }
            + rows("peak memory", "MB", contenders) { Double($0.peakMemory) / 1e6 }
    }

    private func ours(_ program: String, _ urls: [String]) -> CommandContender {
        CommandContender("halcyon get", path: program) { folder in
            let list = folder.file("list")
            let lines = urls.enumerated().map { "\($1)\t\($0)\n" }
            try writeFile(list, lines.joined().utf8)
            return ["get", "--from", list, "-o", folder.file("out/"), "--concurrency", "\(Self.parallelCounts[0])"]
                + (usesCache ? ["--cache-dir", folder.file("cache")] : ["--no-cache"])
        }
    }

    private func theirs(_ program: String, _ urls: [String], parallelCount: Int) -> CommandContender {
        CommandContender("curl --parallel-max \(parallelCount)", path: program) { folder in
            let list = folder.file("list")
            let lines = urls.enumerated().map { "url = \"\($1)\"\noutput = \"\(folder.file("out"))/\($0).jpg\"\n" }
            try writeFile(list, lines.joined().utf8)
            return ["--silent", "--fail", "--create-dirs", "--parallel", "--parallel-max", "\(parallelCount)"]
                + ["--config", list]
        }
    }

    /// Rows beside the better of the others, in each turn.
    private func rows(
        _ measure: String,
        _ unit: String,
        _ contenders: [CommandContender],
        budget: Double? = nil,
        _ figure: (ProcessCost) -> Double
    ) -> [BenchmarkResult] {
        let ours = contenders[0].costs.map(figure)
        let best = ours.indices.map { turn in
            contenders.dropFirst().map { figure($0.costs[turn]) }.min() ?? .infinity
        }
        let names = Self.parallelCounts.map(String.init).joined(separator: " and ")
        return [
            .pairs(
                "\(name), \(measure)",
                ours,
                "curl --parallel, the better of \(names) at a time",
                best,
                unit: unit,
                budget: budget
            )
        ]
    }
}
