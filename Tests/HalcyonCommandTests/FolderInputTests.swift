import Glibc
import Halcyon
import HalcyonTesting
import Testing

@testable import HalcyonCommand

/// Folders that `convert` takes.
@Suite struct FolderInputTests {
    private let work: Workplace

    init() throws { work = try Workplace() }

    private func makeFolders(_ names: String...) throws {
        for name in names { try #require(mkdir(work.path(name), 0o700) == 0) }
    }

    private func link(_ name: String, to target: String) throws {
        try #require(symlink(target, work.path(name)) == 0)
    }

    private var files: [String] { Workplace.files(below: work.path("out")) }

    @Test("a folder is entered once, however links lead to it, and by a link only from elsewhere")
    func loops() throws {
        try makeFolders("elsewhere", "photos", "photos/sub", "photos/out")
        for name in ["elsewhere/c.png", "photos/a.png", "photos/sub/b.png", "photos/out/d.png"] {
            try work.write([1], to: name)
        }
        // Loops, a second way to a folder, the folder of results, a link to itself, and two links to one folder elsewhere.
        try link("photos/again", to: ".")
        try link("photos/early", to: "sub")
        try link("photos/sub/up", to: "..")
        try link("photos/results", to: "out")
        try link("photos/self", to: "self")
        try link("photos/sub/else", to: "../../elsewhere")
        try link("elsewhere/back", to: "../photos/sub")
        try link("photos/zlink", to: "../elsewhere")
        try link("photos/e.png", to: "a.png")
        let items = try FolderInput.items([work.path("photos")], without: work.path("photos/out/"))
        #expect(items.compactMap(\.name) == ["a.png", "e.png", "sub/b.png", "sub/else/c.png"])
        #expect(items.map(\.index) == Array(0..<4) && items.allSatisfy { $0.problem == nil })
    }

    @Test("images are known by their first bytes where their names say nothing")
    func namesWithoutExtension() throws {
        try makeFolders("photos")
        let image = try Images.encoded(.png)
        for name in ["plain", "a.png.1", "b.png?w=100"] { try work.write(image, to: "photos/" + name) }
        for name in ["a.png~", "a.png.bak", "b.cr2"] { try work.write(image, to: "photos/" + name) }
        try work.write(Array("notes".utf8), to: "photos/README")
        try work.write([], to: "photos/empty")
        try #require(mkfifo(work.path("photos/pipe"), 0o600) == 0)
        let items = try FolderInput.items([work.path("photos")], without: work.path("out/"))
        #expect(items.compactMap(\.name) == ["a.png.1", "b.png?w=100", "plain"])
    }

    @Test("names that differ in their bytes alone are two images")
    func equivalentNames() async throws {
        try makeFolders("in")
        // A letter and the accent that joins it, and one character for both.
        for (name, width) in [("e\u{301}", 60), ("\u{E9}", 40)] {
            try work.write(try Images.encoded(.png, width: width), to: "new")
            try #require(rename(work.path("new"), work.path("in/\(name).png")) == 0)
        }
        let run = try await work.run("convert", "in", "out/", "--format", "webp", "--json")
        #expect(run.exitCode == 0)
        #expect(try run.results.map(\.width) == [60, 40])
        let outputs = try run.results.map { Array(($0.output ?? "").utf8) }
        #expect(outputs == ["out/e\u{301}.webp", "out/\u{E9}.webp"].map { Array($0.utf8) })
    }

    @Test(
        "a folder below that cannot be read is an error, and the others are converted",
        .enabled(if: geteuid() != 0 || MountedDisk.isPossible, "the superuser cannot give up its rights"),
        arguments: [0o000, 0o400] as [mode_t]
    )
    func unreadable(mode: mode_t) async throws {
        try makeFolders("photos", "photos/secret", "photos/secret/sub")
        for name in ["a.png", "secret/b.txt"] { try work.write(try Images.encoded(.png), to: "photos/" + name) }
        try #require(chmod(work.path("photos/secret"), mode) == 0)
        defer { chmod(work.path("photos/secret"), 0o700) }
        let command = ["convert", "photos", "out/", "--format", "webp"]
        let capabilities = "-dac_override,-dac_read_search"
        let plain = ["--bounding-set", capabilities, "--inh-caps", capabilities, Workplace.executable]
        let run =
            geteuid() == 0
            ? try await work.start(plain + command, executable: "/usr/bin/setpriv").outcome
            : try await work.start(command).outcome
        #expect(run.exitCode == 1)
        let folder = mode == 0 ? "photos/secret/" : "photos/secret/sub"
        #expect(run.error.contains("\(folder) failed: it cannot be read: Permission denied"), "\(run.error)")
        #expect(files == ["a.webp"])
    }

    @Test("files and folders whose names are not UTF-8 are converted too, each to a file of its own")
    func otherNames() async throws {
        try work.write(try Images.encoded(.png), to: "a.png")
        let shell = #"""
            d=photos/$(printf 'd\377'); mkdir -p "$d"
            cp a.png "$d/a.png"; cp a.png photos/$(printf 'b\377.png'); cp a.png photos/$(printf 'b\376.png')
            "$0" convert photos out/ --format webp --json && exec "$0" convert "$d" out/named --format webp --json
            """#
        let run = try await work.start(["-c", shell, Workplace.executable], executable: "/bin/sh").outcome
        #expect(run.exitCode == 0, "\(run)")
        #expect(try run.records(GetLine.self).map(\.status) == ["done", "done", "done", "done"])
        #expect(files.count == 4 && files.contains("b\u{FFFD}.webp") && files.contains("d\u{FFFD}/a.webp"))
        #expect(files.contains("named/a.webp"))
    }

    @Test("a folder is not its own output, and says so", arguments: ["photos", "./photos/", "photos/../photos"])
    func ownFolder(output: String) async throws {
        try makeFolders("photos")
        try work.write(try Images.encoded(.png), to: "photos/a.png")
        let run = try await work.run("convert", "photos/", output, "--format", "webp")
        #expect(run.exitCode == 64 && run.error.contains("“photos/” is the folder of the results, too"), "\(run.error)")
        #expect(Workplace.files(below: work.folder) == ["photos/a.png"])
    }

    @Test(
        "a folder needs no format where something else is to be done",
        arguments: [
            ["--quality", "60"], ["--effort", "9"], ["--lossless"], ["--keep-metadata", "all"], ["--progressive"],
        ]
    )
    func otherOptions(options: [String]) async throws {
        try makeFolders("photos")
        let photo = try Images.encoded(.jpeg)
        try work.write(photo, to: "photos/a.jpg")
        #expect(try await work.start(["convert", "photos", "out/"] + options).outcome.exitCode == 0)
        #expect(try Images.info(work.read("out/a.jpg")).format == .jpeg)
        // Not of the effort: the same bytes may come of it.
        let isKept = ["--lossless", "--keep-metadata"].contains(options[0])
        if options[0] != "--effort" { #expect(try (work.read("out/a.jpg") == photo) == isKept) }
        for input in ["photos", "photos/a.jpg"] {
            let run = try await work.run("convert", input, "none/")
            #expect(run.exitCode == 64 && run.error.contains("A folder's name says no format"))
        }
    }

    @Test("the last extension of a name alone is that of a format")
    func severalExtensions() async throws {
        try makeFolders("photos")
        let names = ["IMG.HEIC.png", "IMG.JPG.png", "IMG.webp.png"]
        for name in names { try work.write(try Images.encoded(.png), to: "photos/" + name) }
        let run = try await work.run("convert", "photos", "out/", "--resize", "10")
        #expect(run.exitCode == 0, "\(run.error)")
        #expect(files == names)
        for name in names { #expect(try Images.info(work.read("out/" + name)).format == .png) }
        let named = try await work.run("get", "photos/IMG.JPG.png", "-o", "out/", "--name", "{stem}.jpg.{ext}")
        #expect(named.exitCode == 0 && files.contains("IMG.JPG.jpg.png"), "\(named.error)")
    }
}
