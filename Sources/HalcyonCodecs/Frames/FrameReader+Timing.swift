extension FrameReader {
    /// What a frame stays whose file asks for no time at all, or for so little that nobody can have meant it. Browsers
    /// take the same.
    private static let standardDuration = Duration.milliseconds(100)
    private static let longestImplausibleDuration = 11

    /// How long a frame is shown: as stored if that is more than 11 ms, otherwise 100 ms. `nil` where frames do not
    /// follow each other: a still picture stays for ever.
    ///
    /// ``ImageInfo/frameDurations`` of ``info`` are as stored.
    public func duration(ofFrame index: Int) -> Duration? {
        guard info.isAnimated else {
            return nil
        }
        guard info.frameDurations.indices.contains(index) else {
            return Self.standardDuration
        }
        let milliseconds = info.frameDurations[index]
        return milliseconds > Self.longestImplausibleDuration ? .milliseconds(milliseconds) : Self.standardDuration
    }

    /// How long all frames take together, once; `nil` for a still picture. Linear in the number of frames.
    public var totalDuration: Duration? {
        guard info.isAnimated else {
            return nil
        }
        return (0..<frameCount).reduce(Duration.zero) { $0 + (duration(ofFrame: $1) ?? .zero) }
    }
}
