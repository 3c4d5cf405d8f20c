internal import FoundationEssentials
internal import Halcyon
internal import HalcyonSystem

/// An image of a list of images, with its place in it.
struct ListItem: Sendable {
    /// The place in the list, from 0.
    let index: Int
    let argument: SourceArgument
    /// The name that the list has for the file, a relative path; `nil` for the one of the URL.
    var name: String?
    /// What is wrong with the line, if something is.
    var problem: String?
    /// Whether the report gets a line; an earlier one stays what it says of an image that could not be tried again.
    var isReported = true
    /// Whether the name without digits may be taken, see ``FolderOutput/mayBePlain``.
    var mayBePlain = true

    init(index: Int, argument: SourceArgument, name: String? = nil, problem: String? = nil) {
        self.index = index
        self.argument = argument
        self.name = name
        self.problem = problem
    }

    /// The image and the name of its file. Names are compared as bytes, as the system does: text that looks the same may
    /// name two files.
    struct Key: Hashable {
        private let argument: SourceArgument
        private let name: [UInt8]?

        fileprivate init(_ item: ListItem) {
            argument = item.argument
            name = item.name.map { Array($0.utf8) }
        }
    }

    var key: Key { Key(self) }

    /// Reads a line of a list: a URL or a path, and behind a tab a name; or a JSON object with `url` and, optionally,
    /// `name`.
    ///
    /// - Returns: `nil` for a blank line, and for one that begins with "#".
    init?(line: ArraySlice<UInt8>, index: Int) {
        let line = Self.withoutBlanks(line)
        guard let first = line.first, first != UInt8(ascii: "#") else { return nil }
        if first == UInt8(ascii: "{") {
            self.init(json: line, index: index)
            return
        }
        let tab = line.firstIndex(of: UInt8(ascii: "\t"))
        let source = Self.withoutBlanks(line[..<(tab ?? line.endIndex)])
        let name = tab.map { Self.withoutBlanks(line[($0 + 1)...]) }
        self.init(
            index: index,
            argument: SourceArgument(text: FilePath.text(of: Array(source))),
            name: name.flatMap { $0.isEmpty ? nil : String(decoding: $0, as: UTF8.self) }
        )
    }

    private struct Line: Decodable {
        let url: String
        let name: String?
    }

    private init(json: ArraySlice<UInt8>, index: Int) {
        guard let line = try? JSONDecoder().decode(Line.self, from: Data(json)) else {
            let text = String(decoding: json.prefix(200), as: UTF8.self)
            self.init(
                index: index,
                argument: SourceArgument(text: text),
                problem: "the line is no JSON object with a “url”"
            )
            return
        }
        let name = line.name.flatMap { $0.isEmpty ? nil : $0 }
        self.init(index: index, argument: SourceArgument(text: line.url), name: name)
    }

    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/source``.
    func check() throws(ImageError) {
        guard let problem else { return }
        throw ImageError(stage: .source, reason: .provider(problem), source: argument.text)
    }

    /// Without blanks, tabs and carriage returns at the ends.
    private static func withoutBlanks(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isBlank = { (byte: UInt8) in byte <= 0x20 }
        guard let start = line.firstIndex(where: { !isBlank($0) }), let last = line.lastIndex(where: { !isBlank($0) })
        else { return [] }
        return line[start...last]
    }
}
