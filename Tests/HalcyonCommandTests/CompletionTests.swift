import Glibc
import Testing

@Suite("completions of shells")
struct CompletionTests {
    private let work: Workplace

    init() throws { work = try Workplace() }

    @Test("bash completes subcommands and options", .enabled(if: access("/bin/bash", X_OK) == 0))
    func bash() async throws {
        let shell = """
            source <("$0" --generate-completion-script bash)
            complete_words() {
                COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
                _halcyon "$1" "${!#}" "${COMP_WORDS[COMP_CWORD - 1]}"
                echo "${COMPREPLY[*]}"
            }
            complete_words halcyon sh
            complete_words halcyon show --prot
            complete_words halcyon convert --prog
            """
        let run = try await work.start(["-c", shell, Workplace.executable], executable: "/bin/bash").outcome
        #expect(run.exitCode == 0 && run.error.isEmpty, "\(run.error)")
        #expect(run.lines.map { $0.filter { $0 != " " } } == ["show", "--protocol", "--progressive"])
    }

    @Test("bash completes names of files, folders and formats", .enabled(if: access("/bin/bash", X_OK) == 0))
    func files() async throws {
        try work.write([], to: "photo.jpg")
        try #require(mkdir(work.path("photos"), 0o700) == 0)
        let options = ["--from", "-o", "--report", "--resume", "--sheet", "--cookies"]
        let words = ["get", "convert", "info"] + options.map { "get a \($0)" }
        let shell = """
            source <("$0" --generate-completion-script bash)
            complete_words() {
                COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
                _halcyon "$1" "${!#}" "${COMP_WORDS[COMP_CWORD - 1]}"
                echo "${COMPREPLY[*]}"
            }
            """
        let calls =
            words.map { "complete_words halcyon \($0) photo.\n" } + [
                "complete_words halcyon get a --cache-dir ph\n", "complete_words halcyon convert a --format web\n",
            ]
        let script = shell + "\n" + calls.joined()
        let run = try await work.start(["-c", script, Workplace.executable], executable: "/bin/bash").outcome
        #expect(run.exitCode == 0 && run.error.isEmpty, "\(run.error)")
        let expected = words.map { _ in "photo.jpg" } + ["photos", "webp"]
        #expect(run.lines.map { $0.filter { $0 != " " && $0 != "/" } } == expected)
    }

    @Test("each shell reads its script", arguments: ["bash", "zsh", "fish"])
    func syntax(shell: String) async throws {
        let script = try await work.run("--generate-completion-script", shell)
        #expect(script.exitCode == 0 && script.output.contains("doctor"))
        // A machine without the shell has the script alone.
        guard access("/usr/bin/\(shell)", X_OK) == 0 else { return }
        try work.write(Array(script.output.utf8), to: "script")
        let run = try await work.start(["-n", "script"], executable: "/usr/bin/\(shell)").outcome
        #expect(run.exitCode == 0 && run.error.isEmpty, "\(run.error)")
    }
}
