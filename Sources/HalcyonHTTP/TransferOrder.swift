/// Which of two waiting transfers of equal priority starts first.
public enum TransferOrder: Sendable, Hashable, CaseIterable {
    /// The one that came first.
    case firstInFirstOut
    /// The one that came last: in a list that is scrolled, what is seen now.
    case lastInFirstOut
}
