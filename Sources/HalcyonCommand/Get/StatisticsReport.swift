internal import Halcyon

/// The counters of a run: what came from where, and what was not done twice.
struct StatisticsReport {
    private let statistics: PipelineStatistics

    init(_ statistics: PipelineStatistics) {
        self.statistics = statistics
    }

    /// The lines that `--stats` prints. Lines about what did not happen are left out.
    var lines: [String] {
        let shared = statistics.shared.values.reduce(0, +)
        let rows: [(name: String, isShown: Bool, text: String)] = [
            ("Memory", true, Self.count(statistics.memoryHits, "hit")),
            ("Disk, results", true, "\(Self.count(statistics.resultHits, "hit")) of \(resultLookUps)"),
            (
                "Disk, originals", true,
                "\(Self.count(statistics.originalHits, "hit")) of \(originalLookUps), "
                    + "\(Format.bytes(statistics.savedBytes)) not received"
            ),
            ("Network", true, network),
            ("Files and data", statistics.readBytes > 0, "\(Format.bytes(statistics.readBytes)) read"),
            ("Shared work", shared > 0, sharedWork),
            (
                "Pixels", true,
                "\(statistics.decodings) decoded, \(statistics.processings) processed, \(statistics.encodings) encoded"
            ),
            ("Failures", statistics.failures > 0, Self.count(statistics.failures, "load")),
        ]
        let width = rows.map(\.name.count).max() ?? 0
        return rows.filter(\.isShown).map { row in
            row.name + String(repeating: " ", count: width + 2 - row.name.count) + row.text
        }
    }

    private var resultLookUps: Int { statistics.resultHits + statistics.resultMisses }
    private var originalLookUps: Int { statistics.originalHits + statistics.originalMisses }

    private var network: String {
        var parts = [
            "\(Self.count(statistics.transfers, "transfer")), \(Format.bytes(statistics.receivedBytes)) received"
        ]
        if statistics.revalidations > 0 { parts.append("\(statistics.revalidations) confirmed what the disk has") }
        if statistics.failedTransfers > 0 { parts.append("\(statistics.failedTransfers) failed") }
        return parts.joined(separator: ", ")
    }

    private var sharedWork: String {
        LoadActivity.SharedWork.allCases.compactMap { work in
            statistics.shared[work].map { Self.count($0, work.rawValue) }
        }
        .joined(separator: ", ")
    }

    private static func count(_ count: Int, _ noun: String) -> String {
        count == 1 || noun.hasSuffix("ing") ? "\(count) \(noun)" : "\(count) \(noun)s"
    }
}

extension StatisticsReport {
    /// The object that `--stats --json` prints after the images.
    struct Record: Encodable {
        let statistics: [String: Int]
    }

    var record: Record {
        var values = [
            "memoryHits": statistics.memoryHits,
            "loads": statistics.loads,
            "failures": statistics.failures,
            "resultHits": statistics.resultHits,
            "resultMisses": statistics.resultMisses,
            "originalHits": statistics.originalHits,
            "originalMisses": statistics.originalMisses,
            "savedBytes": statistics.savedBytes,
            "transfers": statistics.transfers,
            "failedTransfers": statistics.failedTransfers,
            "revalidations": statistics.revalidations,
            "receivedBytes": statistics.receivedBytes,
            "readBytes": statistics.readBytes,
            "decodings": statistics.decodings,
            "processings": statistics.processings,
            "encodings": statistics.encodings,
        ]
        for work in LoadActivity.SharedWork.allCases {
            values["shared.\(work.rawValue)"] = statistics.shared[work] ?? 0
        }
        return Record(statistics: values)
    }
}
