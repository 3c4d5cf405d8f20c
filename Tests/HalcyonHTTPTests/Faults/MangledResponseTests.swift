import FoundationEssentials
import HTTPTypes
import HalcyonHTTP
import HalcyonSystem
import HalcyonTesting
import Testing

@Suite("a response with one thing changed")
struct MangledResponseTests {
    private static let originals = [
        "HTTP/1.1 200 OK\r\nContent-Length: 26\r\nETag: \"x\"\r\n\r\nabcdefghijklmnopqrstuvwxyz",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nA: b\r\n\r\n5\r\nabcde\r\nc\r\nfghijklmnopq\r\n0\r\n\r\n",
    ].map { Array($0.utf8) }

    /// Each position is cut, changed, doubled and added to; which byte comes in is drawn, the same in each run.
    private static let mangled: [[UInt8]] = {
        var random = SeededGenerator(seed: 1)
        return originals.flatMap { original in
            original.indices.flatMap { position -> [[UInt8]] in
                var flipped = original
                flipped[position] ^= 1 << UInt8(random.next() % 8)
                let extra = random.next() % 2 == 0 ? UInt8(random.next() % 256) : original[Int(random.next() % 20)]
                return [
                    Array(original[..<position]),
                    flipped,
                    Array(original[...position] + original[position...]),
                    Array(original[..<position] + [extra] + original[position...]),
                ]
            }
        }
    }()

    @Test("ends once, soon, and in a success only if it is consistent in itself")
    func mangle() async throws {
        let responses = Self.mangled
        #expect(responses.count >= 500)
        try await withServer { request in
            guard let number = Int(request.path.dropFirst()) else { return .init(body: [1]) }
            return .init(steps: [.bytes(responses[number]), .close])
        } _: { server, transport in
            let receivers = responses.map { _ in RecordingReceiver() }
            for (number, receiver) in receivers.enumerated() {
                _ = transport.start(.patient(url: server.url("/\(number)")), receiver: receiver)
            }
            var successes = 0
            for (response, receiver) in zip(responses, receivers) {
                let result = await receiver.result()
                #expect(receiver.completionCount == 1 && receiver.violations == [])
                guard case .success = result else { continue }
                successes += 1
                let problem = WireResponse(response).contradiction(receiver.response, Array(receiver.body))
                #expect(problem == nil, "\(String(decoding: response, as: UTF8.self).debugDescription)")
            }
            // Much of a response may change without harm, and much may not.
            #expect(successes > 50 && successes < responses.count - 50)
            #expect(await receive(transport, .patient(url: server.url("/good"))).body == Data([1]))
        }
    }
}

/// What stands in the bytes of one response, read plainly and without regard for how the transport does it.
private struct WireResponse {
    private let lines: [[UInt8]]
    private let rest: [UInt8]
    private let hasHead: Bool

    init(_ bytes: [UInt8]) {
        var lines: [[UInt8]] = []
        var rest = bytes[...]
        var hasHead = false
        while let end = rest.firstIndex(of: 0x0A) {
            var line = Array(rest[..<end])
            while line.last == 0x0D { line.removeLast() }
            rest = rest[(end + 1)...]
            if line.isEmpty {
                hasHead = true
                break
            }
            lines.append(line)
        }
        self.lines = lines
        self.rest = Array(rest)
        self.hasHead = hasHead
    }

    /// Why these bytes do not stand for that response; `nil` if they do.
    func contradiction(_ response: TransferResponse?, _ body: [UInt8]) -> String? {
        guard hasHead, let response, let statusLine = lines.first else { return "no head" }
        let words = statusLine.split(separator: 0x20, omittingEmptySubsequences: true)
        guard words.count > 1, words[0].starts(with: Array("HTTP/1.".utf8)),
            words[1].elementsEqual("\(response.status)".utf8)
        else { return "another status" }
        for field in response.headers {
            let isThere = lines.contains { line in
                Self.readable(line) == Self.readable(Array("\(field.name.rawName):\(field.value)".utf8))
            }
            guard isThere else { return "no such field: \(field)" }
        }
        if response.status == 204 || response.status == 304 { return body.isEmpty ? nil : "a body" }
        if response.headers[.transferEncoding]?.lowercased() == "chunked" {
            return Self.joined(rest) == body ? nil : "other chunks"
        }
        if let length = response.headers[.contentLength] {
            return Int(length) == body.count && rest.starts(with: body) ? nil : "another length"
        }
        return rest == body ? nil : "not all there is"
    }

    /// What is left when white space, and bytes that may become white space (RFC 9110, section 5.5), are taken away.
    private static func readable(_ bytes: [UInt8]) -> [UInt8] {
        bytes.filter { (0x21...0x7E).contains($0) }
    }

    /// The chunks of a body that ends as it should, else `nil`. What follows a size on its line is passed over, whether
    /// it is an extension or not.
    private static func joined(_ bytes: [UInt8]) -> [UInt8]? {
        var body: [UInt8] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: 0x0A) {
            let digits = String(
                decoding: rest[..<end].prefix { Character(UnicodeScalar($0)).isHexDigit },
                as: UTF8.self
            )
            guard let size = Int(digits, radix: 16), size >= 0 else { return nil }
            rest = rest[(end + 1)...]
            if size == 0 { return body }
            guard rest.count > size else { return nil }
            body += rest.prefix(size)
            rest = rest.dropFirst(size)
            while rest.first == 0x0D { rest = rest.dropFirst() }
            guard rest.popFirst() == 0x0A else { return nil }
        }
        return nil
    }
}
