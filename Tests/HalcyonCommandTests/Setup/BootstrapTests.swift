import Glibc
import Testing

/// `Scripts/bootstrap` on a system that the test describes: a folder of commands is all that the script finds.
@Suite("Scripts/bootstrap")
struct BootstrapTests {
    // …/Tests/HalcyonCommandTests/Setup/BootstrapTests.swift
    private static let folder = "/" + #filePath.split(separator: "/").dropLast().joined(separator: "/")
    private static let standIns = folder + "/commands/"
    private static let script = folder + "/../../../Scripts/bootstrap"

    private let work: Workplace

    init() throws {
        work = try Workplace()
    }

    /// Runs the script where `pkg-config` knows libraries of these versions; all others have version 99.
    ///
    /// - Parameter versions: By the name of the module; empty for one that is not installed.
    private func bootstrap(
        _ versions: [String: String] = [:],
        swift: String = "6.3",
        settings: [String: String] = [:]
    ) async throws -> Workplace.Outcome {
        let commands = work.path("commands")
        mkdir(commands, 0o755)
        for name in ["sh", "awk", "sed", "grep", "dirname", "tr", "cat", "head", "id", "env"] {
            let path = try #require(["/usr/bin/", "/bin/"].map { $0 + name }.first { access($0, X_OK) == 0 })
            symlink(path, "\(commands)/\(name)")
        }
        // Files of the checkout: one that a test writes cannot be started while a child of another test, forked at that
        // moment, still has it open.
        for name in ["pkg-config", "swift", "ldconfig"] { symlink(Self.standIns + name, "\(commands)/\(name)") }
        for name in ["git", "g++"] { symlink("/bin/true", "\(commands)/\(name)") }
        let described = [
            "PATH": commands, "TEST_SWIFT": swift,
            "TEST_VERSIONS": versions.map { "\($0)=\($1)" }.joined(separator: " "),
        ]
        return try await work.start(
            ["build"],
            executable: Self.script,
            settings: settings.merging(described) { $1 }
        )
        .outcome
    }

    @Test("says nothing where everything is there")
    func complete() async throws {
        let outcome = try await bootstrap()
        #expect(outcome.exitCode == 0)
        #expect(outcome.error == "")
    }

    @Test("names the library that is too old, what is needed, and the views as what to leave out")
    func oldLibraryOfTheViews() async throws {
        let outcome = try await bootstrap(["gtk4": "4.6.0"])
        #expect(outcome.exitCode == 69)
        #expect(outcome.error.contains("gtk4 4.6.0; 4.8 or newer is needed"))
        #expect(outcome.error.contains("export HALCYON_WITHOUT=HalcyonGTK\n"))
    }

    @Test("a library that every build needs cannot be left out")
    func oldLibrary() async throws {
        let outcome = try await bootstrap(["libcurl": "7.68.0", "libheif": "1.12.0"])
        #expect(outcome.exitCode == 69)
        #expect(outcome.error.contains("libcurl 7.68.0; 7.88 or newer is needed"))
        #expect(!outcome.error.contains("HALCYON_WITHOUT"))
    }

    @Test("goes on with old libraries where it is told to")
    func untried() async throws {
        let outcome = try await bootstrap(["libcurl": "7.68.0"], settings: ["HALCYON_UNTRIED": "1"])
        #expect(outcome.exitCode == 0)
        #expect(outcome.error.contains("libcurl 7.68.0"))
    }

    @Test("without apt, names the packages of a missing library")
    func missingLibrary() async throws {
        let outcome = try await bootstrap(["libjxl": ""])
        #expect(outcome.exitCode == 69)
        #expect(outcome.error.contains("dnf install libjxl-devel"))
        #expect(!outcome.error.contains("HALCYON_WITHOUT"))
    }

    @Test("asks for no library of a module that is left out")
    func leftOut() async throws {
        let missing = ["libjxl": "", "libheif": "1.12.0"]
        let without = ["HALCYON_WITHOUT": "HalcyonHEIC,HalcyonJPEGXL"]
        #expect(try await bootstrap(missing, settings: without).exitCode == 0)
        #expect(try await bootstrap(missing, settings: ["HALCYON_WITHOUT": "HalcyonHEIC"]).exitCode == 69)
    }

    @Test("refuses to leave out what is no target")
    func unknownTarget() async throws {
        let outcome = try await bootstrap(settings: ["HALCYON_WITHOUT": "HalcyonSVG,PSD"])
        #expect(outcome.exitCode == 64)
        #expect(outcome.error.contains("PSD is no target"))
    }

    @Test("says that Swift is too old")
    func oldSwift() async throws {
        let outcome = try await bootstrap(swift: "5.10")
        #expect(outcome.exitCode == 69)
        #expect(outcome.error.contains("needs Swift 6.1 or newer"))
    }
}
