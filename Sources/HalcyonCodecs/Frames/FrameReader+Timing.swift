extension FrameReader {
    /// Returns the duration of a frame; see ``ImageInfo/duration(ofFrame:)``.
    public func duration(ofFrame index: Int) -> Duration? { info.duration(ofFrame: index) }

    /// The duration of all frames together, played once; `nil` for a still image. Linear in the number of frames.
    public var totalDuration: Duration? { info.totalDuration }
}
