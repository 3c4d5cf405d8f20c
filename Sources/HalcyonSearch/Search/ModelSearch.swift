internal import FoundationEssentials
internal import Glibc

/// Plays random programs in processes of their own until one breaks a rule, and reduces that one.
struct ModelSearch {
    /// The first seed; each program has the next.
    var seed: UInt64
    var seconds: Double
    /// A Boolean value that indicates whether the search goes on after a finding, for as long as there is time, and
    /// reports each rule once.
    var findsAll = false
    var conditions = Conditions()
    /// The folder for failing programs.
    var folder: String

    /// A finding, and the program that shows it.
    struct Result {
        let finding: Finding
        let program: Program
        let path: String
    }

    /// Searches; prints each finding with its program, and the command that plays it again.
    func run() throws -> (results: [Result], programCount: Int) {
        let start = ContinuousClock.now
        func elapsed() -> Double { (ContinuousClock.now - start) / .seconds(1) }
        var (next, count) = (seed, 0)
        var results: [Result] = []
        var counts: [Finding.Rule: Int] = [:]
        while elapsed() < seconds {
            let batch = min(20, max(1, seconds - elapsed()))
            let child = try ChildProcess.run(
                ["batch", "--seed", "\(next)", "--seconds", "\(batch)"] + conditions.arguments,
                seconds: batch + Double(conditions.patience) + 30
            )
            let seeds = child.output.filter { $0.hasPrefix("seed ") }.compactMap { UInt64($0.dropFirst(5)) }
            count += seeds.count
            guard let last = seeds.last else {
                throw SearchError("a process ended before its first program: \(child.end) \(child.reason)")
            }
            next = last + 1
            guard let finding = finding(child) else { continue }
            counts[finding.rule, default: 0] += 1
            guard counts[finding.rule] == 1 else { continue }
            Output.line("\n\(finding)\n(seed \(last), after \(Int(elapsed())) s; making the program small)")
            let result = try shrunk(ProgramGenerator.program(seed: last), finding)
            results.append(result)
            Output.line("\(result.finding)\n\(result.program)\nAgain: HalcyonSearch play \(result.path)")
            if !findsAll { break }
        }
        for (rule, number) in counts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) where findsAll {
            Output.line("\(rule.rawValue): found \(number) times")
        }
        return (results, count)
    }

    /// Returns the finding of a process, by its own words or by its end.
    private func finding(_ child: ChildProcess) -> Finding? {
        if let finding = Output.finding(in: child.output) {
            let state = child.output.first { $0.hasPrefix("state ") }.map { "; " + $0.dropFirst(6) } ?? ""
            return Finding(rule: finding.rule, message: finding.message + state)
        }
        switch child.end {
        case .exited(0): return nil
        case .exited(let code): return Finding(rule: .crash, message: "exit code \(code): \(child.reason)")
        case .signalled(let signal):
            return Finding(rule: .crash, message: "\(String(cString: strsignal(signal))): \(child.reason)")
        case .timedOut: return Finding(rule: .hang, message: "the process did not end, and did not say why")
        }
    }

    /// Reduces a program that breaks a rule, and keeps it in a file.
    func shrunk(_ program: Program, _ finding: Finding) throws -> Result {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = "\(folder)/\(finding.rule.rawValue)-\(program.seed).json"
        let trial = "\(folder)/trial-\(getpid()).json"
        defer { try? FileManager.default.removeItem(atPath: trial) }
        // A hang takes its whole patience each time, so the patience is shorter.
        var conditions = conditions
        if finding.rule == .hang { conditions.patience = min(3, conditions.patience) }
        let deadline = ContinuousClock.now + .seconds(min(120, max(20, seconds)))
        var last = finding
        func fails(_ program: Program, times: Int) throws -> Bool {
            try program.encoded().write(to: URL(filePath: trial))
            let child = try ChildProcess.run(
                ["play", trial, "--quiet", "--times", "\(times)"] + conditions.arguments,
                seconds: Double(times * conditions.patience + 30)
            )
            guard let found = self.finding(child), found.rule == finding.rule else { return false }
            last = found
            return true
        }
        // A program that fails only sometimes is played so often that it hardly ever passes by chance.
        var failures = 0
        for _ in 0..<8 where try fails(program, times: 1) { failures += 1 }
        let times = failures == 0 ? 40 : min(40, 24 / failures)
        let shrinker = Shrinker(fails: { try fails($0, times: times) }, goesOn: { ContinuousClock.now < deadline })
        let small = try shrinker.shrunk(program)
        try small.encoded().write(to: URL(filePath: path))
        return Result(finding: last, program: small, path: path)
    }
}
