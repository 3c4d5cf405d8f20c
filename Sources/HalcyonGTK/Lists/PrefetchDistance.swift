/// The number of items that are loaded before they come into sight.
public enum PrefetchDistance: Sendable, Hashable {
    /// No item is.
    case none
    /// This many items.
    case items(Int)
    /// As many items as this number of times those in sight.
    case pages(Double)

    /// The most items that are looked at, whatever the distance.
    static let limit = 1_000

    /// The number of items, from 0 to `limit`.
    func count(visible: Int) -> Int {
        switch self {
        case .none: 0
        case .items(let count): min(max(0, count), Self.limit)
        case .pages(let pages):
            // Also for what is no number.
            pages > 0 ? Int(min((pages * Double(visible)).rounded(.up), Double(Self.limit))) : 0
        }
    }
}
