/// The statements that look for entries and files.
extension SQLiteConnection {
    /// Returns the files of bodies with this hash and length: most likely the same bytes, which the caller compares.
    /// Not of expired entries, which may be removed at any moment.
    func files(hash: UInt64, size: Int, at now: DiskTime) throws -> [Int64] {
        // Not DISTINCT, which takes a table of its own, and walks over all entries of one image.
        let find = try statement(
            """
            SELECT file FROM entry WHERE body_hash = ?1 AND size = ?2 AND file IS NOT NULL AND expires_at > ?3 LIMIT 4
            """
        )
        find.bind(Int64(bitPattern: hash), at: 1)
        find.bind(size, at: 2)
        find.bind(now.microseconds, at: 3)
        defer { find.reset() }
        var files: [Int64] = []
        while try find.step() {
            let file = find.integer(0)
            if !files.contains(file) { files.append(file) }
        }
        return files
    }

    /// Returns whether there is an entry with this number.
    func hasRow(_ id: Int64) throws -> Bool {
        let find = try statement("SELECT 1 FROM entry WHERE id = ?1")
        find.bind(id, at: 1)
        defer { find.reset() }
        return try find.step()
    }

    /// Returns whether an entry's body is in this file.
    func usesFile(_ file: Int64) throws -> Bool {
        let find = try statement("SELECT 1 FROM entry WHERE file = ?1")
        find.bind(file, at: 1)
        defer { find.reset() }
        return try find.step()
    }

    /// Returns those of the files that no entry uses any more. Entries with equal bodies share one.
    func unused(_ files: [Int64]) throws -> [Int64] {
        try files.filter { try !usesFile($0) }
    }
}
