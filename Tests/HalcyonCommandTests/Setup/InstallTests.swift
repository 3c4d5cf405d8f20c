import Glibc
import Testing

/// `./install` where a stand-in builds: what is installed is the command that was built for the tests.
@Suite("./install")
struct InstallTests {
    // …/Tests/HalcyonCommandTests/Setup/InstallTests.swift
    private static let folder = "/" + #filePath.split(separator: "/").dropLast().joined(separator: "/")
    private static let script = folder + "/../../../install"

    private let work: Workplace

    init() throws { work = try Workplace() }

    private func install(_ arguments: String..., settings: [String: String] = [:]) async throws -> Workplace.Outcome {
        for folder in ["commands", "binaries"] { mkdir(work.path(folder), 0o755) }
        let tools = [
            "bash", "sh", "env", "awk", "sed", "grep", "dirname", "basename", "realpath", "mktemp", "mkdir", "install",
            "rm", "id", "tr", "cat", "head",
        ]
        for name in tools {
            let path = try #require(["/usr/bin/", "/bin/"].map { $0 + name }.first { access($0, X_OK) == 0 })
            symlink(path, work.path("commands/\(name)"))
        }
        for name in ["pkg-config", "swift", "ldconfig"] {
            symlink("\(Self.folder)/commands/\(name)", work.path("commands/\(name)"))
        }
        for name in ["git", "g++", "strip"] { symlink("/bin/true", work.path("commands/\(name)")) }
        symlink(Workplace.executable, work.path("binaries/HalcyonCommand"))
        symlink("\(Self.folder)/commands/generate-manual", work.path("binaries/generate-manual"))
        let described = ["PATH": work.path("commands"), "TEST_SWIFT": "6.3", "TEST_BINARIES": work.path("binaries")]
        return try await work.start(
            arguments,
            executable: Self.script,
            settings: settings.merging(described) { $1 }
        )
        .outcome
    }

    private static let files = [
        "bin/halcyon", "share/bash-completion/completions/halcyon", "share/fish/vendor_completions.d/halcyon.fish",
        "share/man/man1/halcyon.1", "share/zsh/site-functions/_halcyon",
    ]

    @Test("puts the command, its manual page and its completions below PREFIX, and takes away the same")
    func prefix() async throws {
        let prefix = work.path("a prefix")
        let run = try await install(settings: ["PREFIX": prefix])
        #expect(run.exitCode == 0, "\(run.error)")
        #expect(Workplace.files(below: prefix) == Self.files)
        #expect(run.lines.sorted() == Self.files.map { "\(prefix)/\($0)" })
        let command = try await work.start(["--version"], executable: prefix + "/bin/halcyon").outcome
        #expect(command.exitCode == 0 && !command.output.isEmpty)
        // A file of somebody else stays.
        try work.write([1], to: "a prefix/share/man/man1/other.1")
        let removal = try await install("--uninstall", settings: ["PREFIX": prefix])
        #expect(removal.exitCode == 0 && removal.lines.count == Self.files.count, "\(removal.error)")
        #expect(Workplace.files(below: prefix) == ["share/man/man1/other.1"])
        #expect(try await install("--uninstall", settings: ["PREFIX": prefix]).output.isEmpty)
    }

    @Test("for a package, paths begin below DESTDIR")
    func destination() async throws {
        let run = try await install(settings: ["PREFIX": "/usr", "DESTDIR": work.path("root")])
        #expect(run.exitCode == 0, "\(run.error)")
        #expect(Workplace.files(below: work.path("root/usr")) == Self.files)
    }

    @Test("refuses what it does not know, and a prefix that is no absolute path")
    func wrongUse() async throws {
        #expect(try await install("--prefix=/usr").exitCode == 64)
        #expect(try await install(settings: ["PREFIX": "usr"]).exitCode == 64)
        #expect(try await install("--help").exitCode == 0)
    }
}
