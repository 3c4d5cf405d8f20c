internal import ArgumentParser
internal import Halcyon

/// The command `halcyon doctor`.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Show what this installation can do: libraries, formats, kernel, isolation, cache, limits, display.",
        discussion: """
            Exit code 1 if something does not work that every command needs, marked with an exclamation mark. What is \
            only missing, such as the library of a format, is no failure.

            Examples:
              halcyon doctor
              halcyon doctor --json
            """
    )

    @OptionGroup var cacheArguments: CacheArguments

    @Flag(name: .long, help: "Print one JSON object a line.")
    var json = false

    func run() async throws {
        var findings: [Finding] = []
        findings += LibraryVersions.findings
        findings += FormatFindings.all
        findings += SystemFindings.kernel
        findings += IsolationFindings.all
        findings += await CacheFindings.all(of: cacheArguments.configuration)
        findings += SystemFindings.limits
        findings += DisplayFindings.all
        if json {
            for finding in findings { Terminal.print(JSONLine.text(finding)) }
        } else {
            for line in Finding.lines(of: findings) { Terminal.print(line) }
        }
        if findings.contains(where: \.isProblem) { throw ExitCode(1) }
    }
}

/// A fact about the installation.
struct Finding: Encodable {
    /// The parts of the report.
    enum Section: String, Encodable {
        case libraries, formats, kernel, isolation, cache, limits, display
    }

    private enum CodingKeys: String, CodingKey {
        case section, name, value, isProblem = "problem"
    }

    let section: Section
    let name: String
    /// `nil` for what is not there.
    let value: String?
    /// Whether commands fail because of it.
    var isProblem = false

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(section, forKey: .section)
        try container.encode(name, forKey: .name)
        // Every field is always there.
        try container.encode(value, forKey: .value)
        try container.encode(isProblem, forKey: .isProblem)
    }

    /// Returns the report that people read.
    static func lines(of findings: [Finding]) -> [String] {
        let width = findings.map(\.name.columnCount).max() ?? 0
        var lines: [String] = []
        var section: Section?
        for finding in findings {
            if finding.section != section {
                if section != nil { lines.append("") }
                lines.append(finding.section.rawValue.prefix(1).uppercased() + finding.section.rawValue.dropFirst())
                section = finding.section
            }
            let padding = String(repeating: " ", count: width - finding.name.columnCount)
            lines.append("\(finding.isProblem ? "! " : "  ")\(finding.name)\(padding)  \(finding.value ?? "–")")
        }
        return lines
    }
}
