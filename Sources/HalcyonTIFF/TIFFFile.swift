internal import FoundationEssentials
internal import HalcyonCodecs

/// The skeleton of a TIFF file: its header and the places of its directories, one for each page (TIFF 6.0 section 2;
/// BigTIFF has wider numbers in the same places).
struct TIFFFile {
    let reader: ByteReader
    let isBig: Bool
    private let firstDirectory: Int

    /// Reads the header.
    init(_ data: Data) throws(CodecError) {
        guard !data.isEmpty else {
            throw .empty
        }
        let isLittle = data.first == UInt8(ascii: "I")
        let reader = ByteReader(data, order: isLittle ? .littleEndian : .bigEndian)
        guard reader.hasText(isLittle ? "II" : "MM", at: 0) || data.count < 2 else {
            throw .corrupt(.tiff, reason: "no byte order")
        }
        guard let version = reader.uint16(at: 2) else {
            throw .truncated(.tiff)
        }
        guard version == 42 || version == 43 else {
            throw .corrupt(.tiff, reason: "version \(version)")
        }
        isBig = version == 43
        guard let first = isBig ? reader.uint64(at: 8) : reader.uint32(at: 4) else {
            throw data.count < 16 ? .truncated(.tiff) : .corrupt(.tiff, reason: "the place of the first directory")
        }
        self.reader = reader
        firstDirectory = first
    }

    /// The directories of the chain, and which of them are pages.
    struct Chain {
        /// The places of all directories, of which there is at least one.
        let directories: [Int]
        /// The indices of the directories that are pages, and no smaller versions or masks of another.
        let pageIndices: [Int]
        /// A Boolean value that indicates whether the chain was walked to its end.
        let isWhole: Bool

        /// The places of the pages.
        var pages: [Int] {
            // In raw files of cameras the only directory of the chain can be the thumbnail.
            pageIndices.isEmpty ? [directories[0]] : pageIndices.map { directories[$0] }
        }
    }

    /// Walks the chain once, up to a number of directories. One that leads back to a directory it passed, or out of the
    /// file, ends there.
    func chain(maximumCount: Int) throws(CodecError) -> Chain {
        var directories: [Int] = []
        var seen: Set<Int> = []
        var next = firstDirectory
        var isWhole = true
        while next > 0, seen.insert(next).inserted, let end = endOfEntries(at: next) {
            guard directories.count < max(1, maximumCount) else {
                isWhole = false
                break
            }
            directories.append(next)
            next = offset(at: end) ?? 0
        }
        guard !directories.isEmpty else {
            throw firstDirectory > 0 ? .truncated(.tiff) : .corrupt(.tiff, reason: "no directory")
        }
        let pages = directories.indices.filter { TIFFEntries.isPage(self, at: directories[$0]) }
        return Chain(directories: directories, pageIndices: pages, isWhole: isWhole)
    }

    /// A file offset, whose width is that of the kind of file.
    func offset(at place: Int) -> Int? {
        isBig ? reader.uint64(at: place) : reader.uint32(at: place)
    }

    /// The number of entries of a directory, and where they begin; `nil` where they do not all exist.
    func entries(at directory: Int) -> (count: Int, start: Int)? {
        guard let count = isBig ? reader.uint64(at: directory) : reader.uint16(at: directory) else {
            return nil
        }
        let start = directory + (isBig ? 8 : 2)
        // Also keeps the products below from overflowing.
        guard count <= reader.count / entrySize, start + count * entrySize <= reader.count else {
            return nil
        }
        return (count, start)
    }

    var entrySize: Int { isBig ? 20 : 12 }

    private func endOfEntries(at directory: Int) -> Int? {
        entries(at: directory).map { $0.start + $0.count * entrySize }
    }
}
