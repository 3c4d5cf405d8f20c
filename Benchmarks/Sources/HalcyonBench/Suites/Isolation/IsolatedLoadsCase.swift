internal import FoundationEssentials
internal import Glibc
internal import Halcyon

/// A program that loads 500 images of 2 MP from a server and makes a small JPEG of each, with its images decoded by workers and
/// without: the processor time of all its processes, and the memory of all.
struct IsolatedLoadsCase: BenchmarkCase {
    /// The first word of the command line of the program.
    static let word = "isolated-loads"
    private static let isolation = "confined"
    private static let concurrency = 8
    private static let mostSamples = 5
    private static let mostMemory = 120.0

    let images: ImageOrigin

    let name = "500 URLs of 2 MP to 200 px"

    func results(_ settings: RunSettings) throws -> [BenchmarkResult] {
        let urls = try images.urls()
        let folder = try TemporaryFolder()
        // The processes read the list.
        defer { withExtendedLifetime(folder) {} }
        let list = folder.file("urls")
        try writeFile(list, urls.joined(separator: "\n").utf8)
        func contender(_ name: String, _ word: String) -> CommandContender {
            CommandContender(name, path: "/proc/self/exe") { _ in [Self.word, word, list] }
        }
        var contenders = [contender("confined", Self.isolation), contender("in the program", "none")]
        try CommandContender.measure(&contenders, samples: min(settings.samples, Self.mostSamples))
        func row(_ title: String, _ budget: Double? = nil, _ time: (TimeSample) -> Double) -> BenchmarkResult {
            .pairs(
                "\(name), \(title)",
                contenders[0].costs.map { time($0.time) / 1e9 },
                contenders[1].name,
                contenders[1].costs.map { time($0.time) / 1e9 },
                unit: "s",
                budget: budget
            )
        }
        return try [
            row("CPU", 1.1) { $0.processor },
            row("wall") { $0.wall },
            memory("memory", Self.isolation, list),
            memory("memory in the program", "none", list),
        ]
    }

    private func memory(_ title: String, _ isolation: String, _ list: String) throws -> BenchmarkResult {
        let most = Distribution([try Self.memory(isolation, list)])
        return .limit("\(name), \(title)", most, Self.mostMemory, unit: "MB")
    }

    /// The most memory of all processes of such a program, in megabytes.
    private static func memory(_ isolation: String, _ list: String) throws -> Double {
        let process = try LineProcess("/proc/self/exe", [word, isolation, list, "memory"])
        let answer = try process.answer()
        guard let memory = Double(answer) else { throw BenchmarkError(answer) }
        return memory / 1e6
    }

    /// Loads the images of a list. With a third word, prints the most memory that was in use.
    static func main(_ words: [String]) async {
        do {
            guard words.count >= 2 else { throw BenchmarkError("This is for halcyon-bench itself.") }
            let list = try String(contentsOf: URL(fileURLWithPath: words[1]), encoding: .utf8)
            let urls = list.split(separator: "\n").compactMap { URL(string: String($0)) }
            let measuresMemory = words.count > 2
            let isolation: DecodeIsolation =
                words[0] == Self.isolation ? .required([.process, .systemCalls]) : .none
            let most = try await load(urls, isolation, measuresMemory: measuresMemory)
            if measuresMemory { StandardStream.output.writeLine("\(most)") }
        } catch {
            StandardStream.output.writeLine("failed: \(error)")
            exit(EXIT_FAILURE)
        }
    }

    private static func load(_ urls: [URL], _ isolation: DecodeIsolation, measuresMemory: Bool) async throws -> Int {
        let pipeline = ImagePipeline(
            configuration: .init(
                downloader: ImageDownloader(transport: CurlTransport(configuration: .benchmark(nil))),
                defaultOptions: [
                    .processor(.resize(to: .pixels(200, 200))), .isolation(isolation), .cacheMemoryOnly, .forceRefresh,
                ]
            )
        )
        var most = 0
        try await withThrowingTaskGroup(of: Int.self) { group in
            for (number, url) in urls.enumerated() {
                if number >= concurrency {
                    _ = try await group.next()
                    if measuresMemory, number % 16 == 0 { most = max(most, Descendants.proportionalMemory) }
                }
                group.addTask { try await pipeline.encoded(for: url, as: .format(.jpeg)).data.count }
            }
            try await group.waitForAll()
        }
        return most
    }
}
