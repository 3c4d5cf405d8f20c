internal import FoundationEssentials

/// An entry that is stored but not yet in the index.
struct StagedEntry {
    /// The location of the body.
    enum Content {
        case inline(Data)
        /// In a file that is in its place, and whose lock is held until the entry is in the index. Released before, it
        /// is removed.
        case file(IncomingFile)
        /// In the file of entries that are in the index.
        case sharedFile(Int64)
        /// Dropped, because the index could not be written. The entry that it was to replace must not be found either,
        /// until a transaction has removed that.
        case withdrawn
    }

    let key: String
    let content: Content
    let entry: NewDiskEntry
    /// The number of its store.
    let number: UInt64

    /// The number of bytes that it takes in memory.
    var byteCount: Int { (inlineBody?.count ?? 0) + entry.metadata.count + key.utf8.count }

    /// The number of bytes that it takes in a file.
    var fileByteCount: Int { inlineBody == nil ? entry.size : 0 }

    var inlineBody: Data? { if case .inline(let body) = content { body } else { nil } }

    /// A Boolean value that indicates whether it was withdrawn.
    var isWithdrawn: Bool { if case .withdrawn = content { true } else { false } }

    /// The entry that stays in its place when it is withdrawn.
    var withdrawn: StagedEntry {
        let entry = NewDiskEntry(
            metadata: Data(),
            size: 0,
            bodyHash: 0,
            storedAt: entry.storedAt,
            lifetime: entry.lifetime
        )
        return StagedEntry(key: key, content: .withdrawn, entry: entry, number: number)
    }

    /// The file that is to be kept with the entry.
    var incomingFile: IncomingFile? { if case .file(let file) = content { file } else { nil } }

    /// The number of the file that holds the body.
    var file: Int64? {
        switch content {
        case .inline, .withdrawn: nil
        case .file(let file): file.number
        case .sharedFile(let number): number
        }
    }

    /// The file, if only entries of the index keep it: it may have gone with the last of them.
    var borrowedFile: Int64? {
        switch content {
        case .inline, .withdrawn: nil
        case .file(let file): file.isKept ? file.number : nil
        case .sharedFile(let number): number
        }
    }

    /// The entry as the index will hold it.
    func row(id: Int64) -> DiskIndexRow {
        DiskIndexRow(id: id, key: key, body: inlineBody, file: file, entry: entry)
    }
}
