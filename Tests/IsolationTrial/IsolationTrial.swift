internal import Glibc
internal import HalcyonIsolation

/// The program that tests of isolation start as a worker.
///
/// `IsolationTrial leaks COUNT` has its own workers do and fail so many pieces of work, and prints how many more descriptors it
/// has after its pool has gone, and its child processes. `IsolationTrial fork` forks after its first piece of work,
/// `IsolationTrial crowd` has no descriptor left for a second worker, `IsolationTrial stack` has a stack without a limit, and
/// `IsolationTrial sizes` may write small files only.
@main
struct IsolationTrial {
    static func main() {
        HalcyonWorker.runIfAsked(TrialService())
        let words = CommandLine.arguments.dropFirst()
        switch (words.first, words.dropFirst().first.flatMap { Int($0) }) {
        case ("leaks", let count?): print(TrialLeaks(count: count).run())
        case ("fork", nil): print(TrialProcesses.fork())
        case ("crowd", nil): print(TrialProcesses.crowd())
        case ("stack", nil): print(TrialProcesses.stack())
        case ("sizes", nil): print(TrialProcesses.sizes())
        default:
            print("usage: IsolationTrial leaks COUNT | fork | crowd | stack | sizes")
            exit(EX_USAGE)
        }
    }

    private static let EX_USAGE: Int32 = 64
}
