#if GTK
internal import Halcyon

extension SlotController {
    /// Plays an image that is animated, while the widget is shown.
    func play(_ image: DecodedImage) {
        guard image.animation != nil else { return }
        let playback = task?.options[PlaybackKey.self] ?? AnimationPlayback()
        var configuration = AnimationPlayer.Configuration()
        configuration.repetition = playback.repetition
        configuration.mode = playback.mode
        configuration.rate = playback.rate
        configuration.framesAhead = playback.framesAhead
        let player = AnimationPlayer(image, configuration: configuration) { [weak self] event in
            MainActor.assumeIsolated { self?.playerDidTell(event) }
        }
        self.player = player
        playingMayHaveChanged()
    }

    func stopPlaying() {
        player = nil
    }

    /// Plays or pauses as the widget is shown or not.
    func playingMayHaveChanged() {
        guard let player else { return }
        if visibility.showsMotion { player.play() } else { player.pause() }
    }

    private func playerDidTell(_ event: AnimationPlayer.Event) {
        guard case .frame(let frame) = event, player != nil, content.kind == .image else { return }
        paintable?.showFrame(Paintable(frame.image))
    }
}
#endif
