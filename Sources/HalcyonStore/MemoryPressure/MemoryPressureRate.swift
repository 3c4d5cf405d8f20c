/// Limits the rate at which pressure is reported: once a second, and earlier only if it gets worse. Pressure that comes
/// too early is reported when the second is over.
struct MemoryPressureRate {
    private static let interval: Int64 = 1_000_000_000
    private var last: (pressure: MemoryPressure, time: Int64)?
    private var waiting: MemoryPressure?

    /// Notes pressure, or none, at a time in nanoseconds that never goes back.
    ///
    /// - Returns: The pressure to report now.
    mutating func admit(_ pressure: MemoryPressure?, at time: Int64) -> MemoryPressure? {
        waiting = [waiting, pressure].compactMap(\.self).max()
        guard let waiting else { return nil }
        if let last, time - last.time < Self.interval, waiting <= last.pressure { return nil }
        last = (waiting, time)
        self.waiting = nil
        return waiting
    }

    /// The number of nanoseconds until there is something to report; nil if nothing waits.
    func delay(at time: Int64) -> Int64? {
        guard waiting != nil, let last else { return nil }
        return max(0, last.time + Self.interval - time)
    }
}
