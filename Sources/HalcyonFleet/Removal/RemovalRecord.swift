internal import FoundationEssentials

/// A file beside a disk cache that says which removals were made in it, so that the next process makes those that it missed: a
/// line with the identity of a log and a position in it for each of the logs that were heard last, the newest first.
struct RemovalRecord: Sendable {
    /// The removals that were made on a disk.
    enum Position: Sendable, Equatable {
        /// Those up to a position in each log, by its identity.
        case known([UInt64: RemovalPosition])
        /// There is nothing on the disk yet.
        case nothing
        /// The disk has entries, and no record.
        case unknown
    }

    /// The most logs of which it is known.
    static let logLimit = 8

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
        let lines = lines
        if !lines.isEmpty { return .known(Dictionary(lines.map { ($0.log, $0.position) }) { first, _ in first }) }
        let files = try? FileManager.default.contentsOfDirectory(atPath: folder)
        return files?.isEmpty ?? true ? .nothing : .unknown
    }

    private var lines: [(log: UInt64, position: RemovalPosition)] {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count == 2, let log = UInt64(words[0]), log != 0,
                let position = RemovalPosition(String(words[1]))
            else { return nil }
            return (log, position)
        }
    }

    /// Notes removals as made. Where that fails, they are made once more by the next process.
    func write(_ log: UInt64, _ position: RemovalPosition) {
        let lines = [(log: log, position: position)] + lines.filter { $0.log != log }
        let text = lines.prefix(Self.logLimit).map { "\($0.log) \($0.position)\n" }.joined()
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try? text.write(toFile: path, atomically: true, encoding: .utf8)
    }
}
