@testable import HalcyonHTTP

extension TransferScheduler {
    /// Checks that hosts, heap and counts agree. Takes time in proportion to the number of waiting transfers.
    func checkInvariants() {
        readyHosts.checkInvariants()
        precondition(hosts.values.reduce(0) { $0 + $1.waiting.count } == waitingCount)
        precondition(hosts.values.reduce(0) { $0 + $1.running } == runningCount)
        for host in hosts.values {
            host.waiting.checkInvariants()
            precondition((host.readyIndex != nil) == host.isReady)
        }
    }
}

extension ReadyHosts {
    fileprivate func checkInvariants() {
        for (index, host) in heap.enumerated() {
            precondition(host.isReady && host.readyIndex == index)
            precondition(index == 0 || !host.precedes(heap[(index - 1) / 2]))
        }
    }
}

extension TransferQueue {
    /// Checks that links, bits and count agree.
    fileprivate func checkInvariants() {
        var linked = 0
        for (urgency, list) in lists.enumerated() {
            precondition((list.first != nil) == (urgencies & 1 << urgency != 0))
            var previous: Entry?
            var next = list.first
            while let entry = next?.takeUnretainedValue() {
                precondition(entry.isWaiting && entry.urgency == urgency)
                precondition(entry.previous?.takeUnretainedValue() === previous)
                precondition(previous.map { $0.rank <= entry.rank } ?? true)
                linked += 1
                previous = entry
                next = entry.next
            }
            precondition(list.last?.takeUnretainedValue() === previous)
        }
        precondition(linked == count)
    }
}
