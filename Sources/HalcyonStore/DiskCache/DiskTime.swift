internal import FoundationEssentials

/// A date as the index holds it: whole microseconds since 1970, the largest number being never.
struct DiskTime: Hashable, Comparable {
    static let never = DiskTime(microseconds: .max)
    static let earliest = DiskTime(microseconds: .min)

    let microseconds: Int64

    init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// Dates beyond what the type holds, 292,000 years, become its ends; one that is no number is the earliest.
    init(_ date: Date) {
        self.init(seconds: date.timeIntervalSince1970)
    }

    init(seconds: Double) {
        microseconds = seconds >= 9.2e12 ? .max : seconds > -9.2e12 ? Int64(seconds * 1e6) : .min
    }

    /// The date; nil for never.
    var date: Date? {
        self == .never ? nil : Date(timeIntervalSince1970: Double(microseconds) / 1e6)
    }

    static func < (left: DiskTime, right: DiskTime) -> Bool {
        left.microseconds < right.microseconds
    }

    /// The time `lifetime` microseconds later; an end of the type, if that is beyond it.
    func advanced(by lifetime: Int64) -> DiskTime {
        let (sum, overflows) = microseconds.addingReportingOverflow(lifetime)
        return overflows ? (lifetime > 0 ? .never : .earliest) : DiskTime(microseconds: sum)
    }
}

/// The expiry of an entry and the lifetime that an access restarts, as the index holds them.
struct DiskLifetime: Hashable {
    let expiresAt: DiskTime
    /// The number of microseconds that an access restarts; 0 if it restarts nothing.
    let duration: Int64

    init(_ expiration: Expiration, at now: Date) {
        switch expiration {
        case .never:
            self.init(expiresAt: .never, duration: 0)
        case .date(let date):
            self.init(expiresAt: DiskTime(date), duration: 0)
        case .expired:
            self.init(expiresAt: DiskTime(microseconds: .min), duration: 0)
        case .seconds, .days:
            let duration = DiskTime(seconds: expiration.interval(since: now)).microseconds
            self.init(expiresAt: DiskTime(now).advanced(by: duration), duration: duration)
        }
    }

    private init(expiresAt: DiskTime, duration: Int64) {
        self.expiresAt = expiresAt
        self.duration = duration
    }
}
