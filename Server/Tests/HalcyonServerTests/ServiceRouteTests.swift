import FoundationEssentials
import HTTPTypes
import Halcyon
import HalcyonTesting
import HummingbirdTesting
import Testing

@testable import HalcyonServer
@testable import ServerURLs

@Suite("What a server shows of itself")
struct ServiceRouteTests {
    private func image(_ number: Int) -> QueuedImage {
        QueuedImage(plan: ImagePlan(source: "\(number)"), rule: .original())
    }

    @Test("Health is answered while the queue is full, and readiness says that it is")
    func health() async throws {
        let fixture = try await ServerFixture {
            $0.limits.concurrency = 1
            $0.limits.queue = 1
        }
        let gate = Gate()
        let queue = fixture.server.queue
        let running = Task { try await queue.run(image(1), .interactive) { await gate.wait() } }
        while queue.counts.running < 1 { await Task.yield() }
        #expect(try await fixture.answer("/ready").status == .ok)
        let waiting = Task { try await queue.run(image(2), .interactive) {} }
        while queue.counts.waiting < 1 { await Task.yield() }
        #expect(try await fixture.answer("/health").status == .ok)
        #expect(try await fixture.answer("/ready").status == .serviceUnavailable)
        try fixture.serve("https://origin.test/cat.png", ServerFixture.png())
        let refused = try await fixture.answer(fixture.path(["w:20"]))
        #expect(refused.status == .tooManyRequests && refused.headers[.retryAfter] == "1")
        gate.open()
        try await running.value
        try await waiting.value
        #expect(try await fixture.answer(fixture.path(["w:20"])).status == .ok)
    }

    @Test("An image in memory is answered while the queue is full")
    func memory() async throws {
        let fixture = try await ServerFixture {
            $0.limits.concurrency = 1
            $0.limits.queue = 0
        }
        try fixture.serve("https://origin.test/cat.png", ServerFixture.png())
        #expect(try await fixture.answer(fixture.path(["w:20"])).status == .ok)
        let gate = Gate()
        let queue = fixture.server.queue
        let running = Task { try await queue.run(image(1), .interactive) { await gate.wait() } }
        while queue.counts.running < 1 { await Task.yield() }
        #expect(try await fixture.answer(fixture.path(["w:20"])).status == .ok)
        #expect(try await fixture.answer(fixture.path(["w:21"])).status == .tooManyRequests)
        gate.open()
        try await running.value
    }

    @Test("Metrics count requests by route and status, in the text format of Prometheus")
    func metrics() async throws {
        let fixture = try await ServerFixture()
        try fixture.serve("https://origin.test/cat.png", ServerFixture.png())
        _ = try await fixture.answer(fixture.path(["w:20"]))
        _ = try await fixture.answer(fixture.path(["w:20"]))
        _ = try await fixture.answer("/unsafe/plain/a")
        let response = try await fixture.answer("/metrics")
        #expect(response.headers[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
        let lines = String(buffer: response.body).split(separator: "\n").map(String.init)
        #expect(lines.contains("# TYPE http_requests_total counter"))
        #expect(lines.contains("http_requests_total{route=\"image\",status=\"200\"} 2"))
        #expect(lines.contains("http_requests_total{route=\"refused\",status=\"403\"} 1"))
        #expect(lines.contains("http_images_total{source=\"memory\"} 1"))
        #expect(lines.contains("http_request_duration_seconds_count{route=\"image\"} 2"))
        #expect(lines.contains("http_request_duration_seconds_bucket{route=\"image\",le=\"+Inf\"} 2"))
        let silent = try await ServerFixture { $0.servesMetrics = false }
        #expect(try await silent.answer("/metrics").status == .badRequest)
    }

    @Test("A request is a span in the trace of its traceparent, and without one the first of its own")
    func tracing() async throws {
        let fixture = try await ServerFixture()
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
        let traceparent = try #require(HTTPField.Name("traceparent"))
        _ = try await fixture.answer("/health", [traceparent: "00-\(trace)-00f067aa0ba902b7-01"])
        _ = try await fixture.answer("/unsafe/plain/a")
        let spans = fixture.spans.values
        #expect(spans.map(\.name) == ["health", "refused"])
        #expect(
            spans[0].position.trace == trace && spans[0].parent == "00f067aa0ba902b7" && spans[0].position.isSampled
        )
        #expect(spans[1].position.trace != trace && spans[1].parent == nil)
        #expect(TraceContext(traceparent: spans[1].position.traceparent) == spans[1].position)
    }

    @Test("Parts of a URL make neither lines nor fields of the log")
    func forgedLines() async throws {
        let fixture = try await ServerFixture { $0.urls.allowsUnsigned = true }
        let (controls, forged) = ("x%0Astatus=200%0D%C2%85%C2%9B%7F%E2%80%A8", "x%20status=200%22%20route=purge")
        _ = try await fixture.answer("/unsafe/\(controls):1/plain/https://origin.test/cat.png")
        _ = try await fixture.answer("/unsafe/w:20/plain/https://origin.test/\(controls).png")
        _ = try await fixture.answer("/unsafe/\(forged):1/plain/https://origin.test/cat.png")
        _ = try await fixture.answer("/unsafe/w:20/plain/https://origin.test/\(forged).png")
        _ = try await fixture.answer("/unsafe/w:20/plain/https://origin.test/cat.png%3Ftoken=secret")
        let lines = fixture.lines.values
        #expect(lines.count == 5)
        for text in lines.flatMap(\.values).map({ "\($0)" }) {
            #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
            #expect(!text.unicodeScalars.contains("\u{2028}") && !text.contains("secret"))
        }
        #expect("\(lines[2]["error"] ?? "")" == #""There is no option “x status=200\" route=purge”.""#)
        #expect(lines[3]["source"] == "https://origin.test/x%20status=200%22%20route=purge.png")
    }

    @Test("A line of the log has the bytes that are sent: those of a range, and none for HEAD")
    func loggedBytes() async throws {
        let fixture = try await ServerFixture()
        try fixture.serve("https://origin.test/cat.png", ServerFixture.png())
        let path = try fixture.path(["w:20", "f:png"])
        let whole = try await fixture.answer(path)
        let head = try await fixture.answer(path, method: .head)
        #expect(head.headers[.contentLength] == "\(whole.body.readableBytes)")
        _ = try await fixture.answer(path, [.range: "bytes=0-1"])
        let counts = fixture.lines.values.map { "\($0["bytes"] ?? "")" }
        #expect(counts == ["\(whole.body.readableBytes)", "0", "2"])
    }

    @Test("The page is there where it is turned on, runs its own script alone, and signs samples alone")
    func page() async throws {
        let fixture = try await ServerFixture {
            $0.servesPage = true
            $0.samples = ["https://origin.test/cat.png"]
        }
        try fixture.serve("https://origin.test/cat.png", ServerFixture.png())
        let page = try await fixture.answer("/")
        #expect(page.status == .ok && page.headers[.contentSecurityPolicy]?.contains("script-src 'self'") == true)
        #expect(!String(buffer: page.body).contains("<script>"))
        for path in ["/page.js", "/page.css"] { #expect(try await fixture.answer(path).status == .ok) }
        let signed = try await fixture.answer("/page/sign?options=w:20&source=https://origin.test/cat.png")
        #expect(try await fixture.answer(String(buffer: signed.body)).status == .ok)
        #expect(
            try await fixture.answer("/page/sign?options=w:20&source=https://other.test/cat.png").status == .forbidden
        )
        // Another source behind options that are none.
        let moved = "/page/sign?options=plain/private.jpg%3F&source=https://origin.test/cat.png"
        #expect(try await fixture.answer(moved).status == .badRequest)
        let other = try await ServerFixture()
        #expect(try await other.answer("/").status == .badRequest)
        #expect(
            try await other.answer("/page/sign?options=w:20&source=https://origin.test/cat.png").status == .badRequest
        )
    }
}
