import HalcyonHTTP
import HalcyonSystem
import HalcyonTesting
import Testing

@Suite("the scheduler of transfers")
struct TransferSchedulerTests {
    private typealias Scheduler = TransferScheduler<Int>

    private let hosts = (0..<8).compactMap { Origin("http://host\($0).test/") }
    private let start = MonotonicTime(nanoseconds: 1_000_000_000)

    /// Expectations cannot call mutating functions themselves.
    private func next(_ scheduler: inout Scheduler, at time: MonotonicTime) -> Scheduler.Entry? {
        scheduler.next(at: time)
    }

    private func drained(_ scheduler: inout Scheduler) -> [Int] {
        var elements: [Int] = []
        while let entry = scheduler.next(at: start) {
            elements.append(entry.element)
            scheduler.ended(entry)
            scheduler.checkInvariants()
        }
        return elements
    }

    @Test("lets the first or the last come go first, within a priority", arguments: TransferOrder.allCases)
    func order(order: TransferOrder) {
        var scheduler = Scheduler(maximumTransfers: 1, maximumTransfersPerHost: 1, order: order)
        for element in 0..<4 { _ = scheduler.append(element, origin: hosts[element % 2], priority: .normal) }
        _ = scheduler.append(4, origin: hosts[2], priority: .low)
        _ = scheduler.append(5, origin: hosts[2], priority: .high)
        let isFirst = order == .firstInFirstOut
        #expect(drained(&scheduler) == (isFirst ? [5, 0, 1, 2, 3, 4] : [5, 3, 2, 1, 0, 4]))
    }

    @Test(
        "starts those of one priority in the order of their places, whenever they come",
        arguments: TransferOrder.allCases
    )
    func places(order: TransferOrder) {
        var scheduler = Scheduler(maximumTransfers: 1, maximumTransfersPerHost: 1, order: order)
        for place in [3, 1, 7, 5, 6, 2, 4] {
            _ = scheduler.append(place, origin: hosts[place % 2], priority: .normal, place: UInt64(place))
        }
        // Those without a place come after all that were there, and those that go on before.
        _ = scheduler.append(8, origin: hosts[0], priority: .normal)
        _ = scheduler.append(9, origin: hosts[0], priority: .normal, place: 9)
        let places = Array(1...9)
        _ = scheduler.append(0, origin: hosts[0], priority: .normal, place: 10, isUnderWay: true)
        #expect(drained(&scheduler) == [0] + (order == .firstInFirstOut ? places : places.reversed()))
    }

    @Test("lets what is under way go before all that wait with its priority", arguments: TransferOrder.allCases)
    func underWay(order: TransferOrder) {
        var scheduler = Scheduler(maximumTransfers: 1, maximumTransfersPerHost: 1, order: order)
        _ = scheduler.append(0, origin: hosts[0], priority: .normal)
        _ = scheduler.append(1, origin: hosts[1], priority: .high)
        _ = scheduler.append(2, origin: hosts[0], priority: .normal, isUnderWay: true)
        #expect(drained(&scheduler) == [1, 2, 0])
    }

    @Test("keeps a host to its limit until it multiplexes, and never stops another one")
    func hostLimit() throws {
        var scheduler = Scheduler(maximumTransfers: 5, maximumTransfersPerHost: 2)
        for element in 0..<10 { _ = scheduler.append(element, origin: hosts[0], priority: .veryHigh) }
        _ = scheduler.append(10, origin: hosts[1], priority: .veryLow)
        let first = try #require(next(&scheduler, at: start))
        #expect(next(&scheduler, at: start)?.element == 1)
        #expect(next(&scheduler, at: start)?.element == 10)
        #expect(next(&scheduler, at: start) == nil)
        scheduler.ended(first)
        let second = try #require(next(&scheduler, at: start))
        #expect(second.element == 2 && next(&scheduler, at: start) == nil)
        scheduler.markMultiplexing(second)
        #expect(next(&scheduler, at: start)?.element == 3)
        #expect(next(&scheduler, at: start)?.element == 4)
        #expect(next(&scheduler, at: start) == nil, "five run")
        scheduler.checkInvariants()
        scheduler.markMultiplexing(second, false)
        scheduler.ended(second)
        #expect(next(&scheduler, at: start) == nil, "its server has gone back to one transfer a connection")
        scheduler.checkInvariants()
    }

    @Test("lets one of the transfers that a connection has lost open a new one, and the others wait to share it")
    func renewal() throws {
        var scheduler = Scheduler(maximumTransfers: 64, maximumTransfersPerHost: 6)
        func startAll() -> [Scheduler.Entry] {
            var started: [Scheduler.Entry] = []
            while let entry = scheduler.next(at: start) {
                scheduler.markMultiplexing(entry)
                started.append(entry)
            }
            return started
        }
        func lose(_ entries: [Scheduler.Entry]) {
            for entry in entries {
                scheduler.ended(entry)
                _ = scheduler.append(entry.element, origin: hosts[0], priority: .normal, isUnderWay: true)
            }
        }
        for element in 0..<60 { _ = scheduler.append(element, origin: hosts[0], priority: .normal) }
        let first = startAll()
        #expect(first.count == 60 && first.allSatisfy { $0.renewalCount == 0 })
        lose(first)

        let opener = try #require(next(&scheduler, at: start))
        let isOpening = scheduler.renewsConnection(opener, since: 0)
        #expect(isOpening && next(&scheduler, at: start) == nil)
        scheduler.checkInvariants()
        let isOpen = scheduler.connectionIsRenewed(by: opener)
        let isOpenAgain = scheduler.connectionIsRenewed(by: opener)
        #expect(isOpen && !isOpenAgain)
        let others = startAll()
        #expect(others.count == 59)
        for entry in others {
            let opensAnother = scheduler.renewsConnection(entry, since: 0)
            #expect(!opensAnother && entry.renewalCount == 1)
        }

        // The new connection is lost, too, and the one that opens another ends before that is there.
        lose(others)
        let second = try #require(next(&scheduler, at: start))
        let isOpeningNext = scheduler.renewsConnection(second, since: 1)
        #expect(isOpeningNext && next(&scheduler, at: start) == nil)
        scheduler.ended(second)
        #expect(startAll().count == 58)
        scheduler.checkInvariants()
    }

    @Test("lets each transfer that a connection without multiplexing has lost open its own")
    func separateRenewals() throws {
        var scheduler = Scheduler(maximumTransfers: 64, maximumTransfersPerHost: 6)
        for element in 0..<7 { _ = scheduler.append(element, origin: hosts[0], priority: .normal) }
        for _ in 0..<6 {
            let entry = try #require(next(&scheduler, at: start))
            let isOpening = scheduler.renewsConnection(entry, since: 0)
            #expect(isOpening)
        }
        #expect(next(&scheduler, at: start) == nil)
    }

    @Test("starts a burst, then one for each token, and says when the next is due")
    func rate() throws {
        let rate = StartRate(startsPerSecond: 10, burst: 3)
        var scheduler = Scheduler(maximumTransfers: 100, maximumTransfersPerHost: 100, startRate: rate)
        #expect(scheduler.nextStart == .distantFuture)
        for element in 0..<20 { _ = scheduler.append(element, origin: hosts[0], priority: .normal) }
        func started(at time: MonotonicTime) -> Int {
            var count = 0
            while scheduler.next(at: time) != nil { count += 1 }
            return count
        }
        #expect(started(at: start) == 3)
        #expect(scheduler.nextStart == start + .milliseconds(100))
        #expect(started(at: start + .milliseconds(99)) == 0)
        #expect(started(at: start + .milliseconds(100)) == 1)
        // A late look loses no token.
        #expect(started(at: start + .milliseconds(350)) == 2)
        #expect(scheduler.nextStart == start + .milliseconds(400))
        // A rest gives no more than the burst.
        #expect(started(at: start + .seconds(60)) == 3)
        #expect(started(at: start + .seconds(3600)) == 3)
        #expect(started(at: start + .seconds(7200)) == 3)
        #expect(scheduler.waitingCount == 5)
    }

    @Test("takes no token for what is cancelled in the queue, nor while there is no room")
    func cancelledTokens() throws {
        let rate = StartRate(startsPerSecond: 1, burst: 1)
        var scheduler = Scheduler(maximumTransfers: 1, maximumTransfersPerHost: 1, startRate: rate)
        let cancelled = (0..<1000).map { scheduler.append($0, origin: hosts[0], priority: .normal) }
        for entry in cancelled { scheduler.remove(entry) }
        _ = scheduler.append(1000, origin: hosts[0], priority: .normal)
        _ = scheduler.append(1001, origin: hosts[0], priority: .normal)
        let running = try #require(next(&scheduler, at: start))
        #expect(running.element == 1000)
        let later = start + .seconds(1)
        #expect(next(&scheduler, at: later) == nil)
        #expect(scheduler.nextStart == .distantFuture, "only an end makes room")
        scheduler.ended(running)
        #expect(next(&scheduler, at: later)?.element == 1001)
    }

    @Test("bears odd rates", arguments: [0, -1, .nan, .infinity, 1e-300, 1e300])
    func oddRates(startsPerSecond: Double) {
        let rate = StartRate(startsPerSecond: startsPerSecond, burst: .min)
        var scheduler = Scheduler(maximumTransfers: 9, maximumTransfersPerHost: 9, startRate: rate)
        for element in 0..<9 { _ = scheduler.append(element, origin: hosts[0], priority: .normal) }
        #expect(next(&scheduler, at: start) != nil)
        #expect(scheduler.nextStart > start)
    }

    @Test("chooses as a search through all that wait would, whatever happens", arguments: TransferOrder.allCases)
    func model(order: TransferOrder) throws {
        struct Waiting {
            let entry: Scheduler.Entry
            let host: Int
            var priority: LoadPriority
            /// The place that it was given.
            let given: Int?
            var place = 0
        }
        var numbers = SeededGenerator(seed: 11)
        var scheduler = Scheduler(maximumTransfers: 6, maximumTransfersPerHost: 2, order: order)
        // In the order in which equals go.
        var waiting: [Waiting] = []
        var running: [Waiting] = []
        var lastPlace = 0
        // No two calls have the same one.
        var places: Set<Int> = []
        func lineUp(_ item: Waiting, place: Int? = nil, first: Bool = false) {
            var item = item
            let place = place ?? lastPlace + 1
            if first {
                item.place = .min
                return waiting.insert(item, at: 0)
            }
            lastPlace = max(lastPlace, place)
            places.insert(place)
            item.place = order == .firstInFirstOut ? place : -place
            waiting.insert(item, at: waiting.firstIndex { $0.place > item.place } ?? waiting.count)
        }
        for step in 0..<4000 {
            let priority = LoadPriority.allCases[Int(numbers.next() % 5)]
            let host = Int(numbers.next() % 8)
            switch numbers.next() % 8 {
            case 0, 1:
                let isUnderWay = numbers.next() % 10 == 0
                let number = lastPlace + Int(numbers.next() % 30) - 15
                let place = number < 0 || places.contains(number) ? nil : number
                let entry = scheduler.append(
                    step,
                    origin: hosts[host],
                    priority: priority,
                    place: place.map(UInt64.init),
                    isUnderWay: isUnderWay
                )
                let item = Waiting(entry: entry, host: host, priority: priority, given: place)
                lineUp(item, place: place, first: isUnderWay)
            case 3 where !waiting.isEmpty:
                let index = Int(numbers.next() % UInt64(waiting.count))
                scheduler.setPriority(priority, of: waiting[index].entry)
                if waiting[index].priority != priority {
                    var item = waiting.remove(at: index)
                    item.priority = priority
                    lineUp(item, place: item.given)
                }
            case 4 where !waiting.isEmpty:
                scheduler.remove(waiting.remove(at: Int(numbers.next() % UInt64(waiting.count))).entry)
            case 5 where !running.isEmpty:
                scheduler.ended(running.remove(at: Int(numbers.next() % UInt64(running.count))).entry)
            default:
                let ready = waiting.indices.filter { index in
                    running.count < 6 && running.count { $0.host == waiting[index].host } < 2
                }
                let highest = ready.map { waiting[$0].priority }.max()
                let expected = ready.first { waiting[$0].priority == highest }
                #expect(next(&scheduler, at: start)?.element == expected.map { waiting[$0].entry.element })
                if let expected { running.append(waiting.remove(at: expected)) }
            }
            #expect(scheduler.waitingCount == waiting.count && scheduler.runningCount == running.count)
            if step % 16 == 0 { scheduler.checkInvariants() }
        }
        #expect(Set(scheduler.removeAll().map(\.element)) == Set(waiting.map(\.entry.element)))
        for item in running { scheduler.ended(item.entry) }
        #expect(scheduler.isIdle)
        scheduler.checkInvariants()
    }
}
