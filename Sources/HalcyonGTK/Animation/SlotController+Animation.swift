#if GTK
internal import Halcyon

extension SlotController {
    /// The player of the animated image that is shown.
    var player: AnimationPlayer? { slotPlayer?.player }

    /// Plays an image that is animated, while the widget is in sight.
    ///
    /// - Parameter earlier: The playing of the same image in another size, which is taken up. Default: `nil`.
    func play(_ image: DecodedImage, after earlier: SlotPlayer? = nil) {
        stopPlaying()
        guard image.animation != nil else { return }
        let playback = task?.options[PlaybackKey.self] ?? AnimationPlayback()
        slotPlayer = SlotPlayer(image, playback, after: earlier) { [weak self] frame in
            self?.paintable?.showFrame(Texture.make(frame.bitmap))
        }
        // The first frame of what is taken up is another.
        if earlier != nil, let frame = slotPlayer?.player.frame, frame.index > 0 {
            paintable?.showFrame(Texture.make(frame.image.bitmap))
        }
        playingMayHaveChanged()
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
#endif
