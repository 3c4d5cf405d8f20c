internal import Halcyon

extension PipelineStatistics {
    /// The numbers that are sums of events.
    struct Sums: Hashable, Sendable {
        // Every load has these itself.
        var loads = 0
        var failures = 0
        var cancellations = 0
        // A load that has ended is not told of those that go on for others.
        var transfers = 0
        var decodings = 0
        var processings = 0
        var encodings = 0

        mutating func count(_ activity: LoadActivity) {
            switch activity {
            case .lookedUpMemory(isFound: false): loads += 1
            case .ended(.failed, _): failures += 1
            case .ended(.cancelled, _): cancellations += 1
            case .transferred: transfers += 1
            case .decoded: decodings += 1
            case .processed: processings += 1
            case .encoded: encodings += 1
            default: break
            }
        }
    }

    /// Returns what contradicts the sums of all loads; `nil` if nothing does.
    func problem(with sums: Sums) -> String? {
        if [loads, failures, cancellations] != [sums.loads, sums.failures, sums.cancellations] {
            return "loads, failures, cancellations: \([loads, failures, cancellations]); of observers: \(sums)"
        }
        let counts = [transfers, decodings, processings, encodings]
        let least = [sums.transfers, sums.decodings, sums.processings, sums.encodings]
        guard zip(counts, least).allSatisfy({ $0 >= $1 }) else {
            return "transfers, decodings, processings, encodings: \(counts); of observers: \(sums)"
        }
        return nil
    }

    /// What contradicts itself; `nil` if nothing does.
    var problem: String? {
        if failures + cancellations > loads { return "\(failures) failures and \(cancellations) of \(loads) loads" }
        if failedTransfers + revalidations > transfers {
            return "\(failedTransfers) failures and \(revalidations) revalidations of \(transfers) transfers"
        }
        return nil
    }
}
