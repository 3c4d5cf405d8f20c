internal import ArgumentParser
internal import Dispatch

/// The process behind a contender: says what it is, then does the work as often as it is told, and says what that took.
struct PixelContenderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pixel-contender",
        abstract: "Do the work of a case of the pixels suite.",
        shouldDisplay: false
    )

    @Option var contender: String
    @Option var library = ""
    @Option var threads = 1
    /// Those of ``PixelInput``, then those of ``PixelWork``.
    @Argument var words: [String] = []

    func run() throws {
        guard let contender = PixelContender(contender, path: library), let input = PixelInput(Array(words.prefix(5))),
            let work = PixelWork(Array(words.dropFirst(5)))
        else {
            throw ValidationError("This is for halcyon-bench itself.")
        }
        do {
            let name = try contender.load()
            // Before the input is read, which counts for everyone.
            let memory = MemoryPeak()
            let operation = try contender.operation(work, input)
            StandardStream.output.writeLine("ready \(name)")
            while let line = readLine(), let count = Int(line) {
                let start = TimeSample.now
                let byteCount = try perform(operation, count)
                let time = TimeSample.now - start
                StandardStream.output.writeLine("\(time.wall) \(time.processor) \(memory.byteCount) \(byteCount)")
            }
        } catch {
            StandardStream.output.writeLine("failed \(error)")
        }
    }

    /// As often on each thread.
    private func perform(_ operation: @escaping @Sendable () throws -> Int, _ count: Int) throws -> Int {
        var byteCount = 0
        guard threads > 1 else {
            for _ in 0..<count { byteCount = try operation() }
            return byteCount
        }
        DispatchQueue.concurrentPerform(iterations: threads) { _ in
            // That it can be done is known by now.
            for _ in 0..<count { _ = try? operation() }
        }
        return 0
    }
}

/// The greatest memory of this process, beyond that when it began.
private struct MemoryPeak {
    private let start: Int

    init() {
        ResidentMemory.resetPeak()
        start = ResidentMemory.current
    }

    var byteCount: Int { ResidentMemory.peak - start }
}
