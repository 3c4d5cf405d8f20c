/// The progress of a body.
public struct BodyProgress: Sendable, Hashable {
    /// Bytes received, content coding undone.
    public var receivedBytes: Int
    /// Bytes in all; `nil` where that is not known.
    public var expectedBytes: Int?

    /// A state of progress.
    public init(receivedBytes: Int, expectedBytes: Int?) {
        self.receivedBytes = receivedBytes
        self.expectedBytes = expectedBytes
    }
}
