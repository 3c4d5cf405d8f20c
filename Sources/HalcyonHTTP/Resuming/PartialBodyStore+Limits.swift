internal import FoundationEssentials
internal import HalcyonSystem

extension PartialBodyStore {
    /// One kept body, as far as the folder tells.
    struct Entry {
        let name: String
        let bytes: Int
        let modifiedAt: Date
    }

    /// Returns the entries in the folder.
    func entries() -> [Entry] {
        journals(among: names()).compactMap { name in
            guard let status = try? fileSystem.status(at: journal(name)) else { return nil }
            let bytes = (try? fileSystem.status(at: body(name)).size) ?? 0
            return Entry(name: name, bytes: bytes, modifiedAt: status.modifiedAt)
        }
    }

    /// Removes bodies that are too old, then the least recently written until no more than this is left. Those in use
    /// stay.
    func removeSurplus(maximumEntries: Int, maximumBytes: Int) {
        let names = names()
        guard !names.isEmpty else { return }
        removeOrphans(among: names)
        let entries = entries().sorted { $0.modifiedAt < $1.modifiedAt }
        var count = entries.count
        var bytes = entries.reduce(0) { $0 + $1.bytes }
        for entry in entries {
            guard isOver(entry.modifiedAt) || count > maximumEntries || bytes > maximumBytes else { continue }
            guard removeUnused(entry.name) else { continue }
            count -= 1
            bytes -= entry.bytes
        }
    }

    private func removeUnused(_ name: String) -> Bool {
        guard let descriptor = try? fileSystem.openForReading(journal(name)) else { return false }
        defer { fileSystem.close(descriptor) }
        return isLocked(descriptor) && removeFiles(name)
    }

    /// Removes bodies whose journals are gone. A journal is there before its body and after it, so no body in use is
    /// removed.
    private func removeOrphans(among names: [String]) {
        let journals = Set(journals(among: names))
        for name in names where name.hasSuffix(".body") {
            let name = String(name.dropLast(".body".count))
            guard !journals.contains(name) else { continue }
            do throws(FileSystemError) {
                _ = try fileSystem.status(at: journal(name))
            } catch .notFound {
                try? fileSystem.removeFile(body(name))
            } catch {}
        }
    }

    private func names() -> [String] {
        isUsable ? (try? fileSystem.namesIfPresent(inFolder: folder)) ?? [] : []
    }

    private func journals(among names: [String]) -> [String] {
        names.filter { $0.hasSuffix(".journal") }.map { String($0.dropLast(".journal".count)) }
    }
}
