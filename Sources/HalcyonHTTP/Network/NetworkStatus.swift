/// The known state of the network that this machine is on.
public struct NetworkStatus: Sendable, Hashable {
    /// A Boolean value that indicates whether other machines can be reached, as far as this one's interfaces and routes
    /// show. It says nothing of any single server.
    public var isConnected: Bool
    /// A Boolean value that indicates whether bytes cost money, or are limited.
    public var isMetered: Bool

    /// Creates a state of the network.
    public init(isConnected: Bool, isMetered: Bool) {
        self.isConnected = isConnected
        self.isMetered = isMetered
    }
}
