internal import FoundationEssentials

/// A file beside a disk cache that says which removals were made in it, so that the next process makes those that it missed.
struct RemovalRecord: Sendable {
    /// The removals that were made on a disk.
    enum Position: Sendable, Equatable {
        /// Those up to a position in the log of an identity.
        case known(log: UInt64, RemovalPosition)
        /// There is nothing on the disk yet.
        case nothing
        /// The disk has entries, and no record.
        case unknown
    }

    private let folder: String
    private let path: String

    /// - Parameters:
    ///   - folder: The folder of the disk cache.
    ///   - prefix: The first part of the fleet's keys: one disk may belong to several fleets, one after the other.
    init(in folder: String, prefix: String) {
        self.folder = folder
        path = "\(folder)/removals-\(prefix.split(separator: ":").last ?? "")"
    }

    /// The removals that were made when the record was written last: later ones may have been, too.
    var position: Position {
        let words = (try? String(contentsOfFile: path, encoding: .utf8))?.split(separator: " ") ?? []
        if words.count == 2, let log = UInt64(words[0]), log != 0, let position = RemovalPosition(String(words[1])) {
            return .known(log: log, position)
        }
        let files = try? FileManager.default.contentsOfDirectory(atPath: folder)
        return files?.isEmpty ?? true ? .nothing : .unknown
    }

    /// Notes removals as made. Where that fails, they are made once more by the next process.
    func write(_ log: UInt64, _ position: RemovalPosition) {
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try? "\(log) \(position)".write(toFile: path, atomically: true, encoding: .utf8)
    }
}
