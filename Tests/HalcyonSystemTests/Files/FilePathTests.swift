import FoundationEssentials
import Glibc
import Testing

@testable import HalcyonSystem

@Suite struct FilePathTests {
    @Test(
        "a path keeps its bytes as text, also where they are not UTF-8",
        arguments: [
            Array("/tmp/a b%20.png".utf8), Array("/tmp/\u{E9}\u{1F600}".utf8),
            [0x2F, 0x61, 0xFF, 0x20, 0x25, 0x62, 0x2F, 0x80],
            Array("/tmp/e\u{301}".utf8) + [0xC3],
        ]
    )
    func bytes(path: [UInt8]) {
        let text = FilePath.text(of: path)
        #expect(FilePath.bytes(of: text) == path)
        #expect(FilePath.withCString(text) { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) } == path)
    }

    @Test("a relative path that is not UTF-8 becomes absolute, and one that looks like a URL remains a path")
    func relativePaths() {
        let text = FilePath.text(of: [0x61, 0xFF])
        #expect(text.hasPrefix("file:///") && text.hasSuffix("/a%FF"))
        #expect(FilePath.bytes(of: text).first == UInt8(ascii: "/"))
        #expect(FilePath.text(of: Array("file:///a".utf8)) == "./file:///a")
    }

    @Test(
        "a path becomes absolute without parts that lead nowhere, and keeps those that lead up or end it",
        arguments: [
            ("/a//b/./c", "/a/b/c"), ("/a/../b", "/a/../b"), ("/a/", "/a/"), ("/", "/"), ("//./", "/"),
            ("a", FileManager.default.currentDirectoryPath + "/a"),
            ("./a/", FileManager.default.currentDirectoryPath + "/a/"),
            ("/a/\u{301}b", "/a/\u{301}b"), ("file:///a%FF/./b", "file:///a%FF/./b"),
        ]
    )
    func absolute(path: String, expected: String) {
        #expect(FilePath.absolute(path) == expected)
    }

    @Test("a URL with a zero byte names no file")
    func zeroByte() {
        #expect(FilePath.withCString("file:///a%00%FF") { strlen($0) } == 0)
        #expect(FilePath.withCString("/a\0b") { strlen($0) } == 0)
    }

    @Test(
        "the path of a URL is that of a file of this computer",
        arguments: [
            ("file:///a%20b", "/a b"), ("FILE://LocalHost/a", "/a"), ("file://other/a", nil),
            ("file:///a.png%00.jpg", nil),
            ("https://localhost/a", nil), ("file:///%FF", "file:///%FF"),
        ]
    )
    func urls(text: String, path: String?) throws {
        #expect(FilePath.text(of: try #require(URL(string: text))) == path)
    }
}
