internal import Dispatch
internal import HalcyonSystem

/// Finds the images that a person has named: files, folders with all that is in them, links, and lists of links.
struct ItemReader: Sendable {
    /// A part of the images, in their order.
    struct Batch: Sendable {
        var items: [GalleryItem] = []
        /// What the person named that has no images.
        var problems: [ReadingProblem] = []
        /// A Boolean value that indicates whether there are more images than are taken.
        var isTruncated = false
    }

    /// The greatest number of images. Default: 100,000.
    var itemLimit = 100_000
    /// The greatest depth of folders in a folder. Default: 32.
    var depthLimit = 32
    /// The greatest number of images of a batch. Default: 500.
    var batchSize = 500

    /// Reads on a thread of its own until all is read, the limits are reached, or the stream is dropped.
    ///
    /// - Parameter locations: Paths and URLs, as a person types them.
    func batches(of locations: [String]) -> AsyncStream<Batch> {
        AsyncStream { continuation in
            let isCancelled = Lock(false)
            continuation.onTermination = { _ in isCancelled.withLock { $0 = true } }
            DispatchQueue(label: "gallery.reader", qos: .userInitiated).async {
                var run = Run(reader: self, isCancelled: { isCancelled.withLock { $0 } }) { continuation.yield($0) }
                run.read(locations)
                continuation.finish()
            }
        }
    }
}

extension ItemReader {
    /// Returns whether a text is a link, and not a path.
    static func isLink(_ text: String) -> Bool {
        text.contains("://") || ["file:", "data:"].contains(text.prefix(5).lowercased())
    }

    /// One reading.
    private struct Run {
        let reader: ItemReader
        let isCancelled: () -> Bool
        let deliver: (Batch) -> Void
        private var batch = Batch()
        private var count = 0

        init(reader: ItemReader, isCancelled: @escaping () -> Bool, deliver: @escaping (Batch) -> Void) {
            self.reader = reader
            self.isCancelled = isCancelled
            self.deliver = deliver
        }

        mutating func read(_ locations: [String]) {
            for location in locations where mayGoOn { read(location) }
            if !batch.items.isEmpty || !batch.problems.isEmpty || batch.isTruncated { deliver(batch) }
        }

        private var mayGoOn: Bool { count < reader.itemLimit && !isCancelled() }

        private mutating func read(_ location: String) {
            if ItemReader.isLink(location) {
                guard let item = GalleryItem(link: location) else {
                    batch.problems.append(.notALink(location))
                    return
                }
                if let path = item.path { readFile(path) } else { add(item) }
            } else {
                readFile(location)
            }
        }

        private mutating func readFile(_ path: String) {
            switch FileKind(of: path, followsLinks: true) {
            case .folder:
                let before = count
                let isRead = readFolder(path, depth: 0)
                guard mayGoOn, count == before else { return }
                batch.problems.append(isRead ? .noImages(path) : .unreadable(path))
            case .file where ImageFileName.isLinkList(path): readList(path)
            // Named by a person: what keeps it from being shown is said in its place.
            case .file, .link, .other: add(GalleryItem(file: path))
            }
        }

        private mutating func readList(_ path: String) {
            guard let lines = LinkList.lines(ofFile: path) else {
                batch.problems.append(.unreadable(path))
                return
            }
            if lines.isEmpty { batch.problems.append(.noImages(path)) }
            for line in lines where mayGoOn {
                let text = String(decoding: line, as: UTF8.self)
                guard ItemReader.isLink(text) else {
                    add(GalleryItem(file: Self.path(line, besideFile: path)))
                    continue
                }
                if let item = GalleryItem(link: text) { add(item) } else { batch.problems.append(.notALink(text)) }
            }
        }

        /// Returns a path that is relative to the folder of a file as it is relative to that of the program.
        private static func path(_ path: [UInt8], besideFile list: String) -> String {
            let (slash, list) = (UInt8(ascii: "/"), FilePath.bytes(of: list))
            guard path.first != slash, let end = list.lastIndex(of: slash) else { return FilePath.text(of: path) }
            return FilePath.text(of: list[...end] + path)
        }

        /// - Returns: Whether the folder could be read.
        @discardableResult
        private mutating func readFolder(_ path: String, depth: Int) -> Bool {
            guard mayGoOn, let contents = FolderContents(of: path, limit: reader.itemLimit) else { return false }
            for file in contents.files where mayGoOn { add(GalleryItem(file: file)) }
            guard depth < reader.depthLimit else { return true }
            for folder in contents.folders where mayGoOn { readFolder(folder, depth: depth + 1) }
            return true
        }

        private mutating func add(_ item: GalleryItem) {
            batch.items.append(item)
            count += 1
            batch.isTruncated = count == reader.itemLimit
            if batch.items.count >= reader.batchSize {
                deliver(batch)
                batch = Batch()
            }
        }
    }
}
