import FoundationEssentials
import HalcyonHTTP
import Testing

@Suite("The name of a URL")
struct URLNameTests {
    @Test(
        "is the same for all spellings that mean the same",
        arguments: [
            ("http://example.org/a", "http://example.org/a"),
            ("HTTP://Example.ORG/a", "http://example.org/a"),
            ("http://example.org/a#b", "http://example.org/a"),
            ("http://example.org/a?b#c?d", "http://example.org/a?b"),
            ("http://example.org:80/a", "http://example.org/a"),
            ("https://example.org:443/a", "https://example.org/a"),
            ("http://example.org:443/a", "http://example.org:443/a"),
            ("http://example.org:0080/a", "http://example.org/a"),
            ("http://example.org:08080/a", "http://example.org:8080/a"),
            ("http://example.org:/a", "http://example.org/a"),
            ("http://example.org:00/a", "http://example.org:0/a"),
            ("http://example.org", "http://example.org/"),
            ("http://example.org?q", "http://example.org/?q"),
            ("http://example.org#f", "http://example.org/"),
            ("http://example.org/%7Ea%41?%62=%2f", "http://example.org/~aA?b=%2F"),
            ("http://example.org/%2F%2fx", "http://example.org/%2F%2Fx"),
            ("http://example.org/a/./b/../c", "http://example.org/a/c"),
            ("http://example.org/a/%2E%2e/c", "http://example.org/c"),
            ("http://example.org/../../c", "http://example.org/c"),
            ("http://example.org/a/..", "http://example.org/"),
            ("http://example.org/a/b/.", "http://example.org/a/b/"),
            ("http://example.org/.a/..b/c.", "http://example.org/.a/..b/c."),
            ("http://example.org/a?x=/../y", "http://example.org/a?x=/../y"),
            ("http://example.org//a//b", "http://example.org//a//b"),
            ("http://user:pw@Example.org/a", "http://example.org/a"),
            ("http://[::FFFF]:80/a", "http://[::ffff]/a"),
            ("http://example.org/a?", "http://example.org/a?"),
            ("http://example.org/%e2%82%ac", "http://example.org/%E2%82%AC"),
        ]
    )
    func spellings(text: String, name: String) throws {
        let url = try #require(URL(string: text))
        #expect(url.name == name)
        #expect(try #require(URL(string: name)).name == name, "a name is its own name")
        let request = TransferRequest(url: url).normalized
        #expect(request.url.name == name && TransferRequest(url: request.url).normalized.url == request.url)
    }

    @Test("differs where a server may tell the difference")
    func differences() throws {
        let texts = [
            "http://example.org/a", "https://example.org/a", "http://example.org/A", "http://example.org/a/",
            "http://example.org/a?", "http://example.org/a?b", "http://example.org/a%2Fb", "http://example.org/a/b",
            "http://example.org/a?b+c", "http://example.org/a?b%20c", "http://example.org/a?b%2Bc",
            "http://example.org:81/a", "http://example.org./a", "http://example.org//a",
        ]
        #expect(Set(texts.compactMap { URL(string: $0)?.name }).count == texts.count)
    }

    @Test("keeps the spelling of other schemes")
    func otherSchemes() throws {
        for text in ["file:///A/../b", "data:,%41#x", "Cid:A/../B"] {
            let url = try #require(URL(string: text))
            #expect(url.name == url.absoluteString)
        }
    }
}
