import FoundationEssentials
import Glibc
import Halcyon
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import HalcyonCommand

/// Files in a folder, where calls fail and other programs come in between.
@Suite struct FolderOutputTests {
    private let work: Workplace

    init() throws { work = try Workplace() }

    private func origin(_ url: String, options: [String] = []) -> FileOrigin {
        FileOrigin(SourceArgument(text: url), options: options)
    }

    private func output(
        _ url: String,
        stem: String = "a",
        calls: FileCalls = .system,
        mayBePlain: Bool = true,
        isPartial: Bool = false
    ) -> FolderOutput {
        var origin = origin(url)
        origin.isPartial = isPartial
        return FolderOutput(
            folder: work.folder + "/",
            stem: stem,
            fileExtension: "png",
            origin: origin,
            mayBePlain: mayBePlain,
            source: url,
            calls: calls
        )
    }

    /// Writes the bytes of the URL, and returns the name of the file.
    @discardableResult
    private func write(_ url: String, calls: FileCalls = .system, mayBePlain: Bool = true) throws -> String {
        let path = try output(url, calls: calls, mayBePlain: mayBePlain).write(Data(url.utf8))
        #expect(path.hasPrefix(work.folder + "/"))
        return String(path.dropFirst(work.folder.utf8.count + 1))
    }

    private var files: [String] { Workplace.files(below: work.folder) }

    private func content(_ name: String) throws -> String {
        String(decoding: try work.read(name), as: UTF8.self)
    }

    /// Calls of a file system on which attributes cannot be written, for this reason.
    private func withoutAttributes(_ code: Int32) -> FileCalls {
        var calls = FileCalls.system
        calls.setAttribute = { _, _, _ throws(FileSystemError) in throw FileSystemError(code: Int(code)) }
        if code == ENOTSUP {
            calls.attribute = { _, _ throws(FileSystemError) in throw FileSystemError(code: Int(code)) }
        }
        return calls
    }

    @Test(
        "where attributes cannot be written, every name has digits, and the same request finds its file",
        arguments: [ENOTSUP, ENOSPC, EDQUOT, E2BIG, EPERM, ENOSYS, EIO]
    )
    func noAttributes(code: Int32) throws {
        let calls = withoutAttributes(code)
        let urls = (0..<20).map { "https://example.org/\($0)/a.png" }
        let names = try urls.map { try write($0, calls: calls) }
        #expect(Set(names).count == urls.count)
        for (url, name) in zip(urls, names) {
            #expect(name == "a-\(origin(url).request.prefix(16)).png")
            #expect(try content(name) == url)
        }
        #expect(try urls.reversed().map { try write($0, calls: calls) } == names.reversed())
        #expect(files == names.sorted())
    }

    @Test(
        "where attributes cannot be written, a file of an image that is cut short is done once the whole one is there"
    )
    func partialWithoutAttributes() throws {
        let calls = withoutAttributes(ENOTSUP)
        let url = "https://example.org/a.png"
        func isThere() -> Bool {
            let found = FolderOutput.written(
                for: origin(url),
                in: work.folder + "/",
                stem: "a",
                extensions: ["png"],
                mayExist: { _ in true },
                calls: calls
            )
            return found != nil
        }
        for text in ["cut", "cut again"] {
            _ = try output(url, calls: calls, isPartial: true).write(Data(text.utf8))
            #expect(files.count == 1 && !isThere())
            #expect(try content(files[0]) == text)
        }
        let name = try write(url, calls: calls)
        #expect(files == [name] && isThere())
        #expect(try content(name) == url)
        // And so where the whole one has become one that is cut short.
        _ = try output(url, calls: calls, isPartial: true).write(Data("cut".utf8))
        #expect(files.count == 2 && isThere())
        #expect(try content(name) == url)
    }

    @Test("where attributes can be written again, files without them are another's")
    func attributesLater() throws {
        let name = try write("https://example.org/a.png", calls: withoutAttributes(ENOSPC))
        #expect(try write("https://example.org/a.png") == "a.png")
        #expect(try write("https://example.org/2/a.png") != name)
        #expect(files.count == 3)
    }

    @Test("a URL that is too long for an attribute does not keep the request from being told")
    func longURL() throws {
        var calls = FileCalls.system
        calls.setAttribute = { descriptor, name, value throws(FileSystemError) in
            if name == FileOrigin.urlAttribute { throw FileSystemError(code: Int(E2BIG)) }
            try FileCalls.system.setAttribute(descriptor, name, value)
        }
        #expect(try write("https://example.org/a.png", calls: calls) == "a.png")
        #expect(try write("https://example.org/a.png") == "a.png")
    }

    private static let missingCalls: [[String]] = [
        [], ["exchange"], ["renameExclusively"], ["renameExclusively", "link"],
        ["renameExclusively", "link", "exchange"],
    ]

    @Test(
        "threads that write images of one name at once lose none, whichever calls the file system lacks",
        arguments: missingCalls,
        [true, false]
    )
    func concurrency(missing: [String], hasAttributes: Bool) async throws {
        var calls = hasAttributes ? FileCalls.system : withoutAttributes(ENOTSUP)
        let refusal = FileSystemError(code: Int(EINVAL))
        if missing.contains("exchange") { calls.exchange = { _, _ throws(FileSystemError) in throw refusal } }
        if missing.contains("link") { calls.link = { _, _ throws(FileSystemError) in throw .notPermitted } }
        if missing.contains("renameExclusively") {
            calls.renameExclusively = { _, _ throws(FileSystemError) in throw refusal }
        }
        for _ in 0..<2 {
            try await withThrowingTaskGroup(of: Void.self) { [calls] group in
                for thread in 0..<4 {
                    group.addTask {
                        try await onThread {
                            // Each URL is written by two threads.
                            for number in 0..<50 {
                                try self.write("https://example.org/\(thread % 2)/\(number)/a.png", calls: calls)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(Set(try files.map(content)).count == 100)
            #expect(files.count == 100)
        }
    }

    @Test("a file that another program puts in the place of one's own, just before it is replaced, stays")
    func overtakenReplacement() throws {
        #expect(try write("https://example.org/a.png") == "a.png")
        var calls = FileCalls.system
        let isFirst = Lock(true)
        let (path, other) = (work.path("a.png"), work.path("other"))
        calls.exchange = { temporary, name throws(FileSystemError) in
            let isNow = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if isNow {
                try? Data("the user's".utf8).write(to: URL(filePath: other))
                rename(other, path)
            }
            try FileCalls.system.exchange(temporary, name)
        }
        let name = try write("https://example.org/a.png", calls: calls)
        #expect(name != "a.png")
        #expect(try content("a.png") == "the user's")
        #expect(try content(name) == "https://example.org/a.png")
        #expect(files == ["a.png", name].sorted())
        // And so without the call: it is looked at again right before.
        unlink(work.path(name))
        unlink(path)
        #expect(try write("https://example.org/a.png") == "a.png")
        calls.exchange = { _, _ throws(FileSystemError) in
            try? Data("the user's".utf8).write(to: URL(filePath: other))
            rename(other, path)
            throw FileSystemError(code: Int(EINVAL))
        }
        #expect(try write("https://example.org/a.png", calls: calls) == name)
        #expect(try content("a.png") == "the user's")
    }

    @Test("another's file that cannot get its name back is kept, and the error says where", arguments: [true, false])
    func strayedFile(isRenamed: Bool) throws {
        #expect(try write("https://example.org/a.png") == "a.png")
        var calls = FileCalls.system
        let count = Lock(0)
        let (path, other) = (work.path("a.png"), work.path("other"))
        calls.exchange = { temporary, name throws(FileSystemError) in
            let number = count.withLock { count in
                count += 1
                return count
            }
            if number > 1 {
                // In the way of the file's new name.
                if !isRenamed { mkdir(temporary + ".kept", 0o700) }
                throw .inputOutput
            }
            try? Data("the user's".utf8).write(to: URL(filePath: other))
            rename(other, path)
            try FileCalls.system.exchange(temporary, name)
        }
        #expect {
            try write("https://example.org/a.png", calls: calls)
        } throws: { error in
            (error as? ImageError).map { "\($0)".contains(isRenamed ? ".kept" : "which is now at") } ?? false
        }
        #expect(Set(try files.map(content)) == ["the user's", "https://example.org/a.png"])
    }

    @Test("a name that is taken between the look and the naming is left to the one who took it")
    func takenName() throws {
        var calls = FileCalls.system
        let path = work.path("a.png")
        calls.renameExclusively = { temporary, name throws(FileSystemError) in
            if name == path { try? Data("the user's".utf8).write(to: URL(filePath: path)) }
            try FileCalls.system.renameExclusively(temporary, name)
        }
        let name = try write("https://example.org/a.png", calls: calls)
        #expect(name != "a.png")
        #expect(try content("a.png") == "the user's")
        #expect(try content(name) == "https://example.org/a.png")
    }

    @Test("what is no regular file, or has no attribute, is another's", arguments: ["link", "folder", "pipe", "file"])
    func obstacles(kind: String) throws {
        let path = work.path("a.png")
        switch kind {
        case "link":
            // To a file of the same request.
            #expect(try output("https://example.org/a.png", stem: "b").write(Data()) == work.path("b.png"))
            try #require(symlink("b.png", path) == 0)
        case "folder": try #require(mkdir(path, 0o700) == 0)
        case "pipe": try #require(mkfifo(path, 0o600) == 0)
        default: try work.write([1], to: "a.png")
        }
        let name = try write("https://example.org/a.png")
        #expect(name == "a-\(origin("https://example.org/a.png").request.prefix(8)).png")
        #expect(try write("https://example.org/a.png") == name)
        if kind == "link" { #expect(try work.read("b.png").isEmpty) }
        if kind == "file" { #expect(try work.read("a.png") == [1]) }
    }

    @Test("names whose digits others have get more of them, and fail once all are taken")
    func takenDigits() throws {
        let request = origin("https://example.org/a.png").request
        var expected: [String] = []
        for count in [0, 8, 16, 32] {
            let name = "a\(count > 0 ? "-" : "")\(request.prefix(count)).png"
            #expect(try write("https://example.org/a.png") == name)
            expected.append(name)
            // Another's from now on.
            try work.write([9], to: name + ".new")
            try #require(rename(work.path(name + ".new"), work.path(name)) == 0)
        }
        #expect(throws: (any Error).self) { try write("https://example.org/a.png") }
        #expect(files == expected.sorted())
        for name in expected { #expect(try work.read(name) == [9]) }
    }

    @Test("a request's file is found under its later name, though an earlier one has become free")
    func laterName() throws {
        try write("https://example.org/1/a.png")
        let name = try write("https://example.org/2/a.png")
        unlink(work.path("a.png"))
        #expect(try write("https://example.org/2/a.png") == name)
        #expect(files == [name])
    }

    @Test("an image that is not the first of its name leaves the plain one free")
    func plainName() throws {
        let name = try write("https://example.org/2/a.png", mayBePlain: false)
        #expect(name != "a.png")
        #expect(try write("https://example.org/1/a.png") == "a.png")
        #expect(files.count == 2)
    }

    @Test("requests are told apart by URL, credential and options, and secrets are not in what others may read")
    func origins() throws {
        let urls = [
            "http://e.org/a.png", "http://e.org/a.png?x", "http://e.org/A.png", "https://e.org/a.png",
            "http://u@e.org/a.png", "http://u:p@e.org/a.png", "http://u:q@e.org/a.png", "a.png", "./b/a.png",
            "data:,a", "http://e.org/@/a.png", "http://u:p@münchen.example/a.png",
        ]
        #expect(Set(urls.map { origin($0).request }).count == urls.count)
        #expect(Set(urls.map { origin($0).request }) == Set(urls.map { origin($0).request }))
        #expect(origin(urls[0], options: ["resize=1x1,fit"]).request != origin(urls[0]).request)
        #expect(origin("a.png").request == origin(FilePath.absolute("a.png")).request)
        #expect(origin(" \(urls[0])\r\n").request == origin(urls[0]).request)
        for (url, told) in [
            ("http://u:p@e.org:80/a.png?token#b", "http://e.org:80/a.png"), ("HTTPS://u@e.org", "HTTPS://e.org"),
            ("http://e.org/@x/a@b.png", "http://e.org/@x/a@b.png"), ("http://u:p@q@e.org\\a", "http://e.org\\a"),
            ("a.png", nil), ("file:///a.png", nil), ("data:,a", nil),
        ] {
            #expect(SourceArgument(text: url).publicURL == told)
        }
        // A digest that everyone can compute confirms a guessed password.
        let plain = ["halcyon 1", "", "http://u:p@e.org/a.png"].joined(separator: "\n")
        #expect(!SHA256.hexadecimal(of: Array(plain.utf8)).hasPrefix(origin("http://u:p@e.org/a.png").request))
    }
}
