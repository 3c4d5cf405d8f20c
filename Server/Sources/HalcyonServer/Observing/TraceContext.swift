internal import Synchronization
package import Tracing

/// The position of a request in a trace, as the header `traceparent` states it (W3C Trace Context, level 1).
package struct TraceContext: Sendable, Hashable {
    /// The 32 hexadecimal digits of the trace.
    package let trace: String
    /// The 16 hexadecimal digits of the span.
    package let span: String
    /// `true` if the caller records the trace.
    package let isSampled: Bool

    /// Reads the value of the header; `nil` if it is malformed. Of versions after 00, what is known is read
    /// (section 3.2.4).
    package init?(traceparent text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 4, parts[0].utf8.count == 2, parts[1].utf8.count == 32, parts[2].utf8.count == 16,
            parts[3].utf8.count == 2,
            parts[0] != "ff", parts[0] != "00" || parts.count == 4,
            parts[0...3].allSatisfy({ $0.utf8.allSatisfy(Self.isDigit) }),
            parts[1].contains(where: { $0 != "0" }), parts[2].contains(where: { $0 != "0" }),
            let flags = UInt8(parts[3], radix: 16)
        else { return nil }
        trace = String(parts[1])
        span = String(parts[2])
        isSampled = flags & 1 == 1
    }

    init(trace: String, span: String, isSampled: Bool) {
        self.trace = trace
        self.span = span
        self.isSampled = isSampled
    }

    /// Returns the position of a new span: in the same trace, or in a new one without a parent.
    static func next(after parent: TraceContext?) -> TraceContext {
        // 16 digits, of which the first is 1, as all zeros are invalid.
        func digits() -> String { String(UInt64.random(in: 1 << 60..<2 << 60), radix: 16) }
        return TraceContext(
            trace: parent?.trace ?? digits() + digits(),
            span: digits(),
            isSampled: parent?.isSampled ?? false
        )
    }

    /// The value of the header.
    package var traceparent: String { "00-\(trace)-\(span)-\(isSampled ? "01" : "00")" }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) }
}

private enum TraceContextKey: ServiceContextKey {
    typealias Value = TraceContext
    static let nameOverride: String? = "traceparent"
}

extension ServiceContext {
    /// The position in a trace; `nil` outside of one.
    package var traceContext: TraceContext? {
        get { self[TraceContextKey.self] }
        set { self[TraceContextKey.self] = newValue }
    }
}

/// A tracer that reads and writes `traceparent`, and hands over each span at its end: to the log, or to a test.
package struct TraceContextTracer: Tracer {
    private let onEnd: @Sendable (FinishedSpan) -> Void

    /// - Parameter onEnd: Called with each span that has ended, on the thread on which it ended.
    package init(onEnd: @escaping @Sendable (FinishedSpan) -> Void) {
        self.onEnd = onEnd
    }

    /// A span that has ended.
    package struct FinishedSpan: Sendable {
        /// The name of the operation.
        package var name: String
        /// The position in the trace.
        package var position: TraceContext
        /// The digits of the span that it is a part of; `nil` for the first of a trace.
        package var parent: String?
        /// The nanoseconds from its start to its end.
        package var nanoseconds: UInt64
        /// The attributes.
        package var attributes: SpanAttributes
        /// `true` if it has failed.
        package var hasFailed: Bool
    }

    package func startSpan<Instant: TracerInstant>(
        _ operationName: String,
        context: @autoclosure () -> ServiceContext,
        ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant,
        function: String,
        file fileID: String,
        line: UInt
    ) -> TraceSpan {
        TraceSpan(operationName, context(), instant().nanosecondsSinceEpoch, onEnd)
    }

    package func activeSpan(identifiedBy context: ServiceContext) -> TraceSpan? { nil }

    package func forceFlush() {}

    package func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier,
        into context: inout ServiceContext,
        using extractor: Extract
    )
    where Extract.Carrier == Carrier {
        context.traceContext = extractor.extract(key: "traceparent", from: carrier).flatMap {
            TraceContext(traceparent: $0)
        }
    }

    package func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext,
        into carrier: inout Carrier,
        using injector: Inject
    )
    where Inject.Carrier == Carrier {
        if let position = context.traceContext {
            injector.inject(position.traceparent, forKey: "traceparent", into: &carrier)
        }
    }
}

/// A span that has not ended.
package final class TraceSpan: Span {
    private struct State {
        var name: String
        var attributes: SpanAttributes = [:]
        var hasFailed = false
        var hasEnded = false
    }

    package let context: ServiceContext
    private let position: TraceContext
    private let parent: String?
    private let start: UInt64
    private let state: Mutex<State>
    private let onEnd: @Sendable (TraceContextTracer.FinishedSpan) -> Void

    init(
        _ name: String,
        _ context: ServiceContext,
        _ start: UInt64,
        _ onEnd: @escaping @Sendable (TraceContextTracer.FinishedSpan) -> Void
    ) {
        position = TraceContext.next(after: context.traceContext)
        parent = context.traceContext?.span
        var context = context
        context.traceContext = position
        self.context = context
        self.start = start
        self.onEnd = onEnd
        state = Mutex(State(name: name))
    }

    package var operationName: String {
        get { state.withLock { $0.name } }
        set { state.withLock { $0.name = newValue } }
    }

    package var attributes: SpanAttributes {
        get { state.withLock { $0.attributes } }
        set { state.withLock { $0.attributes = newValue } }
    }

    package var isRecording: Bool { state.withLock { !$0.hasEnded } }

    package func setStatus(_ status: SpanStatus) {
        if case .error = status.code { state.withLock { $0.hasFailed = true } }
    }

    package func addEvent(_ event: SpanEvent) {}

    package func recordError<Instant: TracerInstant>(
        _ error: any Error,
        attributes: SpanAttributes,
        at instant: @autoclosure () -> Instant
    ) {
        state.withLock { $0.hasFailed = true }
    }

    package func addLink(_ link: SpanLink) {}

    package func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        let end = instant().nanosecondsSinceEpoch
        let finished = state.withLock { state -> TraceContextTracer.FinishedSpan? in
            guard !state.hasEnded else { return nil }
            state.hasEnded = true
            return TraceContextTracer.FinishedSpan(
                name: state.name,
                position: position,
                parent: parent,
                nanoseconds: end > start ? end - start : 0,
                attributes: state.attributes,
                hasFailed: state.hasFailed
            )
        }
        if let finished { onEnd(finished) }
    }
}
