/// The settings of a cache that may change while it runs.
struct DiskSettings {
    /// Nil if it follows the space on the device.
    var sizeLimit: Int?
    /// The limit that was derived from the space, and the time of that on the monotonic clock.
    private var resolved: (sizeLimit: Int, time: Int64)?
    var countLimit: Int
    var lowWaterMark: Double
    var expiration: Expiration

    init(_ configuration: DiskCache.Configuration) {
        sizeLimit = configuration.sizeLimit.map { max(0, $0) }
        countLimit = max(0, configuration.countLimit)
        lowWaterMark = Self.mark(configuration.lowWaterMark)
        expiration = configuration.expiration
    }

    /// A part of a limit: 0…1.
    static func mark(_ value: Double) -> Double {
        value.isNaN ? 1 : min(max(value, 0), 1)
    }

    /// Returns the size limit, if it is given or was derived less than a minute ago.
    func sizeLimit(at time: Int64) -> Int? {
        if let sizeLimit { return sizeLimit }
        guard let resolved, time >= resolved.time, time - resolved.time < 60_000_000_000 else { return nil }
        return resolved.sizeLimit
    }

    /// Derives the size limit from the space.
    ///
    /// - Parameters:
    ///   - free: The bytes that may still be stored on the device.
    ///   - used: The bytes of all entries: the cache counts its own space as free.
    mutating func resolveSizeLimit(free: Int, used: Int, at time: Int64) -> Int {
        let (space, overflows) = free.addingReportingOverflow(used)
        let limit = min(Self.largestDefault, max(Self.smallestDefault, (overflows ? .max : space) / 10))
        resolved = (limit, time)
        return limit
    }

    private static let largestDefault = 1 << 30
    /// Less would hold a few images. If there is no room for these either, storing fails until there is.
    private static let smallestDefault = 16 << 20

    /// Returns the limits down to which entries are evicted, once a limit was reached.
    func target(below limits: DiskLimits) -> DiskLimits {
        DiskLimits(bytes: part(of: limits.bytes), count: part(of: limits.count))
    }

    private func part(of limit: Int) -> Int {
        // A number that a Double cannot hold exactly is no limit in practice.
        Int(exactly: (Double(limit) * lowWaterMark).rounded(.down)) ?? limit
    }
}
