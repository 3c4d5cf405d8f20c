internal import Dispatch
internal import HalcyonSystem

/// Synchronizes the names of bodies stored with full durability to the device: that of the file in its folder, and
/// those of the folders in theirs, which may have been made by a store without durability, or by another process.
final class DiskFolderSync: Sendable {
    /// Waits for its end, and throws its error.
    typealias Completion = () throws(FileSystemError) -> Void

    private let layout: DiskLayout
    private let fileSystem: any FileSystem
    /// The folders of bodies whose own names are on the device.
    private let named = Lock<Set<String>>([])

    init(_ layout: DiskLayout, _ fileSystem: any FileSystem) {
        self.layout = layout
        self.fileSystem = fileSystem
    }

    /// Begins to synchronize the folder of a body, on a thread of its own. A device takes the requests of several
    /// threads together, so this costs nothing beside the commit of the entry.
    ///
    /// - Parameter isNew: whether the folder was made for this body.
    func begin(_ file: Int64, isNew: Bool) -> Completion {
        let folder = layout.bodyFolder(file)
        let isNamed = named.withLock { !isNew && $0.contains(folder) }
        let parent = String(folder.dropLast(2))
        let paths = isNamed ? [folder] : [folder, parent, layout.bodies, layout.versionFolder]
        let failure = Lock<FileSystemError?>(nil)
        let group = DispatchGroup()
        for path in paths {
            // A queue each, because one that runs several at a time may have to wait for a thread of Swift's pool.
            DispatchQueue(label: "halcyon.disk-cache.synchronize").async(group: group) { [fileSystem] in
                do throws(FileSystemError) {
                    try fileSystem.synchronizeFolder(path)
                } catch {
                    failure.withLock { $0 = error }
                }
            }
        }
        return { () throws(FileSystemError) in
            group.wait()
            if let failure = failure.withLock({ $0 }) { throw failure }
            if !isNamed { _ = self.named.withLock { $0.insert(folder) } }
        }
    }
}
