/// The order of waiting transfers of equal priority.
public enum TransferOrder: Sendable, Hashable, CaseIterable {
    /// The transfer that came first starts first.
    case firstInFirstOut
    /// The transfer that came last starts first: in a list that is scrolled, the one that is visible now.
    case lastInFirstOut
}
