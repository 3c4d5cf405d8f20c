import FoundationEssentials
import Glibc
import HalcyonStore
import Testing

@testable import StoreCrashTrial

@Suite("A process killed while it writes into the disk cache")
struct DiskCacheKillTests {
    /// `HALCYON_KILL_ROUNDS` asks for more of them.
    private static var roundCount: Int {
        getenv("HALCYON_KILL_ROUNDS").flatMap { Int(String(cString: $0)) } ?? 15
    }

    @Test("loses no entry whose put had returned, leaves nothing wrong, and its leftovers are cleaned")
    func kill() throws {
        let folder = try TemporaryFolder()
        var random = SystemRandomNumberGenerator()
        var confirmed: [Int] = []
        for round in 0..<Self.roundCount {
            let start = (round + 1) * 1_000_000
            let trial = try TrialProcess(folder.path, seed: start)
            // Killed after so many confirmed entries and a random time more, so at any point of the next puts.
            let numbers = try trial.kill(
                afterEntries: Int.random(in: 0..<60, using: &random),
                microseconds: UInt32.random(in: 0..<4_000, using: &random)
            )
            confirmed += numbers
            #expect(numbers == Array((start..<start + numbers.count)), "each entry is confirmed once, in its turn")
            try examine(folder, all: confirmed, latest: numbers, after: start, "round \(round)")
        }
        #expect(confirmed.count > Self.roundCount, "the processes lived long enough to write")
    }

    /// - Parameter latest: what the last process confirmed. Those of earlier rounds are read in whole by `verify()`.
    private func examine(
        _ folder: TemporaryFolder,
        all confirmed: [Int],
        latest: [Int],
        after start: Int,
        _ round: String
    ) throws {
        let log = EventLog()
        var configuration = DiskCache.Configuration(folder: folder.path)
        configuration.sizeLimit = 8 << 30
        configuration.onEvent = { log.add($0) }
        let cache = DiskCache(configuration)
        for number in latest {
            let wanted = TrialEntry(number)
            let found = cache.get(wanted.key)
            #expect(found?.body == wanted.body, "\(round): entry \(number)")
            #expect(found?.metadata == wanted.metadata, "\(round): entry \(number)")
        }
        // The one that was being written is there in whole or not at all.
        let unconfirmed = TrialEntry(start + latest.count)
        if let found = cache.get(unconfirmed.key) { #expect(found.body == unconfirmed.body, "\(round)") }
        let keys = Set(try cache.entries().map(\.key))
        #expect(confirmed.allSatisfy { keys.contains(TrialEntry.key($0)) }, "\(round): an earlier entry is gone")
        #expect(try cache.removeExpired() == 0)
        let report = try cache.verify()
        #expect(report.isSound, "\(round): \(report)")
        #expect(report.checkedCount == keys.count)
        #expect(folder.bodyFiles.count == (try cache.statistics().fileCount), "\(round)")
        #expect(log.events.isEmpty, "\(round): \(log.events)")
        try cache.close()
    }
}

/// The program `StoreCrashTrial`, which lies beside the tests' own, and the pipe it confirms entries through.
private final class TrialProcess {
    private let id: pid_t
    private let output: Int32

    struct Failure: Error {
        let reason: String
    }

    init(_ folder: String, seed: Int) throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw Failure(reason: "no pipe: errno \(errno)") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[1]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        let path = try Self.path()
        let words: [String] = [path, folder, "\(seed)"]
        var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        pointers.append(nil)
        defer { for pointer in pointers { free(pointer) } }
        var id = pid_t()
        let code = posix_spawn(&id, path, &actions, nil, &pointers, environ)
        guard code == 0 else {
            close(ends[0])
            throw Failure(reason: "\(path) cannot be run: errno \(code)")
        }
        self.id = id
        output = ends[0]
    }

    deinit {
        close(output)
    }

    /// Kills the process at a moment after that many confirmed entries, and returns all it confirmed.
    func kill(afterEntries count: Int, microseconds: UInt32) throws -> [Int] {
        var text = try readLines(count + 1)
        // Not to wait for anything: the moment is to be anyone.
        usleep(microseconds)
        Glibc.kill(id, SIGKILL)
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        guard status & 0x7f == SIGKILL else { throw Failure(reason: "it ended by itself, with status \(status)") }
        // All it wrote is in the pipe. Its end may never come: a process started meanwhile may hold the other end.
        _ = fcntl(output, F_SETFL, O_NONBLOCK)
        text += try readLines(.max)
        let lines = text.split(separator: 10, omittingEmptySubsequences: true)
        guard lines.first.map({ String(decoding: $0, as: UTF8.self) }) == "READY" else {
            throw Failure(reason: "it did not start")
        }
        return lines.dropFirst().compactMap { Int(String(decoding: $0, as: UTF8.self)) }
    }

    /// Reads until there were so many lines, or to the end.
    private func readLines(_ count: Int) throws -> [UInt8] {
        var text: [UInt8] = []
        var left = count
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while left > 0 {
            let size = read(output, &buffer, buffer.count)
            if size < 0, errno == EINTR { continue }
            guard size > 0 else { break }
            text += buffer[..<size]
            left -= buffer[..<size].count { $0 == 10 }
        }
        return text
    }

    private static func path() throws -> String {
        var buffer = [CChar](repeating: 0, count: 4_096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { throw Failure(reason: "this program's path cannot be read") }
        let own = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let path = own.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/StoreCrashTrial"
        guard access(path, X_OK) == 0 else { throw Failure(reason: "\(path) is not there") }
        return path
    }
}
