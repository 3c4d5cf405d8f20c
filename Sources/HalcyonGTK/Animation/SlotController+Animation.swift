internal import Halcyon

extension SlotController {
    /// The player of the animated image that is shown.
    var player: AnimationPlayer? { slotPlayer?.player }

    /// Plays an image that is animated, while the widget is in sight.
    ///
    /// - Parameter goesOn: Whether it is the image that is played, in another size. Default: `false`.
    func play(_ image: DecodedImage, goesOn: Bool = false) {
        if goesOn, let slotPlayer, slotPlayer.replaceImage(with: image) {
            // The first frame is shown, and another may be due.
            let frame = slotPlayer.player.frame
            if frame.index > 0 { paintable?.showFrame(Texture.make(frame.image.bitmap)) }
            return playingMayHaveChanged()
        }
        stopPlaying()
        guard image.animation != nil else { return }
        let playback = task?.options[PlaybackKey.self] ?? AnimationPlayback()
        slotPlayer = SlotPlayer(image, playback) { [weak self] frame in
            self?.paintable?.showFrame(Texture.make(frame.bitmap))
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
