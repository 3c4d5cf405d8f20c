internal import FoundationEssentials
internal import HTTPTypes
internal import HalcyonFiles

/// Keeps what has come of interrupted bodies on disk, so that a later transfer asks for the rest only: after a lost
/// connection, a cancelled load, or the end of the process, however sudden.
///
/// A body is kept if the server gave it a strong validator, so that the rest can be asked for on condition that nothing
/// has changed (RFC 9110, section 13.1.5). Several processes may share a folder, and the folder may vanish at any time.
/// Damaged files are as good as none. A store that cannot read or write keeps nothing, and that is all.
public final class PartialBodyStore: Sendable {
    let configuration: Configuration
    var fileSystem: any FileSystem { configuration.fileSystem }

    /// A store; nothing is read or written before it is used.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// Removes what is kept, except what is being used just now. Blocks while it works.
    public func removeAll() {
        removeSurplus(maximumEntries: 0, maximumBytes: 0)
    }

    /// What is kept: the number of bodies and their bytes, those being transferred included. Blocks while it works.
    public func usage() -> (entries: Int, bytes: Int) {
        let entries = entries()
        return (entries.count, entries.reduce(0) { $0 + $1.bytes })
    }

    /// Whether the folder is not one that other users may have made, where the user has no home.
    var isUsable: Bool {
        (try? configuration.location.prepare(configuration.folder, fileSystem)) != nil
    }

    var folder: String { "\(configuration.folder)/v\(PartialBodyJournal.version)" }

    func journal(_ name: String) -> String { "\(folder)/\(name).journal" }

    func body(_ name: String) -> String { "\(folder)/\(name).body" }

    // MARK: Using an entry

    /// The body kept for a key, checked byte by byte, for the caller alone; `nil` if there is none, or another transfer,
    /// of this process or another, is using it. Blocks.
    func take(_ key: PartialBodyKey) -> PartialBody? {
        guard isUsable, let descriptor = try? fileSystem.openForAppending(journal(key.name)) else { return nil }
        guard isLocked(descriptor) else {
            fileSystem.close(descriptor)
            return nil
        }
        do throws(FileSystemError) {
            if let body = try read(key, descriptor) { return body }
            removeFiles(key.name)
        } catch {
            // It may be sound, and readable another time.
        }
        fileSystem.close(descriptor)
        return nil
    }

    /// Begins to keep a body; `nil` if that is not possible, among others because another transfer is doing so. Blocks.
    func begin(_ key: PartialBodyKey, _ response: PartialResponse) -> PartialBody? {
        guard isUsable, response.totalBytes ?? 0 <= configuration.maximumBytes,
            let head = PartialBodyJournal(key, response).head()
        else { return nil }
        removeSurplus(
            maximumEntries: configuration.maximumEntries - 1,
            maximumBytes: configuration.maximumBytes - (response.totalBytes ?? 0)
        )
        guard let descriptor = try? createJournal(key.name) else { return nil }
        guard isLocked(descriptor) else {
            fileSystem.close(descriptor)
            return nil
        }
        do throws(FileSystemError) {
            try write(head.bytes, to: descriptor)
            let file = try createBody(key.name)
            return PartialBody(
                store: self,
                name: key.name,
                response: response,
                journal: descriptor,
                body: file,
                seed: head.seed
            )
        } catch {
            removeFiles(key.name)
            fileSystem.close(descriptor)
            return nil
        }
    }

    /// Takes the lock that says who uses an entry. It ends with the process, so the dead hold none. False if somebody
    /// else has it, or has removed the entry since it was opened.
    func isLocked(_ journal: FileDescriptor) -> Bool {
        guard (try? fileSystem.lock(journal, waits: false)) == true,
            let status = try? fileSystem.status(of: journal)
        else { return false }
        return status.kind == .file && status.linkCount > 0
    }

    /// By who holds the lock. The journal goes last, so that a body without one belongs to nobody.
    @discardableResult
    func removeFiles(_ name: String) -> Bool {
        let isBodyGone = (try? fileSystem.removeFileIfPresent(body(name))) != nil
        return (try? fileSystem.removeFileIfPresent(journal(name))) != nil && isBodyGone
    }

    private func createJournal(_ name: String) throws(FileSystemError) -> FileDescriptor {
        do throws(FileSystemError) {
            return try fileSystem.create(journal(name))
        } catch .notFound {
            try fileSystem.createFolders(folder)
            return try fileSystem.create(journal(name))
        }
    }

    private func createBody(_ name: String) throws(FileSystemError) -> FileDescriptor {
        do throws(FileSystemError) {
            return try fileSystem.create(body(name))
        } catch .exists {
            try fileSystem.removeFile(body(name))
            return try fileSystem.create(body(name))
        }
    }

    func write(_ bytes: [UInt8], to descriptor: FileDescriptor) throws(FileSystemError) {
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(FileSystemError) in try fileSystem.writeAll(descriptor, from: bytes) }
        }
        try result.get()
    }
}
