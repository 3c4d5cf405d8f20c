internal import Halcyon

/// The timeline of one load, drawn with a bar for each stage.
struct TraceReport {
    private let result: GetResult
    private static let barWidth = 40

    init(_ result: GetResult) {
        self.result = result
    }

    var lines: [String] {
        let name = result.argument.shownText
        let attempts = result.attempts.map { "  " + $0 }
        switch result.outcome {
        case .failed(let error):
            return [name] + attempts + ["  failed in stage \(error.stage.rawValue): \(error.message)"]
        case .skipped: return ["\(name)  (there already)"]
        case .loaded(let loaded):
            let spans = spans(of: loaded)
            let end = spans.map(\.end).max() ?? .zero
            return ["\(name)  (\(loaded.source.rawValue))"] + attempts + spans.map { line(for: $0, end: end) }
                + notes(on: loaded)
        }
    }

    private struct Span {
        let name: String
        let start: Duration
        let end: Duration
    }

    /// Returns the stages one after the other, as they ran; the transfer divided into its phases.
    private func spans(of loaded: GetResult.Loaded) -> [Span] {
        let timings = loaded.timings
        var spans: [Span] = []
        var now = Duration.zero
        func add(_ name: String, _ duration: Duration?) {
            guard let duration else { return }
            spans.append(Span(name: name, start: now, end: now + duration))
            now += duration
        }
        add("disk", timings.disk)
        if let metrics = loaded.metrics, let load = timings.load {
            let start = now
            var reached = Duration.zero
            for (name, end) in phases(of: metrics) where end > reached {
                spans.append(Span(name: name, start: start + reached, end: start + end))
                reached = end
            }
            now = start + max(load, reached)
        } else {
            add("load", timings.load)
        }
        add("decode", timings.decode)
        add("process", timings.process)
        add("encode", timings.encode)
        add("store", timings.store)
        add("write", loaded.writeTime)
        if spans.isEmpty { add("memory", timings.total) }
        return spans
    }

    /// Returns the moments at which the phases of a transfer ended.
    private func phases(of metrics: TransferMetrics) -> [(String, Duration)] {
        [
            ("queue", metrics.queued),
            ("name look-up", metrics.nameLookup),
            ("connect", metrics.connect),
            ("TLS", metrics.secureConnection),
            ("first byte", metrics.firstByte),
            ("body", metrics.total),
        ]
    }

    private func line(for span: Span, end: Duration) -> String {
        let total = max(end.milliseconds, 0.001)
        let first = Int(span.start.milliseconds / total * Double(Self.barWidth))
        let last = max(first + 1, Int((span.end.milliseconds / total * Double(Self.barWidth)).rounded()))
        let bar =
            String(repeating: " ", count: first) + String(repeating: "█", count: min(last, Self.barWidth + 1) - first)
        let name = span.name + String(repeating: " ", count: max(0, 13 - span.name.count))
        let padding = String(repeating: " ", count: max(0, Self.barWidth + 2 - bar.count))
        return "  \(name) \(bar)\(padding)\(Format.milliseconds(span.end - span.start)) ms"
    }

    private func notes(on loaded: GetResult.Loaded) -> [String] {
        guard let metrics = loaded.metrics else { return [] }
        let connection = metrics.isReusedConnection ? "reused connection" : "new connection"
        let redirects = metrics.redirectCount > 0 ? ", \(metrics.redirectCount) redirects" : ""
        return [
            "  \(metrics.networkProtocol), \(connection), \(Format.bytes(metrics.bodyBytesReceived)) on the wire\(redirects)"
        ]
    }
}
