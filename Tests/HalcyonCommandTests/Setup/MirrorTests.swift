import Glibc
import Testing

/// The mirror that `Scripts/on` makes systems from, where apt has the configuration of a test.
@Suite("Scripts/on", .enabled(if: access("/usr/bin/apt-get", X_OK) == 0))
struct MirrorTests {
    // …/Tests/HalcyonCommandTests/Setup/MirrorTests.swift
    private static let script = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/") + "/Scripts/on"

    private let work: Workplace

    init() throws {
        work = try Workplace()
        for folder in ["parts", "lists"] { mkdir(work.path(folder), 0o755) }
        try write(
            """
            Dir::Etc::sourcelist "\(work.path("sources.list"))";
            Dir::Etc::sourceparts "\(work.path("parts"))";
            Dir::State::lists "\(work.path("lists"))";
            """,
            to: "apt.conf"
        )
    }

    /// Writes what apt keeps of a repository that it has read.
    ///
    /// - Parameter name: The address with underscores, as apt names the file.
    private func addList(_ name: String, origin: String, codename: String = "bookworm") throws {
        // Of nothing, for each architecture that the test may run on.
        let digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        var release = "Origin: \(origin)\nCodename: \(codename)\nDate: Sat, 01 Nov 2025 00:00:00 UTC\nSHA256:\n"
        for architecture in ["amd64", "arm64"] {
            release += " \(digest) 0 main/binary-\(architecture)/Packages\n"
            try write("", to: "lists/\(name)_dists_\(codename)_main_binary-\(architecture)_Packages")
        }
        try write(release, to: "lists/\(name)_dists_\(codename)_Release")
    }

    private func write(_ text: String, to name: String) throws {
        _ = try work.write(Array(text.utf8), to: name)
    }

    private func mirror(_ settings: [String: String] = [:]) async throws -> Workplace.Outcome {
        let settings = settings.merging(["APT_CONFIG": work.path("apt.conf")]) { $1 }
        return try await work.start(["--mirror"], executable: Self.script, settings: settings).outcome
    }

    @Test("takes the mirror of Debian from the lines of sources.list, whatever stands before it")
    func lines() async throws {
        try write(
            """
            deb [signed-by=/usr/share/keyrings/other.gpg] https://packages.example.com/apt bookworm main
            deb http://security.example.net/debian-security bookworm-security main
            deb [arch=amd64 signed-by=/usr/share/keyrings/debian.gpg] http://mirror.example.net/debian bookworm main
            """,
            to: "sources.list"
        )
        try addList("packages.example.com_apt", origin: "Example")
        try addList("security.example.net_debian-security", origin: "Debian", codename: "bookworm-security")
        try addList("mirror.example.net_debian", origin: "Debian")
        #expect(try await mirror().output == "http://mirror.example.net/debian\n")
    }

    @Test("takes the first address of a .sources file that debootstrap can read")
    func paragraphs() async throws {
        try write(
            """
            Types: deb deb-src
            URIs: ftp://old.example.net/debian https://mirror.example.net/debian/ http://other.example.net/debian
            Suites: bookworm bookworm-updates
            Components: main
            Signed-By: /usr/share/keyrings/debian.gpg
            """,
            to: "parts/debian.sources"
        )
        for host in ["old", "mirror", "other"] { try addList("\(host).example.net_debian", origin: "Debian") }
        #expect(try await mirror().output == "https://mirror.example.net/debian\n")
    }

    @Test("takes the first address of a file of mirrors")
    func mirrorFile() async throws {
        let mirrors = "# near\nhttps://mirror.example.net/debian\tpriority:1\nhttps://other.example.net/\n"
        try write(mirrors, to: "mirrors")
        let path = work.path("mirrors")
        try write("deb mirror+file:\(path) bookworm main\n", to: "sources.list")
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        try addList(parts.joined(separator: "_"), origin: "Debian")
        #expect(try await mirror().output == "https://mirror.example.net/debian\n")
    }

    @Test("says that there is no mirror, and which variable may name one")
    func none() async throws {
        let outcome = try await mirror()
        #expect(outcome.exitCode == 69)
        #expect(outcome.output.isEmpty)
        #expect(outcome.error.contains("HALCYON_MIRROR"))
        #expect(try await mirror(["HALCYON_MIRROR": "file:/srv/debian"]).output == "file:/srv/debian\n")
    }
}
