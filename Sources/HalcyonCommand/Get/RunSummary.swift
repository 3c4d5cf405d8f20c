internal import Halcyon

/// The counts of a run, and the line that says them.
struct RunSummary: Sendable {
    private let start = ContinuousClock.now
    private var sources: [String: Int] = [:]
    private var skippedCount = 0
    private(set) var failedCount = 0
    private var byteCount = 0
    var isInterrupted = false

    private var count: Int { sources.values.reduce(0, +) + skippedCount + failedCount }

    mutating func add(_ result: GetResult) {
        switch result.outcome {
        case .loaded(let loaded):
            sources[loaded.source.rawValue, default: 0] += 1
            byteCount += loaded.byteCount
        case .skipped: skippedCount += 1
        case .failed: failedCount += 1
        }
    }

    /// "300 images, 2.1 MB in 1.2 s: 280 from network, 18 there already, 2 failed".
    var line: String {
        var parts = sources.sorted { $0.key < $1.key }.map { "\($0.value) from \($0.key)" }
        if skippedCount > 0 { parts.append("\(skippedCount) there already") }
        if failedCount > 0 { parts.append("\(failedCount) failed") }
        let images = count == 1 ? "1 image" : "\(count) images"
        let list = parts.isEmpty ? "" : ": \(parts.joined(separator: ", "))"
        let seconds = Format.decimal((ContinuousClock.now - start).milliseconds / 1000, places: 1)
        return "\(isInterrupted ? "Interrupted: " : "")\(images), \(Format.bytes(byteCount)) in \(seconds) s\(list)"
    }
}
