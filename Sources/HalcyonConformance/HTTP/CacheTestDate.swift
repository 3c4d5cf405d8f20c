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
        return isObsolete ? HTTPDate.obsoleteString(date) : HTTPDate.string(date)
    }
}
