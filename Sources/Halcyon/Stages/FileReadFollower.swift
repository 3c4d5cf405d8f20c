internal import HalcyonSystem

/// The rule by which a file is shown while it is read.
///
/// Nearly all files are there before a preview of them could be. What is slow is a file on a medium that is far away,
/// or that has to start first.
struct FileReadPacing: Sendable {
    /// The number of bytes that are read at a time: a shorter file is not shown before it is whole.
    var pieceByteCount = 256 << 10
    /// The time for which nothing is shown: up to a tenth of a second, a load seems to take no time.
    var patience = Duration.milliseconds(100)
    /// Returns the present time. Called on a thread that reads files.
    var now: @Sendable () -> ContinuousClock.Instant = { .now }
}

/// Reports the bytes of one file that turns out to be read slowly. Used by the thread that reads it.
final class FileReadFollower {
    let pacing: FileReadPacing
    private let context: WorkContext
    private let start: ContinuousClock.Instant
    private var body: ArrivingBytes?

    /// A follower of a file that is about to be opened.
    init(_ pacing: FileReadPacing, context: WorkContext) {
        self.pacing = pacing
        self.context = context
        start = pacing.now()
    }

    /// Shows the bytes so far, if reading takes long and there are more to come. They stay where they are, and as they
    /// are, until ``end()`` returns.
    func follow(_ bytes: UnsafeRawBufferPointer, of byteCount: Int) {
        guard bytes.count < byteCount else { return }
        let time = pacing.now() - start
        if let body { return body.lend(bytes) }
        guard time >= pacing.patience else { return }
        let body = ArrivingBytes()
        self.body = body
        body.lend(bytes)
        context.report(.receiving(BodyReport(body, number: WorkNumber.next(), provenance: .file)))
    }

    /// Takes the bytes back.
    func end() {
        body?.end()
    }
}
