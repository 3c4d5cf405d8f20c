/// What is known of the network this machine is on.
public struct NetworkStatus: Sendable, Hashable {
    /// Whether other machines can be reached, as far as this one's interfaces and routes tell. It says nothing of any
    /// single server.
    public var isConnected: Bool
    /// Whether bytes cost money, or there are few.
    public var isMetered: Bool

    /// A state of the network.
    public init(isConnected: Bool, isMetered: Bool) {
        self.isConnected = isConnected
        self.isMetered = isMetered
    }
}
