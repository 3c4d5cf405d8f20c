internal import CReferences
internal import Glibc

/// What a program and those that it started took.
struct ProcessCost {
    /// Nanoseconds.
    let time: TimeSample
    /// Of the process that took most, bytes.
    let peakMemory: Int
}

/// Runs programs and says what they took.
///
/// Each is started by a small process of its own: what the system counts as a program's greatest memory begins with that of
/// the process that started it.
enum MeasuredProcess {
    /// The first word of the command line of that process.
    static let word = "measured-process"

    /// Runs a program to its end.
    ///
    /// - Parameters:
    ///   - program: A path.
    ///   - folder: Where it runs.
    static func run(_ program: String, _ arguments: [String], in folder: String) throws -> ProcessCost {
        let process = try LineProcess("/proc/self/exe", [word, folder, program] + arguments)
        let answer = try process.answer()
        let numbers = answer.split(separator: " ").compactMap { Double($0) }
        guard numbers.count == 4 else { throw BenchmarkError("\(program): \(answer)") }
        guard numbers[3] == 0 else { throw BenchmarkError("\(program) ended with status \(Int(numbers[3]))") }
        return ProcessCost(time: TimeSample(wall: numbers[0], processor: numbers[1]), peakMemory: Int(numbers[2]))
    }

    /// What that process does: it runs the program and prints its cost.
    static func main(_ words: [String]) {
        guard words.count >= 2, chdir(words[0]) == 0 else {
            return StandardStream.output.writeLine("This is for halcyon-bench itself.")
        }
        // What outlives the program that started it, such as its workers, becomes a child of this process.
        guard halcyon_reference_adopt_descendants() == 0 else {
            return StandardStream.output.writeLine(String(cString: strerror(errno)))
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        for descriptor: Int32 in [0, 1] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        var arguments = words.dropFirst().map { strdup($0) } + [nil]
        var id = pid_t()
        let start = TimeSample.monotonic
        let code = posix_spawn(&id, words[1], &actions, nil, &arguments, environ)
        guard code == 0 else { return StandardStream.output.writeLine(String(cString: strerror(code))) }
        var status: Int32 = 0
        var usage = rusage()
        while wait4(id, &status, 0, &usage) < 0, errno == EINTR {}
        let wall = TimeSample.monotonic - start
        while wait(nil) > 0 || errno == EINTR {}
        getrusage(RUSAGE_CHILDREN.rawValue, &usage)
        let processor = TimeSample.nanoseconds(usage.ru_utime) + TimeSample.nanoseconds(usage.ru_stime)
        StandardStream.output.writeLine("\(wall) \(processor) \(usage.ru_maxrss << 10) \(status)")
    }
}
