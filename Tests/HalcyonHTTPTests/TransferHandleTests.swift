import FoundationEssentials
import HalcyonSystem
import Testing

@testable import HalcyonHTTP

@Suite("A transfer that becomes known late")
struct TransferHandleTests {
    /// Notes the calls it gets.
    private final class NotingTransfer: Transfer {
        private let log = Lock<[String]>([])
        var calls: [String] { log.withLock { $0 } }

        func cancel() { log.withLock { $0.append("cancel") } }
        func setPriority(_ priority: LoadPriority) { log.withLock { $0.append("priority") } }
        func resume() { log.withLock { $0.append("resume") } }
    }

    private let handle = TransferHandle()
    private let transfer = NotingTransfer()

    @Test("is cancelled once, before or after", arguments: [true, false])
    func cancelled(isEarly: Bool) {
        if isEarly { handle.cancel() }
        handle.attach(transfer)
        handle.cancel()
        handle.cancel()
        #expect(transfer.calls == ["cancel"])
        #expect(handle.isCancelled && handle.transfer == nil)
    }

    @Test("is resumed, before or after", arguments: [true, false])
    func resumed(isEarly: Bool) {
        if isEarly { handle.resume() }
        handle.attach(transfer)
        if !isEarly { handle.resume() }
        #expect(transfer.calls == ["resume"])
        #expect(handle.transfer != nil && !handle.isCancelled)
    }

    @Test("is not resumed once it is cancelled")
    func resumedAfterCancel() {
        handle.resume()
        handle.cancel()
        handle.attach(transfer)
        handle.resume()
        #expect(transfer.calls == ["cancel"])
    }

    @Test("is left alone and not kept once it has ended", arguments: [true, false])
    func ended(isEarly: Bool) {
        if isEarly { handle.end() }
        handle.attach(transfer)
        if !isEarly { handle.end() }
        handle.cancel()
        handle.resume()
        #expect(transfer.calls == [])
        #expect(handle.transfer == nil && !handle.isCancelled)
    }
}
