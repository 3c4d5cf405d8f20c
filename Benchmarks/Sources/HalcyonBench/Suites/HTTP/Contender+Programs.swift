/// Programs that download the same, each started for every sample: a start takes some milliseconds, the transfers hundreds.
extension Contender {
    /// The `curl` command, which holds no body in memory but writes each to nowhere.
    static func curlCommand(_ url: String, _ authority: String?) -> Contender {
        Contender("curl --parallel") { count in
            let folder = try TemporaryFolder()
            let list = folder.file("transfers")
            let transfer = "url = \"\(url)\"\noutput = \"/dev/null\"\n"
            try writeFile(list, String(repeating: transfer, count: count).utf8)
            // The folder lives until the program has ended.
            defer { withExtendedLifetime(folder) {} }
            try ChildProcess.run(
                "curl",
                ["--silent", "--fail", "--parallel", "--parallel-max", "\(HTTPSuite.concurrency)", "--config", list]
                    + (authority.map { ["--cacert", $0] } ?? [])
            )
        }
    }

    /// The program of the package in `Benchmarks/AsyncHTTPClient`.
    static func asyncHTTPClient(_ program: String, _ url: String, _ authority: String?) -> Contender {
        Contender("AsyncHTTPClient") { count in
            try ChildProcess.run(
                program,
                [url, "\(count)", "\(HTTPSuite.concurrency)", "\(count * NginxOrigin.bodySize)"]
                    + (authority.map { [$0] } ?? [])
            )
        }
    }
}
