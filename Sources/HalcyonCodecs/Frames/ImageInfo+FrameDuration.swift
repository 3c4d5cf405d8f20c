extension ImageInfo {
    /// The duration of a frame whose file asks for no time at all, or for implausibly little. Browsers take the same.
    private static let standardDuration = Duration.milliseconds(100)
    private static let longestImplausibleDuration = 10

    /// Returns the duration of a frame: as stored if that is more than 10 ms, otherwise 100 ms. `nil` where frames do
    /// not follow each other: a still image stays for ever.
    ///
    /// ``frameDurations`` are as stored.
    public func duration(ofFrame index: Int) -> Duration? {
        guard isAnimated else { return nil }
        guard frameDurations.indices.contains(index) else { return Self.standardDuration }
        let milliseconds = frameDurations[index]
        return milliseconds > Self.longestImplausibleDuration ? .milliseconds(milliseconds) : Self.standardDuration
    }

    /// The duration of all frames together, played once; `nil` for a still image. Linear in the number of frames.
    public var totalDuration: Duration? {
        guard isAnimated else { return nil }
        return (0..<frameCount).reduce(Duration.zero) { $0 + (duration(ofFrame: $1) ?? .zero) }
    }
}
