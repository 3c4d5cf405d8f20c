internal import Glibc
internal import HalcyonIsolation

/// The program that tests of isolation start as a worker.
///
/// `IsolationTrial leaks COUNT` has its own workers do and fail so many pieces of work, and prints how many more
/// descriptors it has after its pool has gone, and its child processes.
@main
struct IsolationTrial {
    static func main() {
        HalcyonWorker.runIfAsked(TrialService())
        guard CommandLine.arguments.count == 3, CommandLine.arguments[1] == "leaks",
            let count = Int(CommandLine.arguments[2])
        else {
            print("usage: IsolationTrial leaks COUNT")
            exit(EX_USAGE)
        }
        print(TrialLeaks(count: count).run())
    }

    private static let EX_USAGE: Int32 = 64
}
