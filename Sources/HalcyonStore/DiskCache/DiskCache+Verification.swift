internal import FoundationEssentials

extension DiskCache {
    /// Reads every body and compares it with the index, and the files with the entries.
    ///
    /// - Parameter repair: true to correct the problems as well: damaged entries and orphans are removed. Default
    ///   false.
    /// - Throws: ``DiskCacheError`` if something cannot be read that may be sound.
    public func verify(repair: Bool = false) throws(DiskCacheError) -> VerificationReport {
        try failing(.maintain) {
            try flush()
            var report = VerificationReport()
            report.isRepaired = repair
            try withIndex { index in
                report.indexProblems = try index.read { try Self.indexProblems($0) }
                try verifyEntries(in: index, repair: repair, &report)
                report.hasExactTotals = try index.write { try Self.checkTotals($0, repair: repair) }
            }
            report.orphans = try removeOrphans(removes: repair)
            return report
        }
    }

    private func verifyEntries(in index: DiskIndex, repair: Bool, _ report: inout VerificationReport) throws {
        var last: Int64?
        while true {
            let rows = try index.read { try DiskIndexRow.batch(after: last, count: Self.batchSize, in: $0) }
            guard let end = rows.last else { return }
            last = end.id
            for row in rows {
                report.checkedCount += 1
                report.checkedBytes += row.size
                let reason: String
                switch try readBody(of: row) {
                case .sound: continue
                case .missing: reason = "its file is missing"
                case .damaged(let words): reason = words
                }
                // Not if it was replaced or removed since the row was read.
                guard try isStill(row, in: index) else { continue }
                report.damaged[row.key] = reason
                if repair { try discard(row, in: index, because: reason, waits: true) }
            }
        }
    }

    private func isStill(_ row: DiskIndexRow, in index: DiskIndex) throws -> Bool {
        try withKey(row.key) { key in
            let present = try index.read { try DiskIndexRow.find(key, in: $0) }
            return present?.storedAt == row.storedAt && present?.file == row.file
        }
    }

    private static func indexProblems(_ connection: SQLiteConnection) throws -> [String] {
        let check = try connection.statement("PRAGMA quick_check(20)")
        defer { check.reset() }
        var problems: [String] = []
        while try check.step() {
            problems.append(check.withBytes(0) { String(decoding: $0, as: UTF8.self) })
        }
        return problems == ["ok"] ? [] : problems
    }

    private static func checkTotals(_ connection: SQLiteConnection, repair: Bool) throws -> Bool {
        let compare = try connection.statement(
            """
            SELECT (bytes, inline_count, file_count) =
                (SELECT coalesce(sum(min(max(size, 0), 1099511627776) + length(key) + length(metadata)), 0), coalesce(sum(file IS NULL), 0),
                    coalesce(sum(file IS NOT NULL), 0) FROM entry)
            FROM total
            """
        )
        let isExact = try {
            defer { compare.reset() }
            return try compare.step() && compare.integer(0) != 0
        }()
        if !isExact, repair {
            try connection.execute(
                """
                UPDATE total SET (bytes, inline_count, file_count) =
                    (SELECT coalesce(sum(min(max(size, 0), 1099511627776) + length(key) + length(metadata)), 0), coalesce(sum(file IS NULL), 0),
                        coalesce(sum(file IS NOT NULL), 0) FROM entry)
                """
            )
        }
        return isExact
    }
}
