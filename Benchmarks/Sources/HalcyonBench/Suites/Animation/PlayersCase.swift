internal import FoundationEssentials
internal import Halcyon
internal import HalcyonCodecs
internal import HalcyonRaster

/// 200 players of one animation and 20 of others, which all together take ten times the budget: the lateness of their
/// frames, the memory, and the processor's time of each second.
struct PlayersCase: BenchmarkCase {
    private static let size = PixelSize(480, 270)
    private static let frameCount = 60
    /// Milliseconds.
    private static let interval = 50
    private static let seconds = 6
    private static let byteLimit = 64 << 20

    let name = "200 players of one animation, 20 of others"

    func results(_ settings: RunSettings) async throws -> [BenchmarkResult] {
        let data = try Self.animation()
        let codecs = ImageCodecs.standard
        let start = TimeSample.now
        let reader = try codecs.frames(of: data)
        while try reader.next() != nil {}
        let decoding = (TimeSample.now - start).processor / Double(Self.frameCount) / 1e6

        let pool = AnimationFramePool(byteLimit: Self.byteLimit)
        // The same bytes; each image is an animation of its own.
        let images = try (0...20).map { _ in try codecs.animatedImage(from: data) }
        let lateness = PlayerLateness(interval: Double(Self.interval) * 1e6, frameCount: Self.frameCount)
        var configuration = AnimationPlayer.Configuration()
        configuration.repetition = .forever
        configuration.callbackExecutor = .calling
        configuration.pool = pool
        let order = Array(repeating: images[0], count: 200) + images[1...]
        let players = order.map { image in
            let begin = TimeSample.monotonic
            return AnimationPlayer(image, configuration: configuration) { event in
                if case .frame(let frame) = event { lateness.note(frame.index, since: begin) }
            }
        }
        let before = TimeSample.now
        for player in players { player.play() }
        var mostBytes = 0
        for _ in 0..<Self.seconds * 100 {
            try await Task.sleep(for: .milliseconds(10))
            mostBytes = max(mostBytes, pool.byteCount)
        }
        let spent = TimeSample.now - before
        let dropped = players.reduce(0) { $0 + $1.droppedFrameCount }
        return [
            BenchmarkResult("\(name), decoding a frame alone", ours: decoding, unit: "ms"),
            BenchmarkResult("\(name), processor", ours: spent.processor / spent.wall, unit: "s each second"),
            .limit(
                "\(name), memory of frames",
                Distribution([Double(mostBytes) / 1_048_576]),
                Double(Self.byteLimit) / 1_048_576,
                unit: "MiB"
            ),
            .limit(
                "\(name), latest frame",
                Distribution([lateness.most / 1e6]),
                Double(Self.interval),
                unit: "ms"
            ),
            BenchmarkResult("\(name), frames left out", ours: Double(dropped), unit: "frames"),
        ]
    }

    /// An animation whose every pixel changes from frame to frame: a window moves over a photograph.
    private static func animation() throws -> Data {
        let photograph = try SyntheticImage.photograph(PixelSize(size.width + frameCount, size.height))
        let frames = try (0..<frameCount).map { number in
            let area = PixelRect(x: number, y: 0, width: size.width, height: size.height)
            return AnimationFrame(bitmap: try photograph.cropped(to: area), duration: interval)
        }
        return try ImageCodecs.standard.encode(frames, as: .webp)
    }
}
