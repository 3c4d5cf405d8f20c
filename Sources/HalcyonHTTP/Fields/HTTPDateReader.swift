internal import FoundationEssentials

/// Reads the forms of ``HTTPDate``.
struct HTTPDateReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    mutating func date(now: Date) -> Date? {
        guard let time = time(now: now), position == bytes.count, time.isValid else { return nil }
        return Date(timeIntervalSince1970: Double(time.secondsSince1970))
    }

    private mutating func time(now: Date) -> CivilTime? {
        if name(of: CivilTime.weekdays) != nil {
            return take(", ") ? obsoleteForm(now: now) : nil
        }
        guard name(of: CivilTime.shortWeekdays) != nil else { return nil }
        if take(", ") { return preferredForm() }
        return take(" ") ? oldUnixForm() : nil
    }

    /// Reads "06 Nov 1994 08:49:37 GMT".
    private mutating func preferredForm() -> CivilTime? {
        guard let day = number(2), take(" "), let month = month(), take(" "), let year = number(4), take(" "),
            let clock = clock(), take(" GMT")
        else { return nil }
        return time(year, month, day, clock)
    }

    /// Reads "06-Nov-94 08:49:37 GMT".
    private mutating func obsoleteForm(now: Date) -> CivilTime? {
        guard let day = number(2), take("-"), let month = month(), take("-"), let shortYear = number(2), take(" "),
            let clock = clock(), take(" GMT")
        else { return nil }
        let present = CivilTime(secondsSince1970: Int(now.timeIntervalSince1970)).year
        var year = present / 100 * 100 + shortYear
        // More than 50 years ahead means the most recent year in the past that ends so; see RFC 9110, 5.6.7.
        if year > present + 50 { year -= 100 }
        if year < present - 49 { year += 100 }
        return time(year, month, day, clock)
    }

    /// Reads "Nov  6 08:49:37 1994".
    private mutating func oldUnixForm() -> CivilTime? {
        guard let month = month(), take(" ") else { return nil }
        let isPadded = take(" ")
        guard let day = number(isPadded ? 1 : 2), take(" "), let clock = clock(), take(" "), let year = number(4) else {
            return nil
        }
        return time(year, month, day, clock)
    }

    private func time(_ year: Int, _ month: Int, _ day: Int, _ clock: (hour: Int, minute: Int, second: Int))
        -> CivilTime
    {
        CivilTime(year: year, month: month, day: day, hour: clock.hour, minute: clock.minute, second: clock.second)
    }

    private mutating func clock() -> (hour: Int, minute: Int, second: Int)? {
        guard let hour = number(2), take(":"), let minute = number(2), take(":"), let second = number(2) else {
            return nil
        }
        return (hour, minute, second)
    }

    private mutating func month() -> Int? {
        name(of: CivilTime.months).map { $0 + 1 }
    }

    /// Reads one of the names, in any case, and returns its index.
    private mutating func name(of names: [String]) -> Int? {
        for (index, name) in names.enumerated() where take(name) {
            return index
        }
        return nil
    }

    /// Reads exactly this many digits.
    private mutating func number(_ count: Int) -> Int? {
        guard count <= bytes.count - position else { return nil }
        var value = 0
        for byte in bytes[position..<(position + count)] {
            guard byte.isASCIIDigit else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
        }
        position += count
        return value
    }

    /// Reads `text`, in any case; returns whether it was there.
    private mutating func take(_ text: String) -> Bool {
        let expected = text.utf8
        guard expected.count <= bytes.count - position else { return false }
        let isThere = zip(bytes[position...], expected).allSatisfy { $0.asciiLowercase == $1.asciiLowercase }
        if isThere { position += expected.count }
        return isThere
    }
}
