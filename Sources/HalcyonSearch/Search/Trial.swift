internal import FoundationEssentials
internal import Glibc
internal import HalcyonSystem

/// One watched play of a program in this process.
enum Trial {
    /// Plays a program in a folder that is new.
    ///
    /// A program that has not ended when the patience is over is a finding, which ends the process.
    static func run(_ program: Program, _ conditions: Conditions) async -> Finding? {
        let folder = "\(TemporaryFolder.path)/halcyon-search-\(UUID().uuidString)"
        let player = Player(program: program, folder: folder, conditions: conditions)
        let watchdog = Watchdog(seconds: conditions.patience) { player.report }
        defer { watchdog.end() }
        let finding = await player.play()
        try? FileManager.default.removeItem(atPath: folder)
        return finding
    }
}

/// Ends the process unless ``end()`` is called in time. It is a thread of its own, as those of a program that hangs may
/// all be blocked.
private final class Watchdog: Sendable {
    private let isOver = Lock(false)

    init(seconds: Int, report: @escaping @Sendable () -> String) {
        let isOver = isOver
        SystemThread.detached {
            for _ in 0..<seconds * 100 {
                if isOver.withLock({ $0 }) { return }
                Sleep.microseconds(10_000)
            }
            // Written before the state is read, which may need a lock that is never released.
            Output.write(Finding(rule: .hang, message: "not ended after \(seconds) s"))
            Output.line("state \(report())")
            _exit(3)
        }
    }

    func end() {
        isOver.withLock { $0 = true }
    }
}

/// Lines for the process that started this one. Each is written at once, as the next call may end the process.
enum Output {
    static func line(_ text: String) {
        let bytes = Array((text + "\n").utf8)
        bytes.withUnsafeBytes { _ = Glibc.write(1, $0.baseAddress, $0.count) }
    }

    static func write(_ finding: Finding) {
        let data = (try? JSONEncoder().encode(finding)) ?? Data()
        line("finding \(String(decoding: data, as: UTF8.self))")
    }

    /// Returns the finding that a process wrote, if any.
    static func finding(in lines: [String]) -> Finding? {
        lines.lazy.filter { $0.hasPrefix("finding ") }.compactMap { line in
            try? JSONDecoder().decode(Finding.self, from: Data(line.dropFirst(8).utf8))
        }.first
    }
}
