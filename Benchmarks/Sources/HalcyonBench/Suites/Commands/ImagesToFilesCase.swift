/// 500 images of 2 MP from a server, each resized to 200 pixels and written as a JPEG file; nothing is cached before.
struct ImagesToFilesCase: BenchmarkCase {
    /// A whole run takes seconds, and its figures differ little.
    private static let mostSamples = 5

    let usesCache: Bool
    let images: ImageOrigin
    let programs: CommandPrograms

    var name: String { "500 URLs of 2 MP to 200 px files, \(usesCache ? "with the disk cache" : "no cache")" }

    func results(_ settings: RunSettings) async throws -> [BenchmarkResult] {
        guard let halcyon = programs.halcyon else {
            CommandPrograms.note("\(name): left out: swift build -c release --product HalcyonCommand")
            return []
        }
        let urls = try images.urls()
        var contenders = [ours(halcyon, urls)] + [curlAndVips(urls), img2dataset(urls)].compactMap { $0 }
        try CommandContender.measure(&contenders, samples: min(settings.samples, Self.mostSamples))
        return rows("CPU", "s", contenders, hasBudget: true) { $0.time.processor / 1e9 }
            + rows("wall", "s", contenders) { $0.time.wall / 1e9 }
            + rows("peak memory", "MB", contenders) { Double($0.peakMemory) / 1e6 }
    }

    private func ours(_ program: String, _ urls: [String]) -> CommandContender {
        CommandContender("halcyon get", path: program) { folder in
            ["get", "--resize", "200x200", "--format", "jpeg", "-o", folder.file("out/")]
                + (usesCache ? ["--cache-dir", folder.file("cache")] : ["--no-cache"]) + urls
        }
    }

    private func curlAndVips(_ urls: [String]) -> CommandContender? {
        guard CommandPrograms.path(of: "curl") != nil, CommandPrograms.path(of: "vipsthumbnail") != nil else {
            CommandPrograms.note("curl and vipsthumbnail: not installed (apt-get install curl libvips-tools)")
            return nil
        }
        let script = """
            curl --silent --fail --parallel --parallel-max 8 --remote-name-all "$@" &&
            ls | xargs -P "$(nproc)" -n 50 vipsthumbnail --size 200x200 -o 'small-%s.jpg[Q=85]'
            """
        return CommandContender("curl --parallel, vipsthumbnail", budget: 1 / 2.5, path: "/bin/sh") { _ in
            ["-c", script, "sh"] + urls
        }
    }

    private func img2dataset(_ urls: [String]) -> CommandContender? {
        guard let path = CommandPrograms.path(of: "img2dataset") else {
            CommandPrograms.note("img2dataset: not installed (pip install img2dataset)")
            return nil
        }
        return CommandContender("img2dataset", budget: 1.0 / 6, path: path) { folder in
            let list = folder.file("urls.txt")
            try writeFile(list, urls.joined(separator: "\n").utf8)
            return [
                "--url_list", list, "--output_folder", folder.file("out"), "--image_size", "200", "--resize_mode",
                "keep_ratio", "--processes_count", "1", "--thread_count", "8", "--encode_quality", "85",
            ]
        }
    }

    private func rows(
        _ measure: String,
        _ unit: String,
        _ contenders: [CommandContender],
        hasBudget: Bool = false,
        _ figure: (ProcessCost) -> Double
    ) -> [BenchmarkResult] {
        let ours = contenders[0].costs.map(figure)
        guard contenders.count > 1 else {
            let distribution = Distribution(ours)
            return [
                BenchmarkResult(
                    "\(name), \(measure)",
                    ours: distribution.median,
                    unit: unit,
                    spread: distribution.spread
                )
            ]
        }
        return contenders.dropFirst().map { other in
            .pairs(
                "\(name), \(measure)",
                ours,
                other.name,
                other.costs.map(figure),
                unit: unit,
                budget: hasBudget ? other.budget : nil
            )
        }
    }
}
