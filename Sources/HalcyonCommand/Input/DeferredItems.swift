internal import FoundationEssentials
internal import Glibc
internal import Halcyon

/// Images that are left for last, in their order. A list may have millions of one host, so all but the first are kept in a
/// file without a name.
struct DeferredItems: ~Copyable {
    private static let memoryCount = 1_000

    private var memory: [ListItem] = []
    private var file: UnsafeMutablePointer<FILE>?
    private var isReading = false

    /// The number of images that are left.
    private(set) var count = 0

    deinit {
        if let file { fclose(file) }
    }

    /// Adds an image; after the first ``next()``, none is added any more.
    mutating func append(_ item: ListItem) {
        count += 1
        if file == nil, memory.count >= Self.memoryCount { file = tmpfile() }
        // Where no file can be made, memory has to do.
        guard let file else { return memory.append(item) }
        fputs("\(item.index) \(item.mayBePlain ? 1 : 0) \(item.line)\n", file)
    }

    /// Removes and returns some of the images; none at the end.
    mutating func next() -> [ListItem] {
        if !memory.isEmpty {
            count -= memory.count
            defer { memory = [] }
            return memory
        }
        guard count > 0, let file else { return [] }
        if !isReading { rewind(file) }
        isReading = true
        var items: [ListItem] = []
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(line) }
        while items.count < Self.memoryCount, getline(&line, &capacity, file) > 0, let line {
            let parts = String(cString: line).split(separator: " ", maxSplits: 2)
            guard parts.count == 3, let index = Int(parts[0]),
                var item = ListItem(line: Array(parts[2].utf8)[...], index: index)
            else { continue }
            item.mayBePlain = parts[1] == "1"
            items.append(item)
        }
        count = items.isEmpty ? 0 : count - items.count
        return items
    }
}
