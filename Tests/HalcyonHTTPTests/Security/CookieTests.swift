import FoundationEssentials
import Glibc
import HTTPTypes
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import HalcyonHTTP

@Suite("cookies")
struct CookieTests {
    private let folder: ScratchFolder
    /// A file in a folder below, neither of which is there yet.
    private var file: String { folder.path + "/inner/cookies.txt" }

    init() throws {
        folder = try ScratchFolder()
    }

    @Test("are neither kept nor sent unless that is wanted")
    func none() async throws {
        try await withServer(Self.handler) { server, transport in
            _ = await receive(transport, .patient(url: server.url("/set")))
            _ = await receive(transport, .patient(url: server.url("/get")))
            #expect(server.requests.map { $0.headers[.cookie] } == [nil, nil])
        }
    }

    @Test("of a file are sent back by all transfers of the transport, until they are removed")
    func ofFile() async throws {
        try await withServer(configuration: try configuration(), Self.handler) { server, transport in
            _ = await receive(transport, .patient(url: server.url("/set")))
            // Several handles at a time.
            let receivers = (0..<4).map { _ in RecordingReceiver() }
            for receiver in receivers { _ = transport.start(.patient(url: server.url("/get")), receiver: receiver) }
            for receiver in receivers { _ = await receiver.result() }
            #expect(server.requests.dropFirst().map { $0.headers[.cookie] } == Array(repeating: "name=value", count: 4))
            transport.removeAllCookies()
            _ = await receive(transport, .patient(url: server.url("/get")))
            #expect(server.requests.last?.headers[.cookie] == nil)
        }
    }

    @Test("are set and sent along a redirect, as their attributes say")
    func attributes() async throws {
        try await withServer(configuration: try configuration()) { request in
            guard request.path == "/login" else { return .init() }
            return .redirect(
                to: "/inner/page",
                headers: HTTPFields([
                    HTTPField(name: .setCookie, value: "inner=1; Path=/inner"),
                    HTTPField(name: .setCookie, value: "outer=2; Path=/outer"),
                    HTTPField(name: .setCookie, value: "old=3; Max-Age=0; Path=/"),
                    HTTPField(name: .setCookie, value: "foreign=4; Domain=example.com; Path=/"),
                ])
            )
        } _: { server, transport in
            _ = await receive(transport, .patient(url: server.url("/login")))
            #expect(server.requests.map { $0.headers[.cookie] } == [nil, "inner=1"])
        }
    }

    @Test("of a redirect are sent with the next requests of its chain, and are gone with it")
    func chain() async throws {
        try await withServer { request in
            guard request.headers[.cookie] == nil else { return .init(body: [7]) }
            return .redirect(to: request.path, headers: [.setCookie: "wall=1; Path=/"])
        } _: { server, transport in
            for _ in 0..<2 {
                let receiver = await receive(transport, .patient(url: server.url("/wall")))
                #expect(await receiver.failure() == nil)
                #expect(receiver.body == Data([7]))
            }
            #expect(server.requests.map { $0.headers[.cookie] } == [nil, "wall=1", nil, "wall=1"])
        }
    }

    @Test("of chains at the same time go out with their own alone")
    func chainsAtOnce() async throws {
        try await withServer { request in
            guard request.path.hasPrefix("/set") else { return .init() }
            return .redirect(to: "/get\(request.path.dropFirst(4))", headers: [.setCookie: "n=\(request.path); Path=/"])
        } _: { server, transport in
            for _ in 0..<3 {
                let receivers = (0..<4).map { _ in RecordingReceiver() }
                for (number, receiver) in receivers.enumerated() {
                    _ = transport.start(.patient(url: server.url("/set\(number)")), receiver: receiver)
                }
                for receiver in receivers { _ = await receiver.result() }
                _ = await receive(transport, .patient(url: server.url("/plain")))
            }
            for request in server.requests {
                let isLed = request.path.hasPrefix("/get")
                #expect(request.headers[.cookie] == (isLed ? "n=/set\(request.path.dropFirst(4))" : nil))
            }
        }
    }

    /// Receives a chain of redirects from one host of a server to the next, and returns the cookies that each is sent.
    ///
    /// - Parameter steps: The hosts, and the cookies that each sets.
    private func chain(
        _ steps: [(host: String, cookies: [String])],
        configuration: CurlTransport.Configuration = CurlTransport.Configuration()
    ) async throws -> [String?] {
        let server = try OriginServer { request in
            let number = Int(request.path.dropFirst()) ?? 0
            let port = request.headers.first { $0.name.canonicalName == "host" }?.value.split(separator: ":").last ?? ""
            guard number + 1 < steps.count else { return .init() }
            return .redirect(
                to: "http://\(steps[number + 1].host):\(port)/\(number + 1)",
                headers: HTTPFields(steps[number].cookies.map { HTTPField(name: .setCookie, value: $0) })
            )
        }
        defer { server.stop() }
        var configuration = configuration
        configuration.overrides.addresses = Set(steps.map(\.host)).map { "\($0):\(server.port):127.0.0.1" }
        let transport = CurlTransport(configuration: configuration)
        defer { transport.shutdown() }
        let url = try #require(URL(string: "http://\(steps[0].host):\(server.port)/0"))
        let receiver = await receive(transport, .patient(url: url))
        #expect(await receiver.failure() == nil)
        #expect(server.requests.count == steps.count)
        return server.requests.map { $0.headers[.cookie] }
    }

    @Test("of a chain of redirects go to the site that set them, and a stranger sets none for another host")
    func chainDomains() async throws {
        let cookies = try await chain([
            (
                "a.site.test",
                [
                    "own=1; Path=/", "wide=2; Path=/; Domain=site.test", "foreign=3; Path=/; Domain=other.test",
                    "sibling=4; Path=/; Domain=b.site.test", "top=5; Path=/; Domain=test", "secure=6; Path=/; Secure",
                    "__Host-secure=7; Path=/; Secure", "inner=8; Path=/inner", "old=9; Path=/; Max-Age=0",
                ]
            ),
            ("other.test", ["planted=1; Path=/; Domain=site.test", "there=2; Path=/"]),
            ("b.site.test", ["own=; Path=/; Max-Age=0"]),
            ("a.site.test", ["own=2; Path=/; Domain=a.site.test"]), ("a.site.test", []), ("other.test", []),
        ])
        let sets = cookies.map { Set($0?.components(separatedBy: "; ") ?? []) }
        #expect(sets == [[], [], ["wide=2"], ["own=1", "wide=2"], ["own=1", "own=2", "wide=2"], ["there=2"]])
    }

    @Test(
        "for a whole public suffix are refused, where libcurl has libpsl",
        .enabled(if: CurlTransport.knowsPublicSuffixes)
    )
    func publicSuffix() async throws {
        let wide = "wide=1; Path=/; Domain=co.uk"
        let steps = [("a.co.uk", [wide, "own=2; Path=/"]), ("b.co.uk", []), ("a.co.uk", [])]
        #expect(try await chain(steps) == [nil, nil, "own=2"])
        #expect(try await chain(steps, configuration: try configuration()) == [nil, nil, "own=2"])
    }

    @Test("with a prefix are kept as it says")
    func prefixes() async throws {
        // libcurl takes what comes from this machine for secure.
        let set = [
            "__Host-a=1; Path=/; Secure", "__Host-b=2; Path=/", "__Host-c=3; Path=/inner; Secure",
            "__Host-d=4; Path=/; Secure; Domain=localhost", "__Secure-e=5; Path=/; Secure", "__Secure-f=6; Path=/",
        ]
        let cookies = try await chain([("localhost", set), ("localhost", [])])
        #expect(Set(cookies[1]?.components(separatedBy: "; ") ?? []) == ["__Host-a=1", "__Secure-e=5"])
    }

    @Test("of a chain of redirects do not keep it from ending, and stay within limits")
    func endlessChain() async throws {
        let count = Lock(0)
        try await withServer { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            let fields = (0..<100).map { HTTPField(name: .setCookie, value: "n\(number * 100 + $0)=1; Path=/") }
            return .redirect(to: "/", headers: HTTPFields(fields))
        } _: { server, transport in
            let receiver = await receive(transport, .patient(url: server.url()))
            #expect(await receiver.failure() == .tooManyRedirects(maximum: 20))
            #expect(server.requests.count == 21)
            let cookies = server.requests.map { $0.headers[.cookie]?.split(separator: ";").count ?? 0 }
            #expect(cookies[1] == 50)
            #expect(cookies.allSatisfy { $0 <= 150 })
        }
    }

    @Test("of a chain of redirects are none where the request has its own")
    func chainOfOwn() async throws {
        try await withServer { request in
            request.path == "/end" ? .init() : .redirect(to: "/end", headers: [.setCookie: "wall=1; Path=/"])
        } _: { server, transport in
            _ = await receive(transport, .patient(url: server.url("/start"), headers: [.cookie: "own=1"]))
            #expect(server.requests.map { $0.headers[.cookie] } == ["own=1", "own=1"])
        }
    }

    @Test("of one host are not sent to another, nor shared between transports")
    func hosts() async throws {
        try await withServer(configuration: try configuration(), Self.handler) { server, transport in
            _ = await receive(transport, .patient(url: server.url("/set")))
            let other = try #require(URL(string: "http://localhost:\(server.port)/get"))
            _ = await receive(transport, .patient(url: other))
            let stranger = CurlTransport()
            defer { stranger.shutdown() }
            _ = await receive(stranger, .patient(url: server.url("/get")))
            #expect(server.requests.map { $0.headers[.cookie] } == [nil, nil, nil])
        }
    }

    @Test("of a request's own header are the only ones sent, and its response sets none")
    func ownHeader() async throws {
        try await withServer(configuration: try configuration(), Self.handler) { server, transport in
            _ = await receive(transport, .patient(url: server.url("/set"), headers: [.cookie: "own=1"]))
            _ = await receive(transport, .patient(url: server.url("/get")))
            _ = await receive(transport, .patient(url: server.url("/set")))
            _ = await receive(transport, .patient(url: server.url("/get"), headers: [.cookie: "own=2"]))
            _ = await receive(transport, .patient(url: server.url("/get")))
            #expect(
                server.requests.map { $0.headers[values: .cookie] }
                    == [["own=1"], [], [], ["own=2"], ["name=value"]]
            )
        }
    }

    @Test("of one host are kept up to 50, the newest, and those of another host stay")
    func hostLimit() async throws {
        try await withServer(configuration: try configuration(), Self.handler) { server, transport in
            let other = try #require(URL(string: "http://localhost:\(server.port)"))
            _ = await receive(transport, .patient(url: other.appending(path: "set")))
            for first in [0, 40, 80, 120] {
                _ = await receive(transport, .patient(url: server.url("/set/\(first)/40")))
            }
            _ = await receive(transport, .patient(url: server.url("/get")))
            let names = server.requests.last?.headers[.cookie]?.components(separatedBy: "; ") ?? []
            #expect(Set(names) == Set((110..<160).map { "c\($0)=v" }))
            _ = await receive(transport, .patient(url: other.appending(path: "get")))
            #expect(server.requests.last?.headers[.cookie] == "name=value")
            // And they are as good as before: one is replaced, not doubled.
            _ = await receive(transport, .patient(url: server.url("/set/159/1")))
            _ = await receive(transport, .patient(url: server.url("/get")))
            #expect(server.requests.last?.headers[.cookie]?.components(separatedBy: "; ").count == 50)
        }
    }

    @Test("of all hosts together are kept up to 3,000, and hosts with few of them keep these")
    func totalLimit() async throws {
        let server = try OriginServer(handler: Self.handler)
        defer { server.stop() }
        var configuration = try configuration()
        let hosts = (0..<70).map { "host\($0).test" }
        configuration.overrides.addresses = (hosts + ["modest.test"]).map { "\($0):\(server.port):127.0.0.1" }
        let transport = CurlTransport(configuration: configuration)
        defer { transport.shutdown() }
        func get(_ host: String, _ path: String) async throws -> Int {
            let url = try #require(URL(string: "http://\(host):\(server.port)\(path)"))
            _ = await receive(transport, .patient(url: url))
            return server.requests.last?.headers[.cookie]?.components(separatedBy: "; ").count ?? 0
        }
        _ = try await get("modest.test", "/set")
        for host in hosts { _ = try await get(host, "/set/0/45") }
        var count = 0
        for host in hosts { count += try await get(host, "/get") }
        let modest = try await get("modest.test", "/get")
        #expect(modest == 1)
        #expect(count + modest <= 3_000)
        #expect(count > 2_900)
    }

    @Test("keep their attributes when others beyond the limit are removed")
    func attributesAfterRemoval() async throws {
        try await withServer(configuration: try configuration()) { request in
            guard request.path == "/login" else { return Self.handler(request) }
            return .init(
                headers: HTTPFields([
                    HTTPField(name: .setCookie, value: "inner=1; Path=/inner; HttpOnly"),
                    HTTPField(name: .setCookie, value: "lasting=3; Path=/; Max-Age=3600"),
                    HTTPField(name: .setCookie, value: "empty=; Path=/"),
                ])
            )
        } _: { server, transport in
            for first in [0, 40] { _ = await receive(transport, .patient(url: server.url("/set/\(first)/40"))) }
            _ = await receive(transport, .patient(url: server.url("/login")))
            for path in ["/inner/page", "/outer"] {
                _ = await receive(transport, .patient(url: server.url(path)))
                let names = Set(server.requests.last?.headers[.cookie]?.components(separatedBy: "; ") ?? [])
                #expect(names.isSuperset(of: ["lasting=3", "empty="]))
                #expect(names.contains("inner=1") == (path == "/inner/page"))
            }
        }
    }

    @Test("of a file outlast the transport, in a file for its user alone, which curl reads")
    func nextTransport() async throws {
        let server = try OriginServer { request in
            let values = ["lasting=1; Path=/; Max-Age=3600; HttpOnly", "session=2; Path=/", "old=3; Max-Age=0"]
            return .init(headers: HTTPFields(values.map { HTTPField(name: .setCookie, value: $0) }), body: [1])
        }
        defer { server.stop() }
        for _ in 0..<2 {
            let transport = CurlTransport(configuration: try configuration())
            _ = await receive(transport, .patient(url: server.url()))
            transport.shutdown()
        }
        let last = server.requests.last?.headers[.cookie]?.components(separatedBy: "; ") ?? []
        #expect(Set(last) == ["lasting=1", "session=2"])
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains("#HttpOnly_127.0.0.1\tFALSE\t/\tFALSE\t"))
        #expect(text.contains("127.0.0.1\tFALSE\t/\tFALSE\t0\tsession\t2"))
    }

    @Test("are those of the host of the URL also after a request that named another host")
    func namedHost() async throws {
        let server = try OriginServer(handler: Self.handler)
        defer { server.stop() }
        var configuration = try configuration()
        configuration.overrides.addresses = ["shop.test", "other.test"].map { "\($0):\(server.port):127.0.0.1" }
        let transport = CurlTransport(configuration: configuration)
        defer { transport.shutdown() }
        func get(_ host: String, _ path: String, headers: HTTPFields = [:]) async throws -> String? {
            let url = try #require(URL(string: "http://\(host):\(server.port)\(path)"))
            _ = await receive(transport, .patient(url: url, headers: headers))
            return server.requests.last?.headers[.cookie]
        }
        _ = try await get("shop.test", "/set")
        let host = try #require(HTTPField.Name("Host"))
        _ = try await get("127.0.0.1", "/get", headers: [host: "shop.test"])
        #expect(try await get("other.test", "/set") == nil)
        #expect(try await get("shop.test", "/get") == "name=value")
        #expect(try await get("other.test", "/get") == "name=value")
    }

    @Test("of a file that is removed are written to one that is for its user alone, too")
    func removedFile() async throws {
        try await withServer(configuration: try configuration(), Self.handler) { server, transport in
            #expect(unlink(file) == 0)
            _ = await receive(transport, .patient(url: server.url("/set")))
            transport.shutdown()
        }
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains("name\tvalue"))
    }

    @Test("that could not be written are written once that is possible, and nothing is lost meanwhile")
    func failedWrite() async throws {
        let file = try CookieFile(file)
        let other = folder.path + "/other"
        #expect(file.write { [Array("example.com\tFALSE\t/\tFALSE\t0\told\t1".utf8CString)] })
        try await withServer(configuration: try configuration(), Self.handler) { server, transport in
            // The file is read with the first transfer.
            _ = await receive(transport, .patient(url: server.url("/get")))
            // It stays, and none can be made beside it.
            #expect(rename(folder.path + "/inner", other) == 0)
            _ = await receive(transport, .patient(url: server.url("/set")))
            let kept = try String(contentsOfFile: other + "/cookies.txt", encoding: .utf8)
            #expect(kept.contains("old\t1"))
            #expect(rename(other, folder.path + "/inner") == 0)
            transport.shutdown()
        }
        let text = try String(contentsOfFile: file.path, encoding: .utf8)
        #expect(text.contains("old\t1") && text.contains("name\tvalue"))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/inner")
        #expect(names == ["cookies.txt"])
    }

    @Test("of a host that are the newest are kept by the next transports as well")
    func newestInFile() async throws {
        let server = try OriginServer(handler: Self.handler)
        defer { server.stop() }
        for path in ["/set/0/50", "/set/50/1", "/set/51/1", "/get"] {
            let transport = CurlTransport(configuration: try configuration())
            _ = await receive(transport, .patient(url: server.url(path)))
            transport.shutdown()
        }
        let names = server.requests.last?.headers[.cookie]?.components(separatedBy: "; ") ?? []
        #expect(Set(names) == Set((2..<52).map { "c\($0)=v" }))
    }

    @Test("of a file are written while the transport lives, once no transfer is under way")
    func written() async throws {
        try await withServer(configuration: try configuration(), Self.handler) { server, transport in
            _ = await receive(transport, .patient(url: server.url("/set")))
            func text() throws -> String { try String(contentsOfFile: file, encoding: .utf8) }
            while try !text().contains("name\tvalue") { await Task.yield() }
            transport.removeAllCookies()
            while try text().contains("name\tvalue") { await Task.yield() }
        }
    }

    @Test("of two transports with one file at a time are all kept, each as the one that changed it last has it")
    func sharedFile() async throws {
        let set = try #require(HTTPField.Name("X-Set"))
        let server = try OriginServer { request in
            let values = request.headers[set]?.split(separator: "|") ?? []
            return .init(headers: HTTPFields(values.map { HTTPField(name: .setCookie, value: "\($0); Path=/") }))
        }
        defer { server.stop() }
        func send(_ transport: CurlTransport, _ cookies: String) async {
            _ = await receive(transport, .patient(url: server.url(), headers: [set: cookies]))
        }
        let transports = try (0..<3).map { _ in CurlTransport(configuration: try configuration()) }
        await send(transports[0], "kept=0|changed=0|gone=0|both=0")
        transports[0].shutdown()
        // Both have read the file before either writes it.
        for transport in transports.dropFirst() { await send(transport, "") }
        await send(transports[1], "first=1|changed=1|gone=1; Max-Age=0|both=1")
        transports[1].shutdown()
        await send(transports[2], "second=2|both=2")
        transports[2].shutdown()
        let last = CurlTransport(configuration: try configuration())
        defer { last.shutdown() }
        await send(last, "")
        let sent = server.requests.last?.headers[.cookie]?.components(separatedBy: "; ") ?? []
        #expect(sent.sorted() == ["both=2", "changed=1", "first=1", "kept=0", "second=2"])
    }

    @Test("are not kept in a file that others may write, a link or a folder")
    func refusedFile() throws {
        _ = try configuration()
        #expect(chmod(file, 0o620) == 0)
        let refusal = CookieFileError(path: file, reason: .notPrivate)
        #expect(throws: refusal) { try CookieFile(file) }
        #expect(chmod(file, 0o644) == 0)
        _ = try CookieFile(file)
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
        let link = folder.path + "/link"
        #expect(symlink(file, link) == 0)
        #expect(throws: CookieFileError(path: link, reason: .notPrivate)) { try CookieFile(link) }
        #expect(throws: CookieFileError(path: folder.path, reason: .notPrivate)) { try CookieFile(folder.path) }
        let below = file + "/inner"
        #expect(throws: CookieFileError(path: below, reason: .system(ENOTDIR))) { try CookieFile(below) }
    }

    @Test(
        "are not kept in the place of a file of anything else, which stays as it is",
        arguments: [
            ("https://example.org/a.png\n", false), ("a\tb\tc\td\te\tf\tg\n", false), ("# a list\n", false),
            ("\u{FF}", false),
            ("", true), ("# HTTP cookie file.\n# Generated by Wget\n", true), ("# Netscape HTTP Cookie File\r\n", true),
            ("\n.e.org\tTRUE\t/\tFALSE\t0\tname\tvalue", true), ("#HttpOnly_e.org\tFALSE\t/\tTRUE\t0\tname\t\n", true),
        ]
    )
    func otherFile(text: String, isJar: Bool) throws {
        let path = folder.path + "/file"
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        #expect(chmod(path, 0o644) == 0)
        if isJar {
            _ = try CookieFile(path)
        } else {
            #expect(throws: CookieFileError(path: path, reason: .notCookies)) { try CookieFile(path) }
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == (isJar ? 0o600 : 0o644))
    }

    /// A transport with a file of cookies, which is made.
    private func configuration() throws -> CurlTransport.Configuration {
        var configuration = CurlTransport.Configuration()
        configuration.cookies = try CookieFile(file)
        return configuration
    }

    @Sendable
    private static func handler(_ request: OriginServer.Request) -> OriginServer.Response {
        if request.path == "/set" { return .init(headers: [.setCookie: "name=value; Path=/"]) }
        // "/set/FIRST/COUNT" sets so many cookies, named by their numbers.
        let numbers = request.path.split(separator: "/").compactMap { Int($0) }
        guard request.path.hasPrefix("/set/"), numbers.count == 2 else { return .init() }
        let fields = (numbers[0]..<(numbers[0] + numbers[1])).map { number in
            HTTPField(name: .setCookie, value: "c\(number)=v; Path=/")
        }
        return .init(headers: HTTPFields(fields))
    }
}
