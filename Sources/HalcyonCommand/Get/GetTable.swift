internal import Halcyon

/// The table at the end of a round: for each image its source, bytes, sizes and the time of each stage.
struct GetTable {
    private static let longestName = 28
    private static let shortestName = 8

    private let results: [GetResult]

    init(_ results: [GetResult]) {
        self.results = results
    }

    /// Returns the table with as many columns as `width` has room for: names are shortened first, then the times of
    /// single stages are left out.
    ///
    /// - Parameter width: The columns of the terminal; `nil` where there is none.
    func lines(width: Int?) -> [String] {
        let full = table(nameWidth: Self.longestName)
        guard let width, full.width > width else { return full.lines }
        var table = table(nameWidth: max(Self.shortestName, Self.longestName - (full.width - width)))
        for column in ["Encode", "Process", "Decode", "Load ms", "Original", "Source"] where table.width > width {
            table.remove(column: column)
        }
        return table.lines
    }

    private func table(nameWidth: Int) -> TextTable {
        var table = TextTable([
            ("Image", .left), ("Source", .left), ("Bytes", .right), ("Original", .right), ("Result", .right),
            ("Load ms", .right), ("Decode", .right), ("Process", .right), ("Encode", .right), ("Total", .right),
        ])
        for result in results {
            table.append(row(for: result, nameWidth: nameWidth))
        }
        return table
    }

    private func row(for result: GetResult, nameWidth: Int) -> [String] {
        // The file's name where there is one: images of one name have different files.
        let output = result.output?.pathParts.last.map { String($0).withoutControls }
        let name = (output ?? result.argument.shortName).abbreviated(toColumns: nameWidth)
        switch result.outcome {
        case .loaded(let loaded):
            let timings = loaded.timings
            let loading = [timings.disk, timings.load].compactMap { $0 }
            return [
                name,
                loaded.source.rawValue,
                Format.bytes(loaded.byteCount),
                loaded.originalSize.description,
                loaded.size.description,
                Format.milliseconds(loading.isEmpty ? nil : loading.reduce(.zero, +)),
                Format.milliseconds(timings.decode),
                Format.milliseconds(timings.process),
                Format.milliseconds(timings.encode),
                Format.milliseconds(timings.total),
            ]
        case .skipped: return [name, "there", "–", "–", "–", "–", "–", "–", "–", "there already"]
        case .failed(let error):
            return [name, "failed", "–", "–", "–", "–", "–", "–", "–", "\(error.stage.rawValue): \(error.code)"]
        }
    }
}
