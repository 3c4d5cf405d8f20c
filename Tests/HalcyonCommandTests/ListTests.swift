import FoundationEssentials
import Glibc
import HalcyonTesting
import Testing

/// Lists of images (`--from`), and names of files.
@Suite struct ListTests {
    private let work: Workplace
    private let server: OriginServer

    init() throws {
        work = try Workplace()
        server = try OriginServer.withImages()
    }

    private func url(_ path: String) -> String { server.url(path).absoluteString }

    private func list(_ lines: String...) throws { try work.write(Array(lines.joined().utf8), to: "list") }

    private var files: [String] { Workplace.files(below: work.path("out")) }

    @Test(
        "a list has URLs, names behind tabs, objects, comments, blank lines and any line ends",
        arguments: [true, false]
    )
    func kinds(isPiped: Bool) async throws {
        defer { server.stop() }
        try list(
            "\u{FEFF}# images\r\n\r\n  \(url("/1/a.png"))  \r\n\(url("/2/a.png"))\tcat\n",
            "{\"url\": \"\(url("/3/a.png"))\", \"name\": \"pets/dog\"}\n\t\r\(url("/4/a.png"))\tfish.webp"
        )
        let arguments = ["get", "--from", isPiped ? "-" : "list", "-o", "out", "--json"]
        let run = try await work.start(arguments, input: isPiped ? "list" : nil).outcome
        #expect(run.exitCode == 0, "\(run)")
        #expect(try run.results.map(\.url) == (1...4).map { url("/\($0)/a.png") })
        #expect(files == ["a.png", "cat.png", "fish.webp", "pets/dog.png"])
        #expect(try Images.info(work.read("out/fish.webp")).format == .webp)
        #expect(try work.read("out/cat.png").suffix(8) == Array("/2/a.png".utf8)[...])
    }

    @Test("a line that is none fails alone, and a list that is not there fails the run")
    func badLines() async throws {
        defer { server.stop() }
        try list("{\"no\": 1}\n\(url("/a.png"))\nhttp://[\n")
        let run = try await work.run("get", "--from", "list", "-o", "out/", "--json")
        #expect(run.exitCode == 1)
        #expect(try run.results.map(\.status) == ["failed", "done", "failed"])
        let none = try await work.run("get", "--from", "nowhere", "-o", "out/")
        #expect(none.exitCode == 1 && none.error.contains("nowhere: No such file or directory"))
    }

    @Test("no name of a list or template leads out of the folder")
    func escapes() async throws {
        defer { server.stop() }
        try list("\(url("/1"))\t../../evil\n\(url("/2"))\t/etc/evil\n\(url("/%2e%2e%2f3"))\n\(url("/4"))\t..\n")
        #expect(try await work.run("get", "--from", "list", "-o", "out/").exitCode == 0)
        let template = "../{path}/../{stem}"
        #expect(try await work.run("get", url("/..%2f/..%2f..%2fb"), "-o", "out/", "--name", template).exitCode == 0)
        #expect(Workplace.files(below: work.folder).filter { !$0.hasPrefix("out/") } == ["list"])
        #expect(Workplace.files(below: work.root).allSatisfy { !$0.contains("evil") || $0.hasPrefix("work/out/") })
        #expect(files.count == 5)
    }

    @Test("--name puts host, stem and size into names, and finds its files again")
    func template() async throws {
        defer { server.stop() }
        let command = [
            "get", url("/x/a.png"), "-o", "out", "--name", "{host}/{stem}-{width}.{ext}", "--resize", "20", "--json",
        ]
        let first = try await work.start(command).outcome
        #expect(try first.results.map(\.output) == ["out/127.0.0.1/a-20.png"])
        let second = try await work.start(command + ["--no-cache"]).outcome
        #expect(try second.results.map(\.status) == ["skipped"])
        #expect(server.requests.count == 1)
        #expect(try await work.run("get", url("/a.png"), "-o", "out/", "--name", "{nothing}").exitCode == 64)
    }

    @Test(
        "--name with a size finds the file of each name that a list has for an image",
        arguments: [("png", "one", "two"), ("pam", "one", "two"), ("png", "e\u{301}", "\u{E9}")]
    )
    func templateOfNames(format: String, first: String, second: String) async throws {
        defer { server.stop() }
        try list("\(url("/a.png"))\t\(first)\n\(url("/a.png"))\t\(second)\n")
        let command = [
            "get", "--from", "list", "-o", "out/", "--name", "{stem}-{width}", "--format", format, "--json",
        ]
        #expect(try await work.start(command).outcome.exitCode == 0)
        #expect(files == ["\(first)-40.\(format)", "\(second)-40.\(format)"])
        try #require(unlink(work.path("out/\(first)-40.\(format)")) == 0)
        let again = try await work.start(command).outcome
        #expect(try again.results.map(\.status) == ["done", "skipped"])
        #expect(files == ["\(first)-40.\(format)", "\(second)-40.\(format)"])
    }

    @Test("--name with a size looks for files in its own folder alone, whatever links lead out of it or back into it")
    func linkedFolders() async throws {
        defer { server.stop() }
        let command = ["get", url("/x/a.png"), "-o", "out/", "--name", "{path}/{stem}-{width}", "--json"]
        #expect(try await work.start(command).outcome.results.map(\.output) == ["out/x/a-40.png"])
        for name in ["one", "two", "three"] { try #require(symlink(".", work.path("out/x/" + name)) == 0) }
        #expect(try await work.start(command).outcome.results.map(\.status) == ["skipped"])
        // The same files below a link are elsewhere.
        try #require(rename(work.path("out/x"), work.path("x")) == 0 && symlink("../x", work.path("out/x")) == 0)
        let run = try await work.start(command).outcome
        #expect(try !run.isOverdue && run.results.map(\.status) == ["done"])
    }

    @Test("a list of a program that is still running is loaded as it comes, and Ctrl-C ends the wait for more")
    func liveList() async throws {
        self.server.stop()
        let image = try Images.encoded(.png)
        let isRequested = Gate()
        let server = try OriginServer { _ in
            .init(steps: [.open(isRequested)] + OriginServer.Response(body: image).steps)
        }
        defer { server.stop() }
        let url = server.url("/a.png").absoluteString
        try #require(mkfifo(work.path("pipe"), 0o600) == 0)
        let running = try work.start(["get", "--from", "pipe", "-o", "out/", "--json"])
        let pipe = try await onThread { open(work.path("pipe"), O_WRONLY | O_CLOEXEC) }
        try #require(pipe >= 0)
        defer { close(pipe) }
        let line = Array((url + "\n").utf8)
        try #require(write(pipe, line, line.count) == line.count)
        await isRequested.wait()
        running.process.send(signal: SIGINT)
        let run = try await running.outcome
        #expect(run.exitCode == 130 && !run.isOverdue)
        #expect(run.error.contains("Interrupted: "))
        #expect(try await work.run("get", url, "-o", "out/").exitCode == 0)
        #expect(files == ["a.png"])
    }

    @Test("an image of the standard input is written, and one goes to the standard output")
    func streams() async throws {
        defer { server.stop() }
        let photo = try Images.encoded(.png, width: 64, height: 32)
        try work.write(photo, to: "in.png")
        let run = try await work.start(["get", "-", "-o", "out/", "--resize", "16", "--json"], input: "in.png").outcome
        #expect(run.exitCode == 0, "\(run.error)")
        #expect(try Images.info(work.read("out/stdin.png")).size.width == 16)
        let output = open(work.path("captured"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(output) }
        #expect(try await work.start(["get", "in.png", "-o", "-"], output: output).outcome.exitCode == 0)
        #expect(try work.read("captured") == photo)
        for arguments in [["get", "-", "--from", "-"], ["get", "-", "-"], ["get", "a", "b", "-o", "-"]] {
            #expect(try await work.start(arguments).outcome.exitCode == 64)
        }
    }

    @Test(
        "the standard input is read to its end where it does not block its reader",
        .timeLimit(.minutes(1)),
        arguments: [true, false]
    )
    func nonBlockingInput(isList: Bool) async throws {
        defer { server.stop() }
        let input = isList ? Array("\(url("/a.png"))\n\(url("/b.png"))\n".utf8) : try Images.encoded(.png)
        try #require(mkfifo(work.path("pipe"), 0o600) == 0)
        // Held to the end, so that writing never fails.
        let reader = open(work.path("pipe"), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        let writer = open(work.path("pipe"), O_WRONLY | O_CLOEXEC | O_NONBLOCK)
        try #require(reader >= 0 && writer >= 0)
        defer { close(reader) }
        try #require(write(writer, input, 20) == 20)
        let arguments = isList ? ["--from", "-"] : ["-"]
        let running = try work.start(["get"] + arguments + ["-o", "out/"], inputDescriptor: reader)
        var ready = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
        while poll(&ready, 1, 0) == 1 { await Task.yield() }
        try #require(write(writer, Array(input[20...]), input.count - 20) == input.count - 20)
        close(writer)
        let outcome = try await running.outcome
        #expect(outcome.exitCode == 0, "\(outcome.error)")
        #expect(files == (isList ? ["a.png", "b.png"] : ["stdin.png"]))
    }

    @Test("a format without an encoder is an error, and no other bytes are written under its name")
    func noEncoder() async throws {
        defer { server.stop() }
        for options in [["-o", "a.heic", "--resize", "20"], ["-o", "a.svg"], ["-o", "out/", "--format", "heic"]] {
            let run = try await work.start(["get", url("/a.png")] + options).outcome
            #expect(run.exitCode != 0)
            #expect(run.error.contains("encode") || run.error.contains("can be written"))
        }
        #expect(Workplace.files(below: work.folder).isEmpty)
    }

    @Test("a report has a line for each file, and --resume goes on with it")
    func reports() async throws {
        defer { server.stop() }
        try list("\(url("/a.png"))\n\(url("/missing.png"))\n\(url("/b.png"))\n")
        let run = try await work.run("get", "--from", "list", "-o", "out/", "--report", "report")
        #expect(run.exitCode == 1)
        let first = try report()
        #expect(Set(first.map(\.status)) == ["done", "failed"] && first.count == 3)
        let done = try #require(first.first { $0.url == url("/a.png") })
        #expect(done.digest == SHA256.hexadecimal(of: try work.read("out/a.png")))
        #expect(
            done.outputBytes == (try work.read("out/a.png").count) && (done.ended ?? 0) >= (done.began ?? .infinity)
        )
        // A line that was being written when the run was killed, and a file that has gone since.
        try append("{\"index\": 7, \"ur")
        #expect(unlink(work.path("out/a.png")) == 0)
        let resumed = try await work.run("get", "--from", "list", "-o", "out/", "--resume", "report", "--json")
        #expect(try resumed.results.map(\.status) == ["done", "failed", "skipped"])
        #expect(server.requestCount("/a.png") == 1 && server.requestCount("/missing.png") == 2)
        #expect(try report().filter { $0.status == "failed" }.count == 2)
        #expect(files == ["a.png", "b.png"])
    }

    @Test("a file that is empty, a folder, or another image's by now is not done for --resume")
    func otherFiles() async throws {
        defer { server.stop() }
        try list("abcde".map { "\(url("/\($0).png"))\n" }.joined())
        let command = ["get", "--from", "list", "-o", "out/"]
        #expect(try await work.start(command + ["--report", "report"]).outcome.exitCode == 0)
        let outputs = Set(try report().compactMap(\.output))
        #expect(outputs == Set("abcde".map { work.path("out/\($0).png") }))
        try #require(truncate(work.path("out/a.png"), 0) == 0)
        // Of the same length.
        try #require(rename(work.path("out/d.png"), work.path("out/b.png")) == 0)
        try #require(unlink(work.path("out/c.png")) == 0 && mkdir(work.path("out/c.png"), 0o700) == 0)
        let resumed = try await work.start(command + ["--resume", "report", "--json"]).outcome
        #expect(try resumed.results.map(\.status) == ["done", "done", "done", "done", "skipped"])
        for line in try resumed.results.dropLast() {
            let output = try #require(line.output)
            #expect(try work.read(output).suffix(6) == Array(line.url.suffix(6).utf8)[...])
        }
    }

    @Test("what a report has without a file is not done where files are wanted, nor is an image that was cut short")
    func unfinished() async throws {
        self.server.stop()
        let image = try Images.encoded(.jpeg, width: 200, height: 200)
        let isWhole = Gate()
        let server = try OriginServer { request in
            let isCut = request.path == "/cut.jpg" && !isWhole.isOpen
            return .init(headers: [.cacheControl: "no-store"], body: isCut ? image.dropLast(100) : image)
        }
        defer { server.stop() }
        try list("\(server.url("/a.jpg"))\n\(server.url("/cut.jpg"))\n")
        let first = try await work.run("get", "--from", "list", "--report", "report")
        #expect(first.exitCode == 0, "\(first)")
        isWhole.open()
        // Without files, only the one that was cut short is left.
        let again = try await work.run("get", "--from", "list", "--resume", "report", "--json")
        #expect(try again.results.map(\.status) == ["skipped", "done"])
        let written = try await work.run("get", "--resume", "report", "-o", "out/", "--json")
        #expect(try written.results.map(\.status) == ["done", "done"])
        #expect(try work.read("out/cut.jpg") == image)
        let last = try await work.run("get", "--from", "list", "--resume", "report", "-o", "out/", "--json")
        #expect(try last.results.map(\.status) == ["skipped", "skipped"])
    }

    @Test("a report that is resumed into another folder names files elsewhere, so all are written there")
    func otherFolder() async throws {
        defer { server.stop() }
        try list("\(url("/a.png"))\n\(url("/b.png"))\n")
        let first = ["get", "--from", "list", "-o", work.path("out")]
        #expect(try await work.start(first + ["--report", "report"]).outcome.exitCode == 0)
        // Without the list, too.
        let written = try await work.run("get", "--resume", "report", "-o", "new/", "--json")
        #expect(try written.exitCode == 0 && written.results.map(\.status) == ["done", "done"])
        #expect(Workplace.files(below: work.path("new")) == ["a.png", "b.png"] && files == ["a.png", "b.png"])
        #expect(server.requests.count == 2)
        // Each folder has them from then on, however its path is written.
        for folder in ["new", "./new/", work.path("new"), "out/"] {
            let run = try await work.run("get", "--from", "list", "--resume", "report", "-o", folder, "--json")
            #expect(try run.results.map(\.status) == ["skipped", "skipped"])
        }
        #expect(server.requests.count == 2)
        #expect(Workplace.files(below: work.folder).count == 6)
    }

    @Test("a report that is resumed into another file writes that")
    func otherFile() async throws {
        defer { server.stop() }
        #expect(try await work.run("get", url("/a.png"), "-o", "a.png", "--report", "report").exitCode == 0)
        for (name, status) in [("a.png", "skipped"), ("b.png", "done"), ("b.png", "skipped")] {
            let run = try await work.run("get", url("/a.png"), "-o", name, "--resume", "report", "--json")
            #expect(try run.results.map(\.status) == [status])
        }
        #expect(try work.read("a.png") == work.read("b.png"))
    }

    @Test("a file whose name only looks like that of a report is another one")
    func otherBytes() async throws {
        defer { server.stop() }
        #expect(try await work.run("get", url("/a.png"), "-o", "\u{E9}.png", "--report", "report").exitCode == 0)
        let run = try await work.run("get", url("/a.png"), "-o", "e\u{301}.png", "--resume", "report", "--json")
        #expect(try run.results.map(\.status) == ["done"])
        #expect(try work.read("e\u{301}.png") == work.read("\u{E9}.png"))
    }

    @Test("a run in a folder whose path is not UTF-8 goes on by its report, and keeps its cache there")
    func oddFolder() async throws {
        defer { server.stop() }
        let script = #"folder=$(printf 'a\377') && mkdir -p "$folder" && cd "$folder" && exec "$0" "$@""#
        let command = ["-c", script, Workplace.executable, "get", url("/a.png"), "-o", "out/", "--cache-dir", "cache"]
        let first = try await work.start(command + ["--report", "report"], executable: "/bin/sh").outcome
        #expect(first.exitCode == 0, "\(first)")
        let resumed = try await work.start(command + ["--resume", "report", "--json"], executable: "/bin/sh").outcome
        // By the report alone, which has the file.
        #expect(try resumed.results.map(\.status) == ["skipped"] && resumed.results.map(\.output) == [nil])
        #expect(server.requests.count == 1)
        #expect(access(work.path("a\u{FFFD}"), F_OK) != 0)
    }

    @Test(
        "--resume makes a local image anew that has changed since, whatever its result was",
        arguments: [true, false]
    )
    func changedSource(isWritten: Bool) async throws {
        server.stop()
        try work.write(try Images.encoded(.png), to: "a.png")
        let command = ["get", "a.png", "--resume", "report", "--json"] + (isWritten ? ["-o", "out/"] : [])
        for status in ["done", "skipped"] {
            #expect(try await work.start(command).outcome.results.map(\.status) == [status])
        }
        let image = try Images.encoded(.png, width: 60, height: 20)
        try work.write(image, to: "a.png")
        for status in ["done", "skipped"] {
            #expect(try await work.start(command).outcome.results.map(\.status) == [status])
        }
        if isWritten { #expect(try work.read("out/a.png") == image) }
    }

    @Test("a local image that failed is found by its report from another folder")
    func otherWorkingFolder() async throws {
        server.stop()
        #expect(try await work.run("get", "a.png", "-o", "out/", "--report", "report").exitCode == 1)
        let image = try Images.encoded(.png)
        try work.write(image, to: "a.png")
        let command = [Workplace.executable, "get", "--resume", "../report", "-o", ".", "--json"]
        let run = try await work.start(["-C", work.path("out")] + command, executable: "/usr/bin/env").outcome
        #expect(try run.exitCode == 0 && run.results.map(\.status) == ["done"], "\(run)")
        #expect(try work.read("out/a.png") == image)
    }

    @Test("a pipe is no report to go on with, and takes one only while a program reads it", .timeLimit(.minutes(1)))
    func pipedReport() async throws {
        defer { server.stop() }
        try #require(mkfifo(work.path("pipe"), 0o600) == 0)
        for (option, reason) in [("--resume", "has no earlier report"), ("--report", "no program reads")] {
            let run = try await work.run("get", url("/a.png"), option, "pipe")
            #expect(run.exitCode == 1 && run.error.contains(reason), "\(run)")
        }
        #expect(server.requests.isEmpty)
        let reader = open(work.path("pipe"), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        try #require(reader >= 0)
        defer { close(reader) }
        #expect(try await work.run("get", url("/a.png"), "--report", "pipe").exitCode == 0)
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = read(reader, &bytes, bytes.count)
        try #require(count > 0)
        let line = try JSONDecoder().decode(ReportLine.self, from: Data(bytes[..<count]))
        #expect(line.url == url("/a.png") && line.status == "done")
    }

    @Test("a contact sheet of a run that goes on shows what came before, which is not transferred again")
    func resumedSheet() async throws {
        self.server.stop()
        let images = [try Images.encoded(.png), try Images.encoded(.png, width: 30, height: 40)]
        let isUp = Gate()
        let server = try OriginServer { request in
            guard request.path != "/1.png" || isUp.isOpen else { return .init(404) }
            return .init(body: images[request.path == "/0.png" ? 0 : 1])
        }
        defer { server.stop() }
        try list((0..<3).map { server.url("/\($0).png").absoluteString + "\n" }.joined())
        #expect(try await work.run("get", "--from", "list", "-o", "out/", "--report", "report").exitCode == 1)
        isUp.open()
        let command = ["get", "--from", "list", "-o", "out/"]
        let resumed = try await work.start(command + ["--resume", "report", "--sheet", "a.png", "--json"]).outcome
        #expect(try resumed.results.map(\.status) == ["skipped", "done", "skipped"])
        #expect(server.requestCount("/0.png") == 1 && server.requestCount("/2.png") == 1)
        #expect(try await work.start(command + ["--sheet", "b.png"]).outcome.exitCode == 0)
        #expect(try firstDifference(work.read("a.png"), work.read("b.png")) == nil)
    }

    @Test("a URL whose password a report does not have is an error without its list, and is never requested")
    func shortenedURL() async throws {
        self.server.stop()
        let image = try Images.encoded(.png)
        let isUp = Gate()
        let server = try OriginServer { _ in isUp.isOpen ? .init(body: image) : .init(404) }
        defer { server.stop() }
        let secret = server.url("/a.png").absoluteString.replacing("http://", with: "http://user:hunter2@")
        try list("\(secret)\n\(server.url("/b.png"))\n")
        #expect(try await work.run("get", "--from", "list", "-o", "out/", "--report", "report").exitCode == 1)
        isUp.open()
        let alone = try await work.run("get", "--resume", "report", "-o", "out/", "--json")
        #expect(alone.exitCode == 1)
        #expect(try alone.results.map(\.status) == ["failed", "done"])
        #expect(try alone.results[0].error?.message.contains("give the URL, or the list") == true)
        #expect(server.requestCount("/a.png") == 1 && server.requestCount("/b.png") == 2)
        // With the list it is loaded, and then nothing is left.
        let listed = try await work.run("get", "--from", "list", "--resume", "report", "-o", "out/", "--json")
        #expect(try listed.results.map(\.status) == ["done", "skipped"])
        let last = try await work.run("get", "--resume", "report", "-o", "out/", "--json")
        #expect(last.exitCode == 0 && last.output.isEmpty)
        #expect(server.requestCount("/a.png") == 2)
    }

    @Test("one image under two names of a list is two for a resumed run")
    func resumedNames() async throws {
        defer { server.stop() }
        try list("\(url("/a.png"))\tx\n")
        #expect(try await work.run("get", "--from", "list", "-o", "out/", "--report", "report").exitCode == 0)
        try list("\(url("/a.png"))\tx\n\(url("/a.png"))\ty\n")
        let resumed = try await work.run("get", "--from", "list", "-o", "out/", "--resume", "report", "--json")
        #expect(try resumed.results.map(\.status) == ["skipped", "done"])
        #expect(Set(Workplace.files(below: work.path("out"))) == ["x.png", "y.png"])
    }

    @Test("the standard input is read once, for all sizes and rounds, and is no file of that name")
    func standardInputOnce() async throws {
        server.stop()
        try work.write(try Images.encoded(.png), to: "a.png")
        try work.write(try Images.encoded(.png, width: 60, height: 20), to: "-")
        let sizes = try work.start(["get", "-", "--sizes", "20,40", "-o", "out/"], input: "a.png")
        #expect(try await sizes.outcome.exitCode == 0)
        #expect(Set(Workplace.files(below: work.path("out"))) == ["stdin-20.png", "stdin-40.png"])
        let rounds = try work.start(["get", "-", "--repeat", "2"], input: "a.png")
        #expect(try await rounds.outcome.exitCode == 0)
        let both = try work.start(["get", "-", "./-", "-o", "both/", "--json"], input: "a.png")
        let outcome = try await both.outcome
        #expect(try outcome.exitCode == 0 && Set(outcome.results.compactMap(\.output)).count == 2)
    }

    @Test("an image of the standard input is an error in a list from there, and in a report that is resumed without it")
    func missingStandardInput() async throws {
        server.stop()
        try work.write(try Images.encoded(.png), to: "a.png")
        try list("-\na.png\n")
        let listed = try await work.start(["get", "--from", "-", "-o", "out/", "--json"], input: "list").outcome
        #expect(try listed.exitCode == 1 && listed.results.map(\.status) == ["failed", "done"])
        let failed = try work.start(["get", "-", "-o", "out/", "--report", "report"], input: "list")
        #expect(try await failed.outcome.exitCode == 1)
        let resumed = try await work.start(["get", "--resume", "report", "-o", "out/", "--json"], input: "a.png")
            .outcome
        #expect(try resumed.exitCode == 1 && resumed.results.map(\.status) == ["failed"])
        #expect(Workplace.files(below: work.path("out")) == ["a.png"])
    }

    @Test("cookies and another file of the run are never one file", arguments: ["--report", "--sheet", "--from", "-o"])
    func cookieFile(option: String) async throws {
        server.stop()
        let jar = Array("# Netscape HTTP Cookie File\n".utf8)
        try work.write(jar, to: "jar")
        let image = option == "--from" ? [] : ["a.png"]
        let run = try await work.start(["get"] + image + ["--cookies", "jar", option, "jar"]).outcome
        #expect(run.exitCode == 64)
        #expect(try work.read("jar") == jar)
    }

    @Test("a file that is no report is neither continued nor replaced", arguments: ["--resume", "--report"])
    func noReport(option: String) async throws {
        defer { server.stop() }
        let text = "\(url("/a.png"))\n"
        try work.write(Array(text.utf8), to: "report")
        let run = try await work.run("get", url("/b.png"), option, "report")
        #expect(run.exitCode == 1 && run.error.contains("no line of a report"))
        #expect(try work.read("report") == Array(text.utf8))
        #expect(server.requests.isEmpty)
    }

    @Test("a large file without lines is no report, which is known from its beginning")
    func noReportWithoutLines() async throws {
        defer { server.stop() }
        try work.write([], to: "report")
        try #require(truncate(work.path("report"), 1 << 36) == 0)
        let run = try await work.run("get", url("/b.png"), "--report", "report")
        #expect(run.exitCode == 1 && run.error.contains("no line of a report"), "\(run)")
        var status = stat()
        #expect(stat(work.path("report"), &status) == 0 && status.st_size == 1 << 36)
        #expect(server.requests.isEmpty)
    }

    @Test("an earlier report is there until the next one has a line, or is known to have none")
    func earlierReport() async throws {
        defer { server.stop() }
        #expect(try await work.run("get", url("/a.png"), url("/b.png"), "--report", "report").exitCode == 0)
        let earlier = try work.read("report")
        #expect(try await work.run("get", "--from", "nowhere", "--report", "report").exitCode == 1)
        #expect(try work.read("report") == earlier)
        #expect(try await work.run("get", url("/c.png"), "--report", "report").exitCode == 0)
        #expect(try report().map(\.url) == [url("/c.png")])
        try list("# nothing\n")
        let first = try await work.run("get", "--from", "list", "--report", "report")
        #expect(first.exitCode == 0, "\(first)")
        #expect(try work.read("report").isEmpty)
    }

    private struct ReportLine: Decodable {
        let url: String
        let status: String
        let digest: String?
        let outputBytes: Int?
        let output: String?
        let began: Double?
        let ended: Double?
    }

    private func report() throws -> [ReportLine] {
        String(decoding: try work.read("report"), as: UTF8.self).split(separator: "\n").compactMap {
            try? JSONDecoder().decode(ReportLine.self, from: Data($0.utf8))
        }
    }

    private func append(_ text: String) throws {
        let descriptor = open(work.path("report"), O_WRONLY | O_APPEND | O_CLOEXEC)
        defer { close(descriptor) }
        try #require(write(descriptor, text, text.utf8.count) == text.utf8.count)
    }
}
