/// The two files that SQLite keeps beside an index while it is open, by their numbers: the log, and the index of the
/// log.
struct DiskIndexLog: Sendable {
    private struct File {
        let path: String
        let inode: UInt64
        let device: UInt64
    }

    private let files: [File]

    /// Those of an index that was opened.
    ///
    /// - Throws: `FileSystemError`: ``FileSystemError/notFound`` if they were removed since.
    init(of index: String, _ fileSystem: any FileSystem) throws(FileSystemError) {
        var files: [File] = []
        for path in [index + "-wal", index + "-shm"] {
            do throws(FileSystemError) {
                let status = try fileSystem.status(at: path)
                files.append(File(path: path, inode: status.inode, device: status.device))
            } catch  where error != .notFound {
                // A device that fails to answer is no reason not to open the index.
            }
        }
        self.files = files
    }

    /// Returns whether their names still lead to them. SQLite itself removes them only when no process has the index
    /// open.
    func isPresent(_ fileSystem: any FileSystem) -> Bool {
        files.allSatisfy { file in
            do throws(FileSystemError) {
                let status = try fileSystem.status(at: file.path)
                return status.inode == file.inode && status.device == file.device
            } catch {
                return error != .notFound && error != .notFolder
            }
        }
    }
}
