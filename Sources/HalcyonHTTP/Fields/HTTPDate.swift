package import FoundationEssentials

/// The dates of HTTP fields (RFC 9110, section 5.6.7).
///
/// Only the three forms of the grammar are read: a cache must take any other date for one in the past (RFC 9111,
/// section 4.2), so leniency here would keep responses too long. Only the case of letters does not matter, and the name
/// of the weekday need not be the right one.
package enum HTTPDate {
    /// Returns the date that `text` stands for; `nil` if it is none.
    ///
    /// - Parameter now: The date that decides the century of a year of two digits: never more than 50 years ahead.
    package static func date(_ text: String, now: Date) -> Date? {
        var text = text
        return text.withUTF8 { bytes in
            // "Wednesday, 06-Nov-94 08:49:37 GMT" is the longest.
            guard (24...33).contains(bytes.count) else { return nil }
            var reader = HTTPDateReader(bytes)
            return reader.date(now: now)
        }
    }

    /// Returns a date in the form that is to be sent: "Sun, 06 Nov 1994 08:49:37 GMT". Fractions of seconds are
    /// dropped; a date outside the years 0 to 9999 is moved to their border, and one that is no number to the first.
    package static func string(_ date: Date) -> String {
        // In this order, as `max` returns its first argument where the second is no number.
        let seconds = min(max(-62_167_219_200, date.timeIntervalSince1970), 253_402_300_799).rounded(.down)
        let time = CivilTime(secondsSince1970: Int(seconds))
        func digits(_ value: Int, _ count: Int = 2) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
        }
        return "\(CivilTime.shortWeekdays[time.weekday]), \(digits(time.day)) \(CivilTime.months[time.month - 1]) "
            + "\(digits(time.year, 4)) \(digits(time.hour)):\(digits(time.minute)):\(digits(time.second)) GMT"
    }
}

/// A moment in the proleptic Gregorian calendar, UTC.
struct CivilTime {
    static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    static let shortWeekdays = weekdays.map { String($0.prefix(3)) }
    static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    var year: Int
    /// The month, 1…12.
    var month: Int
    /// The day of the month, 1…31.
    var day: Int
    var hour: Int
    var minute: Int
    /// The second, 0…60; 60 is a leap second.
    var second: Int

    init(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        (self.year, self.month, self.day) = (year, month, day)
        (self.hour, self.minute, self.second) = (hour, minute, second)
    }

    /// Converts seconds since 1970. Counts in eras of 400 years that begin in March, so that the leap day is the last
    /// of its year.
    init(secondsSince1970 seconds: Int) {
        let days = seconds.dividedRoundingDown(by: 86_400)
        let rest = seconds - days * 86_400
        (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60)
        let shifted = days + 719_468
        let era = shifted.dividedRoundingDown(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The day of the week; 0 is Sunday.
    var weekday: Int {
        let days = (daysSince1970 + 4) % 7
        return days < 0 ? days + 7 : days
    }

    var secondsSince1970: Int { daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second }

    /// A Boolean value that indicates whether such a day and time exist.
    var isValid: Bool {
        let isLeapYear = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let days = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return (1...12).contains(month) && (1...days[month - 1]).contains(day) && hour < 24 && minute < 60
            && second <= 60
    }

    private var daysSince1970: Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear.dividedRoundingDown(by: 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}

extension Int {
    fileprivate func dividedRoundingDown(by divisor: Int) -> Int {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}
