import FoundationEssentials
import Glibc
import Halcyon
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import HalcyonCommand

@Suite struct FileOutputTests {
    /// The umask of this process, as the system tells it without changing it.
    private func mask() throws -> mode_t {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("Umask:") })
        return try #require(mode_t(line.dropFirst("Umask:".count).filter(\.isNumber), radix: 8))
    }

    @Test("outputs written by several threads have the permissions that the umask leaves, which stays what it was")
    func permissions() async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/halcyon-output-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let before = try mask()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for thread in 0..<8 {
                group.addTask {
                    try await onThread {
                        for number in 0..<250 {
                            try FileOutput.write(Data([1]), to: "\(folder)/\(thread)-\(number)", source: "a test")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try mask() == before)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(names.count == 2_000)
        for name in names {
            var status = stat()
            #expect(stat("\(folder)/\(name)", &status) == 0)
            #expect(status.st_mode & 0o7777 == 0o666 & ~before)
        }
    }

    @Test("writing that waits for a reader keeps no task of the program waiting")
    func slowOutputs() async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/halcyon-output-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // More than Swift's pool has threads.
        let pipes = (0..<(2 * ProcessorCount.available + 2)).map { "\(folder)/\($0)" }
        for pipe in pipes { try #require(mkfifo(pipe, 0o600) == 0) }
        let begun = Lock(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for pipe in pipes {
                group.addTask {
                    begun.withLock { $0 += 1 }
                    // Opening a pipe waits for who reads it.
                    try await FileOutput.writeInBackground(Data([7]), to: pipe, source: "a test")
                }
            }
            while begun.withLock({ $0 }) < pipes.count { await Task.yield() }
            // A task of its own gets its turn, and with a reader the writing goes on.
            await Task {}.value
            let readers = pipes.map { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
            defer { for reader in readers { close(reader) } }
            try await group.waitForAll()
            for reader in readers {
                var byte: UInt8 = 0
                #expect(read(reader, &byte, 1) == 1 && byte == 7)
            }
        }
    }

    @Test(
        "spellings of one URL give one name for its file",
        arguments: [
            ["http://a.test/b/", "http://a.test/b/c/.."], ["http://a.test/a/b.jpg", #"http://a.test/a\b.jpg"#],
            ["http://a.test/%7Eb.jpg", "HTTP://A.TEST:80/~b.jpg#c"],
        ]
    )
    func spellings(_ texts: [String]) {
        #expect(Set(texts.map { SourceArgument(text: $0) }).count == 1)
        #expect(Set(texts.map { SourceArgument(text: $0).fileName }).count == 1)
    }

    @Test("spellings of one path are one image, but for parts that may lead through a link")
    func paths() {
        let folder = FileManager.default.currentDirectoryPath
        let same = ["a/b.png", "./a//b.png", "\(folder)/a/./b.png", "file://\(folder)//a/b.png"]
        #expect(Set(same.map { SourceArgument(text: $0) }).count == 1)
        #expect(SourceArgument(text: "a/c/../b.png") != SourceArgument(text: "a/b.png"))
    }

    @Test("a URL is named without the blanks around it, a file with them")
    func blanks() throws {
        let url = SourceArgument(text: " http://münchen.test/a.png\r\n")
        let expected = try #require(URL(string: "http://xn--mnchen-3ya.test/a.png"))
        #expect(try url.source() == .url(expected))
        #expect(url.fileName == "a")
        #expect(SourceArgument(text: " b.png ").text == " b.png ")
        #expect(throws: ImageError.self) { try SourceArgument(text: "http://-ü.test/").source() }
    }
}
