public import HalcyonCodecs

extension AnimationPlayer {
    /// A frame that is shown.
    public struct Frame: Sendable {
        /// The pixels.
        public let image: DecodedImage
        /// The number of the frame, from 0.
        public let index: Int
    }

    /// What a player tells of.
    public enum Event: Sendable {
        /// A frame is to be shown in place of the one before. Of several that wait to be told of, only the last is.
        case frame(Frame)
        /// A loop has ended; the number of loops played so far. Of several that end at once, or wait to
        /// be told of, only the last is.
        case loop(Int)
        /// The last loop has ended. The last frame stays.
        case end
        /// The frame with this number cannot be decoded; the one before stays in its place.
        case failure(Int, any Error)
    }

    /// The state of a player.
    public enum State: Sendable, Hashable {
        /// Before the beginning.
        case stopped
        case playing
        case paused
        /// After the last loop.
        case finished
    }
}
