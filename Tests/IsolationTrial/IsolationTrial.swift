internal import Glibc
internal import HalcyonIsolation

/// The program that tests of isolation start as a worker.
///
/// `IsolationTrial leaks COUNT` has its own workers do and fail so many pieces of work, and prints how many more
/// descriptors it has after its pool has gone, and its child processes. `IsolationTrial fork` forks after its first piece of
/// work, `IsolationTrial crowd` has no descriptor left for a second worker.
@main
struct IsolationTrial {
    static func main() {
        HalcyonWorker.runIfAsked(TrialService())
        let words = CommandLine.arguments.dropFirst()
        switch (words.first, words.dropFirst().first.flatMap { Int($0) }) {
        case ("leaks", let count?): print(TrialLeaks(count: count).run())
        case ("fork", nil): print(TrialProcesses.fork())
        case ("crowd", nil): print(TrialProcesses.crowd())
        default:
            print("usage: IsolationTrial leaks COUNT | fork | crowd")
            exit(EX_USAGE)
        }
    }

    private static let EX_USAGE: Int32 = 64
}
