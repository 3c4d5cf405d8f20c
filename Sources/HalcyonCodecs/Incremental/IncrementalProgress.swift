/// The part of an image that has been read while its bytes arrive.
public struct IncrementalProgress: Sendable, Hashable {
    /// The number of scans (JPEG) or passes (interlaced PNG, JPEG XL) that have been read as a whole; 0 for an image
    /// that comes row by row.
    public var passCount: Int
    /// The share of the image's area that has been drawn, however coarsely, from 0 to 1.
    public var coverage: Double
    /// A Boolean value that indicates whether every pixel is final, and the orientation by which the image is turned.
    public var isComplete: Bool

    /// Creates a progress; by default, nothing has been read.
    public init(passCount: Int = 0, coverage: Double = 0, isComplete: Bool = false) {
        self.passCount = passCount
        self.coverage = coverage
        self.isComplete = isComplete
    }
}
