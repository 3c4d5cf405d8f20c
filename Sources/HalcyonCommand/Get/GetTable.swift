internal import Halcyon

/// The table at the end of a round: for each image its source, bytes, sizes and the time of each stage.
struct GetTable {
    private let results: [GetResult]

    init(_ results: [GetResult]) {
        self.results = results
    }

    var lines: [String] {
        var table = TextTable([
            ("Image", .left), ("Source", .left), ("Bytes", .right), ("Original", .right), ("Result", .right),
            ("Load ms", .right), ("Decode", .right), ("Process", .right), ("Encode", .right), ("Total", .right),
        ])
        for result in results {
            table.append(row(for: result))
        }
        return table.lines + [summary]
    }

    private func row(for result: GetResult) -> [String] {
        let name = result.argument.abbreviated(to: 28)
        switch result.outcome {
        case .success(let loaded):
            let response = loaded.response
            let timings = response.timings
            let loading = [timings.disk, timings.load].compactMap { $0 }
            return [
                name,
                response.origin.rawValue,
                Format.bytes(response.byteCount),
                response.image.info.displaySize.description,
                response.image.size.description,
                Format.milliseconds(loading.isEmpty ? nil : loading.reduce(.zero, +)),
                Format.milliseconds(timings.decode),
                Format.milliseconds(timings.process),
                Format.milliseconds(loaded.encodeTime),
                Format.milliseconds(timings.total),
            ]
        case .failure(let error):
            return [name, "failed", "–", "–", "–", "–", "–", "–", "–", "\(error.stage.rawValue): \(error.code)"]
        }
    }

    private var summary: String {
        let loaded = results.compactMap { try? $0.outcome.get() }
        var counts: [String: Int] = [:]
        for item in loaded {
            counts[item.response.origin.rawValue, default: 0] += 1
        }
        let parts = counts.sorted { $0.key < $1.key }.map { "\($0.value) from \($0.key)" }
        let failed = results.count - loaded.count
        let failure = failed > 0 ? [failed == 1 ? "1 failed" : "\(failed) failed"] : []
        let byteCount = loaded.reduce(0) { $0 + $1.response.byteCount }
        let images = results.count == 1 ? "1 image" : "\(results.count) images"
        return "\(images), \(Format.bytes(byteCount)): \((parts + failure).joined(separator: ", "))"
    }
}
