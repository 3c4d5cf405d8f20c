internal import Halcyon

/// The playing of one animated image in a slot.
///
/// Whether it plays is decided by the options and by the program, which has the player. Whether it is seen decides only
/// whether its time passes.
@MainActor
final class SlotPlayer {
    let player: AnimationPlayer
    private let clock: PresentationClock
    /// The way in which it plays, without the handler.
    let playback: AnimationPlayback
    /// A Boolean value that indicates whether it is to begin as soon as the user lets things move.
    private var mayStart: Bool
    private var allowsMotion = false
    private var isSeen: Bool?
    /// Called with each frame that is to be shown; `nil` once another image is shown.
    private var onFrame: ((DecodedImage) -> Void)?
    private var onEvent: (@MainActor @Sendable (AnimationPlayer.Event) -> Void)?
    /// The frames that the program was told of that they cannot be decoded.
    private var failedFrames: Set<Int> = []

    /// - Parameters:
    ///   - clock: Default: one that follows that of the system.
    ///   - onFrame: Called with each frame that is to be shown, but not with the first.
    init(
        _ image: DecodedImage,
        _ playback: AnimationPlayback,
        clock: PresentationClock = PresentationClock(),
        onFrame: @escaping (DecodedImage) -> Void
    ) {
        var configuration = AnimationPlayer.Configuration()
        configuration.repetition = playback.repetition
        configuration.mode = playback.mode
        configuration.rate = playback.rate
        configuration.framesAhead = playback.framesAhead
        let receiver = Receiver()
        player = AnimationPlayer(image, configuration: configuration, clock: AnimationClock(clock)) { event in
            MainActor.assumeIsolated { receiver.slotPlayer?.didTell(event) }
        }
        self.clock = clock
        self.onFrame = onFrame
        self.playback = playback.withoutHandler
        onEvent = playback.onEvent
        mayStart = playback.startsAutomatically
        receiver.slotPlayer = self
    }

    /// Holds what the player's closure refers to, which exists only after the player.
    @MainActor
    private final class Receiver {
        weak var slotPlayer: SlotPlayer?

        nonisolated init() {}
    }

    /// Says whether the widget can be seen, and whether the user lets things move.
    func update(isSeen: Bool, allowsMotion: Bool) {
        if allowsMotion, !self.allowsMotion, mayStart {
            mayStart = false
            player.play()
        } else if !allowsMotion, self.allowsMotion, player.state == .playing {
            mayStart = true
            player.stop()
        }
        self.allowsMotion = allowsMotion
        guard isSeen != self.isSeen else { return }
        self.isSeen = isSeen
        if isSeen {
            clock.start()
        } else {
            clock.stop()
            if playback.purgesFramesWhileUnmapped { player.purge() }
        }
    }

    /// Goes on with the same animation in another size.
    ///
    /// - Returns: `false` if it is another one.
    func replaceImage(with image: DecodedImage) -> Bool { player.replaceImage(with: image) }

    /// Takes over the handler of a later call that is to play in the same way.
    func follow(_ later: AnimationPlayback) { onEvent = later.onEvent }

    /// Shows nothing more. A program that has kept the player sees it stand still.
    func end() {
        onFrame = nil
        clock.stop()
    }

    /// Tells the program of nothing any more.
    func dropHandler() { onEvent = nil }

    private func didTell(_ event: AnimationPlayer.Event) {
        // A frame that cannot be decoded leaves the one before in its place.
        if case .frame(let frame) = event { onFrame?(frame.image) }
        guard let onEvent else { return }
        if case .failure(let index, _) = event, !failedFrames.insert(index).inserted { return }
        // The player may tell in the middle of the work of the slot.
        onNextTurn { [weak self] in
            if self?.onFrame != nil { onEvent(event) }
        }
    }
}

extension SlotController {
    /// The player of the animated image that is shown.
    var player: AnimationPlayer? { slotPlayer?.player }

    /// Plays an image that is animated, while the widget is in sight.
    ///
    /// - Parameter goesOn: Whether it is the image that is played, in another size. Default: `false`.
    func play(_ image: DecodedImage, goesOn: Bool = false) {
        // What stands in the place of the image plays as it is by itself.
        let isImage = content.kind == .image || content.kind == .preview
        let playback = (isImage ? task?.options[PlaybackKey.self] : nil) ?? AnimationPlayback()
        if goesOn, let slotPlayer, slotPlayer.replaceImage(with: image) {
            slotPlayer.follow(playback)
            // The first frame is shown, and another may be due.
            let frame = slotPlayer.player.frame
            if frame.index > 0 { paintable?.showFrame(Texture.make(frame.image.bitmap)) }
            return playingMayHaveChanged()
        }
        stopPlaying()
        guard image.animation != nil else { return }
        slotPlayer = SlotPlayer(image, playback) { [weak self] frame in
            self?.paintable?.showFrame(Texture.make(frame.bitmap))
        }
        playingMayHaveChanged()
    }

    /// Returns whether an image is the one that is played, though maybe in another size, and is to be played in the same
    /// way.
    func goesOn(with image: DecodedImage) -> Bool {
        guard let slotPlayer, let next = image.animation, let present = content.image?.animation else { return false }
        return present.data == next.data
            && slotPlayer.playback == (task?.options[PlaybackKey.self] ?? AnimationPlayback()).withoutHandler
    }

    func stopPlaying() {
        slotPlayer?.end()
        slotPlayer = nil
    }

    /// Lets time pass for players, or stand still, as the widget is seen or not.
    func playingMayHaveChanged() {
        for player in [slotPlayer, indicatorPlayer] {
            player?.update(isSeen: visibility.isSeen, allowsMotion: visibility.allowsMotion)
        }
    }
}
