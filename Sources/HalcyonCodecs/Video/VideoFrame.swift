/// The frame of a video that stands for it as an image.
public struct VideoFrame: Sendable, Hashable {
    /// A time in a video.
    public enum Time: Sendable, Hashable {
        /// The image that represents the video: the cover that the file embeds; without one, the first key frame that
        /// is not nearly black, among the first 12 (a component of 24 of 255 on average counts as nearly black); if all
        /// are, the first one.
        case representative
        /// The first frame.
        case first
        /// Seconds since the first frame. The last frame stands for later times, the first one for times below 0.
        case seconds(Double)
        /// A fraction of the duration, from 0 to 1. Where the container does not state its duration, the first frame.
        case fraction(Double)
    }

    /// The frames that may stand for the one at a time.
    ///
    /// A video is decoded from a key frame on, so that others take longer: a key frame often comes every two to ten
    /// seconds.
    public enum Tolerance: Int, Sendable, Hashable, CaseIterable {
        /// The key frame that is nearest to the time.
        case nearestKeyFrame
        /// The last key frame at the time or before it.
        case previousKeyFrame
        /// The first key frame at the time or after it; the last one where there is none.
        case nextKeyFrame
        /// The frame that is shown at the time, and no other.
        case exact
    }

    /// The time of the frame. Default: ``Time/representative``.
    public var time: Time
    /// The frames that may stand for it; of no effect for ``Time/representative`` and ``Time/first``. Default:
    /// ``Tolerance/nearestKeyFrame``.
    public var tolerance: Tolerance

    /// The frame at a time.
    public init(at time: Time = .representative, tolerance: Tolerance = .nearestKeyFrame) {
        self.time = time
        self.tolerance = tolerance
    }
}

extension VideoFrame.Time {
    /// Returns the time in seconds in a video of this duration; `nil` for the image that represents it.
    ///
    /// - Parameter duration: Seconds; `nil` where it is not known.
    package func seconds(ofDuration duration: Double?) -> Double? {
        let (seconds, end) = (value, duration ?? .infinity)
        guard let seconds else { return nil }
        return seconds.isNaN ? 0 : max(0, min(isFraction ? seconds * (duration ?? 0) : seconds, end))
    }

    private var isFraction: Bool { if case .fraction = self { true } else { false } }

    private var value: Double? {
        switch self {
        case .representative: nil
        case .first: 0
        case .seconds(let seconds): seconds
        case .fraction(let fraction): fraction
        }
    }
}

extension VideoFrame.Time {
    /// Returns whether both name the same time. Every "not a number" is the same, as in keys.
    public static func == (left: VideoFrame.Time, right: VideoFrame.Time) -> Bool {
        switch (left, right) {
        case (.representative, .representative), (.first, .first): true
        case (.seconds(let left), .seconds(let right)), (.fraction(let left), .fraction(let right)):
            left == right || left.isNaN && right.isNaN
        case (.representative, _), (.first, _), (.seconds, _), (.fraction, _): false
        }
    }

    /// Hashes what equal times have in common.
    public func hash(into hasher: inout Hasher) {
        let value = value ?? -1
        hasher.combine(isFraction)
        hasher.combine(value.isNaN ? .nan : value)
    }
}
