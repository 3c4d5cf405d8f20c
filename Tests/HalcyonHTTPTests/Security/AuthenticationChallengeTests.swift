import FoundationEssentials
import HTTPTypes
import HalcyonHTTP
import Testing

@Suite("challenges are read from")
struct AuthenticationChallengeTests {
    private typealias Challenge = AuthenticationChallenge

    @Test("one value with several of them, as in RFC 9110, 11.6.1")
    func several() {
        let value = #"Basic realm="simple", Newauth realm="apps", type=1, title="Login to \"apps\"""#
        #expect(
            Challenge.challenges(in: [value]) == [
                Challenge(scheme: "basic", parameters: ["realm": "simple"]),
                Challenge(
                    scheme: "newauth",
                    parameters: ["realm": "apps", "type": "1", "title": #"Login to "apps""#]
                ),
            ]
        )
    }

    @Test("several values, and keep commas inside quotes")
    func values() {
        let challenges = Challenge.challenges(in: [
            #"Digest realm="a, b", qop="auth, auth-int" , nonce=x ,algorithm=SHA-256"#, "Bearer", "",
        ])
        #expect(challenges.map(\.scheme) == ["digest", "bearer"])
        #expect(challenges.first?.realm == "a, b")
        #expect(
            challenges.first?.parameters
                == ["realm": "a, b", "qop": "auth, auth-int", "nonce": "x", "algorithm": "SHA-256"]
        )
    }

    @Test("tokens in place of parameters, and schemes without any")
    func tokens() {
        let challenges = Challenge.challenges(in: ["Negotiate YII+/=, NTLM, Basic realm = \"x\", , Mutual"])
        #expect(
            challenges == [
                Challenge(scheme: "negotiate", token: "YII+/="), Challenge(scheme: "ntlm"),
                Challenge(scheme: "basic", parameters: ["realm": "x"]), Challenge(scheme: "mutual"),
            ]
        )
    }

    @Test("the first of a parameter given twice, in any case of letters")
    func twice() {
        let challenges = Challenge.challenges(in: [#"BASIC REALM="a", realm="b""#])
        #expect(challenges == [Challenge(scheme: "basic", parameters: ["realm": "a"])])
    }

    @Test(
        "values that make no sense up to the place where they stop to",
        arguments: [
            ("", []), ("   ,,, ,", []), ("\"Basic\"", []), ("=", []), ("(Basic) realm=x", []),
            ("Basic realm=\"never ends", ["basic"]), ("Basic realm=\"ends in an escape\\", ["basic"]),
            ("Basic realm=, Digest x=y", ["basic", "digest"]), ("Basic realm=\"a\"b, Digest x=y", ["basic"]),
            ("Basic \u{0}", ["basic"]), ("Basic/x, Digest", []), ("Ba\u{0}sic", []), ("Bäsic realm=x", []),
        ] as [(String, [String])]
    )
    func nonsense(value: String, schemes: [String]) {
        #expect(Challenge.challenges(in: [value]).map(\.scheme) == schemes)
    }

    @Test("long values in time and memory that grow no faster than they do")
    func long() {
        let many = Array(repeating: "Basic a=b", count: 20_000).joined(separator: ",")
        #expect(Challenge.challenges(in: [many]).count == 32)
        let parameters = "Basic " + (0..<20_000).map { "p\($0)=v" }.joined(separator: ",")
        #expect(Challenge.challenges(in: [parameters]).map(\.parameters.count) == [64])
        for filler in [",", " ", "a", "a ", "=", "\"", "\\", "a=", "a=\"", "a,"] {
            let value = "Basic " + String(repeating: filler, count: 200_000)
            #expect(Challenge.challenges(in: [value, value]).count <= 64)
        }
    }

    @Test("whatever bytes a server sends, without harm")
    func random() {
        var generator = SystemRandomNumberGenerator()
        let alphabet = Array("aB \t,=\"\\/;\u{0}é~")
        for _ in 0..<5_000 {
            let length = Int.random(in: 0...40, using: &generator)
            let value = String((0..<length).compactMap { _ in alphabet.randomElement(using: &generator) })
            for challenge in Challenge.challenges(in: [value]) {
                #expect(!challenge.scheme.isEmpty && !challenge.parameters.keys.contains(""), "\(value)")
            }
        }
    }

    @Test("a response by its status")
    func response() throws {
        let url = try #require(URL(string: "http://example.com/"))
        let headers: HTTPFields = [.wwwAuthenticate: "Basic realm=a", .proxyAuthenticate: "Basic realm=b"]
        func realm(_ status: Int) -> String? {
            TransferResponse(status: status, headers: headers, url: url).challenges.first?.realm
        }
        #expect(realm(401) == "a")
        #expect(realm(407) == "b")
        #expect(realm(200) == nil)
    }
}
