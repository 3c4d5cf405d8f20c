/// What a cache was made with and may be told otherwise while it runs.
struct DiskSettings {
    /// Resolved when the cache is first opened, if the configuration leaves it open.
    var sizeLimit: Int?
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

    /// What is evicted down to, once a limit was reached.
    var target: DiskLimits {
        DiskLimits(bytes: part(of: sizeLimit ?? 0), count: part(of: countLimit))
    }

    private func part(of limit: Int) -> Int {
        // What a Double cannot hold exactly is no limit in practice.
        Int(exactly: (Double(limit) * lowWaterMark).rounded(.down)) ?? limit
    }
}
