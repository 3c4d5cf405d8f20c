/// The hosts that have room and something waiting, by their most urgent transfer: a binary heap whose members know
/// their places, so that finding the best takes constant time, and a change logarithmic time in the number of hosts.
struct ReadyHosts<Element> {
    private(set) var heap: [TransferHost<Element>] = []

    /// The host whose turn it is.
    var first: TransferHost<Element>? { heap.first }

    /// Adds, moves or removes a host, after any change of what waits or runs there.
    mutating func update(_ host: TransferHost<Element>) {
        switch (host.readyIndex, host.isReady) {
        case (nil, false):
            break
        case (nil, true):
            heap.append(host)
            host.readyIndex = heap.count - 1
            rise(heap.count - 1)
        case (let index?, true):
            rise(index)
            sink(index)
        case (let index?, false):
            swap(index, heap.count - 1)
            heap.removeLast()
            host.readyIndex = nil
            guard index < heap.count else { return }
            rise(index)
            sink(index)
        }
    }

    private mutating func rise(_ start: Int) {
        var index = start
        while index > 0, heap[index].precedes(heap[(index - 1) / 2]) {
            swap(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func sink(_ start: Int) {
        var index = start
        while true {
            var best = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count && heap[child].precedes(heap[best]) {
                best = child
            }
            guard best != index else { return }
            swap(index, best)
            index = best
        }
    }

    private mutating func swap(_ left: Int, _ right: Int) {
        heap.swapAt(left, right)
        heap[left].readyIndex = left
        heap[right].readyIndex = right
    }
}
