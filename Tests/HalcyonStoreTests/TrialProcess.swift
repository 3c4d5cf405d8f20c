import Glibc

/// The program `StoreCrashTrial`, which lies beside the tests' own, and the pipe it confirms entries through.
final class TrialProcess {
    private let id: pid_t
    private let output: Int32

    struct Failure: Error {
        let reason: String
    }

    /// - Parameter steps: how many steps it makes before it ends; nil if it is to be killed.
    init(_ folder: String, seed: Int, steps: Int? = nil) throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw Failure(reason: "no pipe: errno \(errno)") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[1]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        let path = try Self.path()
        let words: [String] = [path, folder, "\(seed)"] + (steps.map { ["\($0)"] } ?? [])
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

    /// Waits until the process ends by itself, and returns its status as `waitpid` gives it: 0 if all went well.
    func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        return status
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
