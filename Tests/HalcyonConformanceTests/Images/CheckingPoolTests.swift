import Testing

@testable import HalcyonConformance

/// With programs of the shell in place of the real one.
@Suite("Checking in processes that may crash")
struct CheckingPoolTests {
    /// Answers each line with itself, but crashes, stalls or leaves at some.
    private static let script = """
        while read -r line; do
            case $line in
            crash) echo 'Fatal error: a reason' >&2; kill -SEGV $$ ;;
            leave) exit 3 ;;
            stall) while :; do sleep 1; done ;;
            *) echo 'a library says something'; echo "$line" >&3 ;;
            esac
        done
        """

    private func outcomes(_ lines: [String], processes: Int = 2, timeout: Double = 20) throws -> [CheckingPool.Outcome?]
    {
        let pool = CheckingPool(processCount: processes, timeout: timeout) {
            try CheckingProcess(["/bin/sh", "-c", Self.script])
        }
        var outcomes = [CheckingPool.Outcome?](repeating: nil, count: lines.count)
        try pool.run(lines) { index, outcome in
            #expect(outcomes[index] == nil)
            outcomes[index] = outcome
        }
        return outcomes
    }

    @Test("every line has its answer, however many processes there are", arguments: [1, 2, 7])
    func answers(processes: Int) throws {
        let lines = (0..<20).map { "line \($0)" }
        #expect(try outcomes(lines, processes: processes) == lines.map { .answer($0) })
    }

    @Test("a crash is the outcome of its line alone, with what the process said last")
    func crash() throws {
        let outcomes = try outcomes(["a", "crash", "b", "leave", "c"], processes: 1)
        #expect(outcomes[0] == .answer("a"))
        #expect(outcomes[1] == .crash("signal 11, Segmentation fault: Fatal error: a reason"))
        #expect(outcomes[2] == .answer("b"))
        #expect(outcomes[3] == .crash("exit code 3"))
        #expect(outcomes[4] == .answer("c"))
    }

    @Test("a line that takes too long is given up, and the next goes on")
    func timeout() throws {
        #expect(try outcomes(["stall", "stall"], timeout: 0.2) == [.timeout, .timeout])
        #expect(try outcomes(["stall", "stall", "a"], processes: 2, timeout: 2).last == .answer("a"))
    }

    @Test("a program that cannot be started is an error, no verdict")
    func missingProgram() {
        let pool = CheckingPool(processCount: 1, timeout: 1) { try CheckingProcess(["/nowhere/program"]) }
        #expect(throws: CheckingProcessError.self) {
            try pool.run(["a"]) { _, _ in }
        }
    }
}
