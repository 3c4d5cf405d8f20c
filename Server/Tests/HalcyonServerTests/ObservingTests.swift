import Testing

@testable import HalcyonServer

@Suite("Metrics of Prometheus")
struct PrometheusMetricsTests {
    @Test("Names and labels are escaped, histograms are cumulative, and the number of series is bounded")
    func text() {
        let metrics = PrometheusMetrics()
        metrics.makeCounter(label: "a.b", dimensions: [("k", "x\"\\\ny")]).increment(by: 2)
        let timer = metrics.makeTimer(label: "t", dimensions: [])
        for nanoseconds in [500_000, 2_000_000, 60_000_000_000] as [Int64] { timer.recordNanoseconds(nanoseconds) }
        let lines = metrics.text.split(separator: "\n").map(String.init)
        #expect(lines.contains(#"a_b_total{k="x\"\\\ny"} 2"#))
        #expect(
            lines.contains("t_seconds_bucket{le=\"0.001\"} 1") && lines.contains("t_seconds_bucket{le=\"0.0025\"} 2")
        )
        #expect(lines.contains("t_seconds_bucket{le=\"+Inf\"} 3") && lines.contains("t_seconds_count 3"))
        for index in 0..<5_000 { metrics.makeCounter(label: "many", dimensions: [("i", "\(index)")]).increment(by: 1) }
        let many = metrics.text.split(separator: "\n").filter { $0.hasPrefix("many_total{") }
        #expect(many.count < 4_200)
        #expect(many.contains { $0.hasPrefix("many_total{overflow=\"true\"}") })
    }
}

extension PrometheusMetricsTests {
    @Test("A name that two kinds use has the values of the last one that was asked for")
    func kinds() {
        let metrics = PrometheusMetrics()
        for value in [1, 2] as [Double] {
            metrics.makeMeter(label: "m", dimensions: []).set(value)
            #expect(metrics.text == "# TYPE m gauge\nm \(Int(value))\n")
            metrics.makeRecorder(label: "m", dimensions: [], aggregate: true).record(value)
            #expect(metrics.text.contains("m_count 1\n") && !metrics.text.contains("gauge"))
        }
    }
}

@Suite("Trace contexts")
struct TraceContextTests {
    @Test(
        "A malformed traceparent begins a new trace",
        arguments: [
            "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x",
        ]
    )
    func malformedTrace(_ field: String) {
        #expect(TraceContext(traceparent: field) == nil)
        #expect(TraceContext(traceparent: "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x") != nil)
    }
}
