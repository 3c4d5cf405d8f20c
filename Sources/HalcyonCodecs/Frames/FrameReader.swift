public import FoundationEssentials
internal import HalcyonRaster
internal import HalcyonSystem

/// An animation, opened to be read frame by frame. A still image is one of a single frame.
///
/// Frames in rising order cost one decompression each. Going back begins again at the last frame that depends on no
/// other. Of the decoded frames only what the next one needs is kept, so that memory does not grow with their number.
///
/// Any number of readers may be open on the same bytes; each has a place of its own. One reader may be used from
/// several threads: it composes one frame after the other.
public final class FrameReader: Sendable {
    /// The description in the header.
    public let info: ImageInfo

    private let options: DecodeOptions
    private let state: Lock<State>

    private struct State {
        var cursor: any FrameCursor
        var nextIndex = 0
    }

    /// Opens `data` with a decoder of its format.
    ///
    /// - Throws: ``CodecError``, among them ``CodecError/limitExceeded(_:_:)``.
    public init(_ data: Data, decoder: any ImageDecoder, options: DecodeOptions = DecodeOptions()) throws {
        let cursor = try decoder.cursor(for: data, options: options)
        info = try cursor.info ?? decoder.info(of: data, limits: options.limits)
        self.options = options
        state = Lock(State(cursor: cursor))
    }

    /// The number of frames; 1 for a still image.
    public var frameCount: Int { info.frameCount }

    /// The number of times that the animation plays; 0 for without end, `nil` for a still image.
    public var loopCount: Int? { info.loopCount }

    /// Returns the duration of a frame; see ``ImageInfo/duration(ofFrame:)``.
    public func duration(ofFrame index: Int) -> Duration? { info.duration(ofFrame: index) }

    /// The duration of all frames together, played once; `nil` for a still image. Linear in the number of frames.
    public var totalDuration: Duration? { info.totalDuration }

    /// A frame, composed with those before it: upright and in sRGB, unless the options of this reader say otherwise.
    ///
    /// Waits while another thread reads a frame.
    ///
    /// - Parameters:
    ///   - index: The frame's number, from 0.
    ///   - isCancelled: Asked at least once for each frame that has to be decoded; once it says `true`, decoding ends,
    ///     and the reader can still be used. Must not use this reader. Default: never.
    /// - Throws: ``CodecError/noSuchFrame(_:frameCount:)``; ``CodecError`` for a damaged frame, behind which others may
    ///   be readable; `CancellationError`.
    public func frame(at index: Int, isCancelled: @Sendable () -> Bool = { false }) throws -> DecodedImage {
        try state.withLock { state in
            let image = try self.frame(at: index, &state.cursor, isCancelled)
            state.nextIndex = index + 1
            return image
        }
    }

    /// The frame behind the one read last, at first the first one; `nil` at the end, and from the beginning after that.
    ///
    /// - Parameter isCancelled: As for ``frame(at:isCancelled:)``. Default: never.
    /// - Throws: As ``frame(at:isCancelled:)`` does; the next call then tries the same frame.
    public func next(isCancelled: @Sendable () -> Bool = { false }) throws -> DecodedImage? {
        try state.withLock { state in
            guard state.nextIndex < frameCount else {
                state.nextIndex = 0
                return nil
            }
            let image = try frame(at: state.nextIndex, &state.cursor, isCancelled)
            state.nextIndex += 1
            return image
        }
    }

    private func frame(
        at index: Int,
        _ cursor: inout any FrameCursor,
        _ isCancelled: @Sendable () -> Bool
    ) throws -> DecodedImage {
        guard 0..<frameCount ~= index else {
            throw CodecError.noSuchFrame(index, frameCount: frameCount)
        }
        let bitmap = try cursor.bitmap(ofFrame: index, isCancelled: isCancelled)
        let info = cursor.frameInfo ?? info
        let image = DecodedImage(
            bitmap: bitmap,
            info: info,
            options: options,
            colorProfile: cursor.colorProfile,
            isPartial: cursor.isPartial
        )
        return try image.converted(options.color, isCancelled: isCancelled)
    }
}
