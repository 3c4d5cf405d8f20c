internal import ArgumentParser
internal import Halcyon

/// The command `halcyon cache`.
struct CacheCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "Inspect, verify and trim the disk cache.",
        subcommands: [Hosts.self, Stats.self, List.self, Verify.self, Trim.self, Clear.self, Remove.self],
        defaultSubcommand: Hosts.self
    )

    /// The arguments that all subcommands take.
    struct Arguments: ParsableArguments {
        @OptionGroup var place: CacheArguments

        @Flag(name: .long, help: "Print JSON, one object a line.")
        var json = false

        /// Runs `body` on the cache, and reports a failure.
        func run<Result>(_ body: (ImageCache) async throws -> Result) async throws -> Result {
            do {
                let cache = ImageCache(disk: place.configuration)
                cache.add(PartialBodyStore(.init(folder: place.partialFolder)))
                return try await body(cache)
            } catch let error as ImageError {
                Terminal.warn(error.message)
                throw ExitCode(1)
            }
        }
    }
}

extension CacheCommand {
    /// The command `halcyon cache stats`.
    struct Stats: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the number and size of the entries in the cache."
        )

        @OptionGroup var arguments: Arguments

        private struct Record: Encodable {
            let entries: Int
            let bytes: Int
            let limit: Int
            let inline: Int
            let files: Int
            let expired: Int
        }

        func run() async throws {
            let statistics = try await arguments.run { try await $0.diskStatistics() }
            if arguments.json {
                let record = Record(
                    entries: statistics.count,
                    bytes: statistics.bytes,
                    limit: statistics.sizeLimit,
                    inline: statistics.inlineCount,
                    files: statistics.fileCount,
                    expired: statistics.expiredCount
                )
                Terminal.print(JSONLine.text(record))
                return
            }
            var table = TextTable([("", .left), ("", .right)])
            table.append(["Entries", "\(statistics.count)"])
            table.append(["  in the index", "\(statistics.inlineCount)"])
            table.append(["  as files", "\(statistics.fileCount)"])
            table.append(["  expired", "\(statistics.expiredCount)"])
            table.append(["Size", Format.bytes(statistics.bytes)])
            table.append(["Limit", Format.bytes(statistics.sizeLimit)])
            for line in table.lines.dropFirst(2) { Terminal.print(line) }
        }
    }

    /// The command `halcyon cache list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the entries in the cache, the most recently used first."
        )

        @OptionGroup var arguments: Arguments

        @Option(name: .long, help: ArgumentHelp("Show at most this many entries. (default: all)", valueName: "N"))
        var limit: Int?

        private struct Record: Encodable {
            let url: String
            let kind: String
            let bytes: Int
            let stored: String
            let expires: String?
        }

        func validate() throws {
            if let limit, limit < 0 { throw ValidationError("--limit must not be negative.") }
        }

        func run() async throws {
            let images = try await arguments.run { try await $0.storedImages(limit: limit ?? .max) }
            if arguments.json {
                for image in images {
                    let record = Record(
                        url: image.original,
                        kind: image.isProcessed ? "processed" : "original",
                        bytes: image.listing.bodySize,
                        stored: image.listing.storedAt.formatted(.iso8601),
                        expires: image.listing.expiresAt?.formatted(.iso8601)
                    )
                    Terminal.print(JSONLine.text(record))
                }
                return
            }
            guard !images.isEmpty else { return Terminal.print("Nothing is in the cache.") }
            var table = TextTable([("Bytes", .right), ("Kind", .left), ("Stored", .left), ("Image", .left)])
            for image in images {
                table.append([
                    Format.bytes(image.listing.bodySize),
                    image.isProcessed ? "processed" : "original",
                    image.listing.storedAt.formatted(.iso8601),
                    image.original,
                ])
            }
            for line in table.lines { Terminal.print(line) }
        }
    }

    /// The command `halcyon cache verify`.
    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check each entry against its checksum; exit code 1 if anything is wrong."
        )

        @OptionGroup var arguments: Arguments

        @Flag(name: .long, help: "Remove damaged entries.")
        var repair = false

        private struct Record: Encodable {
            let checked: Int
            let bytes: Int
            let damaged: [String]
            let orphans: Int
            let sound: Bool
            let repaired: Bool
        }

        func run() async throws {
            let report = try await arguments.run { try await $0.verifyDisk(repair: repair) }
            if arguments.json {
                let record = Record(
                    checked: report.checkedCount,
                    bytes: report.checkedBytes,
                    damaged: report.damaged.keys.map { ParsedDiskKey($0).original }.sorted(),
                    orphans: report.orphans.count,
                    sound: report.isSound,
                    repaired: report.isRepaired
                )
                Terminal.print(JSONLine.text(record))
            } else {
                describe(report)
            }
            if !report.isSound, !report.isRepaired { throw ExitCode(1) }
        }

        private func describe(_ report: DiskCache.VerificationReport) {
            Terminal.print("Checked \(report.checkedCount) entries, \(Format.bytes(report.checkedBytes)).")
            for (key, reason) in report.damaged.sorted(by: { $0.key < $1.key }) {
                Terminal.print("Damaged: \(ParsedDiskKey(key).original): \(reason)")
            }
            if !report.orphans.isEmpty { Terminal.print("Files that belong to no entry: \(report.orphans.count)") }
            if !report.hasExactTotals { Terminal.print("The totals in the index are wrong.") }
            for problem in report.indexProblems { Terminal.print("Index: \(problem)") }
            Terminal.print(report.isSound ? "Everything is sound." : report.isRepaired ? "Repaired." : "Not repaired.")
        }
    }

    /// The command `halcyon cache trim`.
    struct Trim: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove expired entries, then the least recently used ones until the cache is small enough."
        )

        @OptionGroup var arguments: Arguments

        @Option(
            name: .long,
            help: ArgumentHelp(
                "Leave at most this many bytes, such as 500000, 500k, 100M, 2G. (default: the limit of the cache)",
                valueName: "SIZE"
            )
        )
        var to: ByteCountArgument?

        func run() async throws {
            try await arguments.run { cache in
                let before = try await cache.diskStatistics()
                try await cache.trimDisk(to: to?.byteCount ?? before.sizeLimit)
                let after = try await cache.diskStatistics()
                report(before, after, json: arguments.json)
            }
        }
    }

    /// The command `halcyon cache clear`.
    struct Clear: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove everything from the cache.")

        @OptionGroup var arguments: Arguments

        func run() async throws {
            try await arguments.run { cache in
                // On a full disk there may be no space to open the index.
                let before = try? await cache.diskStatistics()
                try await cache.removeAllFromDisk()
                report(before, try? await cache.diskStatistics(), json: arguments.json)
            }
        }
    }

    /// The command `halcyon cache remove`.
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove images, in all their sizes; exit code 1 if one was not there."
        )

        @Argument(help: ArgumentHelp("The images to remove.", valueName: "URL"))
        var urls: [String]

        @OptionGroup var arguments: Arguments

        private struct Record: Encodable {
            let url: String
            let removed: Int
        }

        func run() async throws {
            let isComplete = try await arguments.run { cache in
                var isComplete = true
                for argument in urls.map(SourceArgument.init(text:)) {
                    let url = argument.shownText
                    var count = try await cache.remove(for: ImageRequest(argument.source()), from: .disk)
                    // Those of credentials and cookies, which have other keys, are listed by the same URL.
                    if count == 0 { count = try await cache.removeFromDisk { $0.original == url } }
                    isComplete = isComplete && count > 0
                    if arguments.json {
                        Terminal.print(JSONLine.text(Record(url: url, removed: count)))
                    } else if count == 0 {
                        Terminal.warn("\(url) is not in the cache")
                    } else {
                        Terminal.print("Removed \(url) (\(count == 1 ? "1 entry" : "\(count) entries")).")
                    }
                }
                return isComplete
            }
            if !isComplete { throw ExitCode(1) }
        }
    }
}

/// Reports how much a change has freed, as far as that is known.
private func report(_ before: DiskCache.Statistics?, _ after: DiskCache.Statistics?, json: Bool) {
    struct Record: Encodable {
        let removed: Int
        let freed: Int
        let entries: Int
        let bytes: Int
    }
    let (entries, bytes) = (after?.count ?? 0, after?.bytes ?? 0)
    let record = Record(
        removed: (before?.count ?? entries) - entries,
        freed: (before?.bytes ?? bytes) - bytes,
        entries: entries,
        bytes: bytes
    )
    if json {
        Terminal.print(JSONLine.text(record))
    } else {
        Terminal.print(
            "Removed \(record.removed) entries, \(Format.bytes(record.freed));"
                + " left \(record.entries), \(Format.bytes(record.bytes))."
        )
    }
}
