internal import FoundationEssentials

/// The list of a collection of images, `MANIFEST.tsv`: fields between tabs, the names of the columns in the first line,
/// no quoting.
struct ImageManifest: Sendable {
    static let fileName = "MANIFEST.tsv"

    /// The line with the names of the columns.
    let header: String
    /// The files that are tests, in the order of the list.
    let rows: [ImageManifestRow]

    /// - Throws: ``MissingCorpus`` if it is not there.
    init(folder: CorporaFolder) throws {
        try self.init(String(decoding: folder.data(Self.fileName), as: UTF8.self))
    }

    init(_ text: String) {
        // By bytes: a carriage return before a line feed would make them one character.
        let lines = text.utf8.split(separator: UInt8(ascii: "\n")).map { line in
            String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
        }
        let header = lines.first ?? ""
        let columns = Self.columns(header)
        self.header = header
        rows = lines.dropFirst().compactMap { line in
            let row = ImageManifestRow(line: line, columns: columns)
            return row.isTest ? row : nil
        }
    }

    /// The names of the columns.
    static func columns(_ header: String) -> [String] {
        ImageManifestRow.fields(header)
    }
}
