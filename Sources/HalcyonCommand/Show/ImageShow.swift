internal import Dispatch
internal import FoundationEssentials
internal import Halcyon

/// Loads images and draws them in a terminal.
struct ImageShow: Sendable {
    let pipeline: ImagePipeline
    let display: TerminalDisplay

    /// The lines that an image may take: the cursor's own is left.
    private var rowLimit: Int { max(1, display.rows - 1) }

    /// Shows an image, and plays it if it is animated.
    ///
    /// - Returns: `false` if it could not be loaded, which was reported.
    func showOne(_ argument: SourceArgument, plays: Bool) async -> Bool {
        let box = display.pixels(columns: display.columns, rows: rowLimit)
        guard let image = await image(argument, fitting: box, isAnimated: plays) else { return false }
        do {
            if plays, display.isTerminal, image.animation != nil {
                try await AnimationShow(image, display).play()
            } else {
                Terminal.write(try display.drawing(image.bitmap, number: Self.number()))
            }
            return true
        } catch {
            Terminal.warn("\(argument.shownText): \(error)")
            return false
        }
    }

    /// Shows images in rows, the first frame of each, with their names below them.
    ///
    /// - Returns: `false` if one could not be loaded, which was reported.
    func showGrid(of arguments: [SourceArgument]) async -> Bool {
        let grid = TileGrid(display, imageCount: arguments.count)
        var isSuccess = true
        var rest = arguments[...]
        while !rest.isEmpty, !Task.isCancelled, Terminal.outputState == .open {
            let row = Array(rest.prefix(grid.perRow))
            rest = rest.dropFirst(grid.perRow)
            let images = await withTaskGroup(of: (Int, DecodedImage?).self) { group in
                for (index, argument) in row.enumerated() {
                    group.addTask { (index, await image(argument, fitting: grid.tile, isAnimated: false)) }
                }
                return await group.reduce(into: [DecodedImage?](repeating: nil, count: row.count)) { $0[$1.0] = $1.1 }
            }
            guard !Task.isCancelled else { break }
            isSuccess = isSuccess && !images.contains { $0 == nil }
            do {
                if let strip = try grid.strip(of: images.map { $0?.bitmap }) {
                    Terminal.write(try display.drawing(strip, number: Self.number()))
                }
            } catch {
                isSuccess = false
                Terminal.warn("\(error)")
            }
            Terminal.print(grid.caption(of: row.map(\.shortName)))
        }
        return isSuccess
    }

    private func image(_ argument: SourceArgument, fitting box: PixelSize, isAnimated: Bool) async -> DecodedImage? {
        do {
            let options: [ImageOption] = [
                .processor(.downsample(to: .pixels(box))), .cacheOriginalImage,
                isAnimated ? .processAllFrames : .animation(.firstFrame),
            ]
            let request = ImageRequest(try await argument.sourceOrStandardInput(), options: options)
            let image = try await pipeline.image(from: request)
            if image.isPartial { Terminal.warn(Terminal.partialImage(argument.shownText)) }
            return image
        } catch {
            if !(error is CancellationError) { Terminal.warn("\(error)") }
            return nil
        }
    }

    /// A number for an image that no other one in the terminal has.
    private static func number() -> UInt32 { .random(in: 1...UInt32(Int32.max)) }
}

/// An animation that is drawn over itself.
private struct AnimationShow: Sendable {
    private let image: DecodedImage
    private let display: TerminalDisplay
    private let number = UInt32.random(in: 1...UInt32(Int32.max))

    init(_ image: DecodedImage, _ display: TerminalDisplay) {
        self.image = image
        self.display = display
    }

    /// Plays to the end, or until the task is cancelled.
    func play() async throws {
        _ = TerminalScreen.silence(isRaw: false)
        TerminalScreen.hideCursor()
        defer { TerminalScreen.restore() }
        let first = try drawing(image.bitmap)
        Terminal.write(first)
        let (ends, ending) = AsyncStream.makeStream(of: Never.self)
        // Drawn where the player tells of frames: while the terminal is slow, it leaves frames out.
        let queue = DispatchQueue(label: "halcyon.show")
        var configuration = AnimationPlayer.Configuration()
        configuration.callbackExecutor = .queue(queue)
        let upwards = Array("\u{1B}[\(display.rowCount(of: image.bitmap))A\r".utf8)
        let player = AnimationPlayer(image, configuration: configuration) { event in
            switch event {
            case .frame(let frame):
                guard let bytes = try? drawing(frame.image.bitmap) else { return }
                // Between the marks a terminal that knows them shows nothing of what is half done.
                Terminal.write(Array("\u{1B}[?2026h".utf8) + upwards + bytes + Array("\u{1B}[?2026l".utf8))
                if Terminal.outputState != .open { ending.finish() }
            case .end: ending.finish()
            case .loop, .failure: break
            }
        }
        player.play()
        for await _ in ends {}
        player.pause()
        // Nothing is drawn after this.
        queue.sync {}
    }

    private func drawing(_ bitmap: Bitmap) throws -> [UInt8] {
        try display.drawing(bitmap, number: number, covers: true)
    }
}
