internal import FoundationEssentials
internal import HalcyonHTTP

/// The dates of the tests: integers in the fields that hold dates are seconds from the moment of the response.
enum CacheTestDate {
    private static let fields: Set<String> = [
        "date", "expires", "last-modified", "if-modified-since", "if-unmodified-since",
    ]

    static func isDate(_ name: String) -> Bool { fields.contains(name.lowercased()) }

    static func text(_ offset: Int, from moment: Date, name: String, obsoleteDates: [String]?) -> String {
        let date = moment.addingTimeInterval(Double(offset))
        let isObsolete = obsoleteDates?.contains(name.lowercased()) ?? false
        return isObsolete ? obsoleteText(date) : HTTPDate.string(date)
    }

    /// Returns a date in the obsolete form of RFC 850, "Sunday, 06-Nov-94 08:49:37 GMT".
    private static func obsoleteText(_ date: Date) -> String {
        let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
        let parts = HTTPDate.string(date).split(separator: " ")
        let weekday = weekdays.first { $0.hasPrefix(parts[0].dropLast()) } ?? ""
        return "\(weekday), \(parts[1])-\(parts[2])-\(parts[3].suffix(2)) \(parts[4]) GMT"
    }
}
