#if Observability
public import Halcyon
internal import HalcyonSystem
public import Tracing

/// Makes a span of each load, with a span below it for each disk look-up, transfer, decoding, run of a processor and
/// encoding.
///
/// A load that is begun in a task belongs to the trace of that task, also a load of
/// ``ImagePipeline/task(for:)``. Of work that loads share, each has a span, those that have not begun it with the attribute
/// `halcyon.shared`. Spans of loads are named `halcyon.load` and have `halcyon.source`, without what may be secret in it, and
/// `halcyon.outcome`.
public final class TracingObserver: LoadObserving {
    private let tracer: any Tracer
    private let spans = Lock<[UInt64: any Span]>([:])

    /// An observer that starts spans with a tracer.
    ///
    /// - Parameter tracer: Default: that of the `InstrumentationSystem`, which is to be bootstrapped before.
    public init(tracer: any Tracer = InstrumentationSystem.tracer) {
        self.tracer = tracer
    }

    /// Starts or ends spans.
    public func observe(_ observation: LoadObservation) {
        switch observation.activity {
        case .began:
            let span = tracer.startSpan("halcyon.load", ofKind: .client)
            span.attributes["halcyon.source"] = observation.sourceName
            spans.withLock { $0[observation.load] = span }
        case .ended(let outcome, _):
            guard let span = spans.withLock({ $0.removeValue(forKey: observation.load) }) else { return }
            span.attributes["halcyon.outcome"] = outcome.name
            if case .failed(let error) = outcome {
                span.setStatus(SpanStatus(code: .error, message: "\(error.stage.rawValue): \(error.code)"))
            }
            span.end()
        case .lookedUpMemory, .joined, .hooksWithoutIdentity, .unregisteredFormat, .decodedInProgram, .transferBegan,
            .retrying,
            .tryingAlternative,
            .storedInMemory, .storedOnDisk:
            let name = "\(observation.activity)".prefix { $0 != "(" }
            spans.withLock { $0[observation.load] }?.addEvent(SpanEvent(name: "halcyon.\(name)"))
        case .lookedUpDisk(let content, let isFound, let byteCount, let duration):
            add("halcyon.disk", to: observation, duration) { attributes in
                attributes["halcyon.content"] = content.rawValue
                attributes["halcyon.found"] = isFound
                attributes["halcyon.bytes"] = byteCount
            }
        case .read(let byteCount, let duration):
            add("halcyon.read", to: observation, duration) { $0["halcyon.bytes"] = byteCount }
        case .transferred(let report):
            add("halcyon.transfer", to: observation, report.duration) { attributes in
                attributes["http.response.status_code"] = report.status
                attributes["halcyon.bytes"] = report.byteCount
                if let error = report.error { attributes["error.type"] = error.code }
            }
        case .decoded(let format, let size, let duration):
            add("halcyon.decode", to: observation, duration) { attributes in
                attributes["halcyon.format"] = format?.name
                attributes["halcyon.size"] = "\(size)"
            }
        case .processed(let processor, let size, let duration):
            add("halcyon.process", to: observation, duration) { attributes in
                attributes["halcyon.processor"] = processor
                attributes["halcyon.size"] = "\(size)"
            }
        case .encoded(let format, let byteCount, let duration):
            add("halcyon.encode", to: observation, duration) { attributes in
                attributes["halcyon.format"] = format.name
                attributes["halcyon.bytes"] = byteCount
            }
        }
    }

    /// Adds a span that has ended just now.
    private func add(
        _ name: String,
        to observation: LoadObservation,
        _ duration: Duration,
        _ describe: (inout SpanAttributes) -> Void
    ) {
        guard let parent = spans.withLock({ $0[observation.load] }) else { return }
        let end = DefaultTracerClock.now
        let nanoseconds = UInt64(max(0, duration.nanoseconds))
        let start = DefaultTracerClock.Timestamp(
            nanosecondsSinceEpoch: end.nanosecondsSinceEpoch - min(end.nanosecondsSinceEpoch, nanoseconds)
        )
        let span = tracer.startSpan(name, context: parent.context, at: start)
        span.updateAttributes { attributes in
            describe(&attributes)
            if observation.isShared { attributes["halcyon.shared"] = true }
        }
        span.end(at: end)
    }

    /// Returns whether both are the same observer.
    public static func == (left: TracingObserver, right: TracingObserver) -> Bool { left === right }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
#endif
