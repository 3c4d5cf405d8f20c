import HalcyonSystem

@testable import Halcyon

/// A player whose time a test sets, and what it tells.
final class PlayedAnimation: Sendable {
    let player: AnimationPlayer
    private let time: Lock<Duration>
    private let told: Lock<[String]>

    /// - Parameter change: Changes the configuration, whose events come on the thread on which they happen.
    init(
        _ image: DecodedImage,
        pool: AnimationFramePool = AnimationFramePool(byteLimit: 64 << 20, threadCount: 2, memoryPressure: nil),
        _ change: (inout AnimationPlayer.Configuration) -> Void = { _ in }
    ) {
        let (time, told) = (Lock(Duration.zero), Lock<[String]>([]))
        var configuration = AnimationPlayer.Configuration()
        configuration.callbackExecutor = .calling
        configuration.pool = pool
        change(&configuration)
        let clock = AnimationClock.driven { time.withLock { $0 } }
        player = AnimationPlayer(image, configuration: configuration, clock: clock) { event in
            told.withLock { $0.append(Self.text(event)) }
        }
        (self.time, self.told) = (time, told)
    }

    private static func text(_ event: AnimationPlayer.Event) -> String {
        switch event {
        case .frame(let frame): "\(AnimationSample.number(of: frame.image))"
        case .loop(let count): "loop \(count)"
        case .end: "end"
        case .failure(let index, _): "failure \(index)"
        }
    }

    /// What was told so far: the numbers that frames show, loops, the end and failures.
    var events: [String] { told.withLock { $0 } }

    /// Lets time pass.
    func advance(by duration: Duration) {
        time.withLock { $0 += duration }
        player.update()
    }

    /// Sets the time.
    func setTime(_ duration: Duration) {
        time.withLock { $0 = duration }
        player.update()
    }

    /// Waits until a frame is shown.
    func shows(_ index: Int) async {
        await eventually { [player] in player.frame.index == index }
    }
}
