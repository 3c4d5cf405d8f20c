import HalcyonSystem
import Testing

@testable import Halcyon

@Suite("The progress of requests that follow each other in one load")
struct RequestOrderTests {
    @Test("follows that of all sources of the requests before")
    func order() {
        let status = Lock(WorkStatus())
        let accepted = Lock<[Bool]>([])
        let context = WorkContext(priority: PriorityBox(.normal)) { report in
            let isNewer = status.withLock { $0.add(report) }
            accepted.withLock { $0.append(isNewer) }
        }
        // The third source of the first request, then the first and the second of the next one.
        context.ofSource(2).report(.progress(ProgressReport()))
        let next = context.ofRequest(ImageRequest(Sample.url()), 1)
        next.report(.progress(ProgressReport()))
        next.ofSource(1).report(.progress(ProgressReport()))
        // A late report of the first request.
        context.ofSource(3).report(.progress(ProgressReport()))
        #expect(accepted.withLock { $0 } == [true, true, true, false])
    }
}
