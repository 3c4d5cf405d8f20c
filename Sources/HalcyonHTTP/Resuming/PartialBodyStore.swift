internal import FoundationEssentials
internal import HTTPTypes
internal import HalcyonSystem

/// Keeps the received parts of interrupted bodies on disk, so that a later transfer asks for the rest only: after a
/// lost connection, a cancelled load, or the end of the process, however sudden.
///
/// A body is kept if the server gave it a strong validator, so that the rest can be asked for on condition that nothing
/// has changed (RFC 9110, section 13.1.5). Several processes may share a folder, and the folder may vanish at any time.
/// Damaged files count as none. A store that cannot read or write keeps nothing, and reports no error.
public final class PartialBodyStore: Sendable {
    package let configuration: Configuration
    /// The number of calls of ``removeAll(of:)`` in this process for each folder, which stores may share.
    private static let removals = Lock<[String: Int]>([:])
    var fileSystem: any FileSystem { configuration.fileSystem }

    /// A store; nothing is read or written before it is used.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// Removes the kept bodies, except those in use just now. Blocks while it works.
    public func removeAll() {
        removeSurplus(maximumEntries: 0, maximumBytes: 0)
    }

    /// Removes the bodies of some originals, also those in use: what is received of them from now on is not kept. Nor is
    /// what transfers receive that have begun but have had no response yet, of whichever original, also for other stores
    /// in the same folder. Blocks while it works.
    ///
    /// - Parameter isUnwanted: Returns whether the bodies of an original of this name are removed.
    package func removeAll(of isUnwanted: (String) -> Bool) {
        // First: an entry is made after this, and is not kept then, or is among those that are looked at.
        Self.removals.withLock { $0[configuration.folder, default: 0] += 1 }
        for entry in entries() where original(of: entry.name).map(isUnwanted) == true { removeFiles(entry.name) }
    }

    /// The removals until now, by which a transfer that begins tells whether what it receives may be kept.
    var removalCount: Int { Self.removals.withLock { $0[configuration.folder] ?? 0 } }

    /// Returns the number of kept bodies and of their bytes, those being transferred included. Blocks while it works.
    public func usage() -> (entries: Int, bytes: Int) {
        let entries = entries()
        return (entries.count, entries.reduce(0) { $0 + $1.bytes })
    }

    /// A Boolean value that indicates whether the folder is not one that other users may have made, where the user has
    /// no home.
    var isUsable: Bool {
        (try? configuration.location.prepare(configuration.folder, fileSystem)) != nil
    }

    var folder: String { "\(configuration.folder)/v\(PartialBodyJournal.version)" }

    func journal(_ name: String) -> String { "\(folder)/\(name).journal" }

    func body(_ name: String) -> String { "\(folder)/\(name).body" }
}
