internal import ArgumentParser
internal import Dispatch
internal import Glibc

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
        // "5" sets the peak back (proc(5)).
        if let file = fopen("/proc/self/clear_refs", "w") {
            fputs("5", file)
            fclose(file)
        }
        start = Self.read("VmRSS:")
    }

    var byteCount: Int { Self.read("VmHWM:") - start }

    private static func read(_ field: String) -> Int {
        guard let file = fopen("/proc/self/status", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            if text.hasPrefix(field) {
                return (Int(text.dropFirst(field.count).filter(\.isNumber)) ?? 0) << 10
            }
        }
        return 0
    }
}
