import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import HalcyonHTTP

@Suite("freshness")
struct FreshnessTests {
    private let fixture = CachingFixture()

    private func date(_ offset: Double) -> String { HTTPDate.string(fixture.clock.date.addingTimeInterval(offset)) }

    private func lifetime(_ headers: HTTPFields, status: Int = 200, rules: HTTPCacheRules = .init()) -> Double? {
        fixture.stored(headers, status: status)?.freshness(at: fixture.clock.date, rules: rules).lifetime
    }

    @Test("comes from max-age, then Expires, then a tenth of the age of the last modification")
    func sources() {
        #expect(lifetime([.cacheControl: "max-age=60", .expires: date(10)]) == 60)
        #expect(lifetime([.cacheControl: "s-maxage=60", .expires: date(10)]) == 10)
        #expect(lifetime([.expires: date(100), .date: date(40)]) == 60)
        #expect(lifetime([.lastModified: date(-1000)]) == 100)
        #expect(lifetime([.lastModified: date(-1e9)]) == 604_800.0)
        #expect(lifetime([.lastModified: date(1000)]) == 0)
        #expect(lifetime([:]) == 0)
    }

    @Test("is none where it cannot be read")
    func invalid() {
        #expect(lifetime([.cacheControl: "max-age=x", .expires: date(10)]) == 0)
        #expect(lifetime([.expires: "0", .lastModified: date(-1000)]) == 0)
        #expect(lifetime([.expires: date(-10)]) == 0)
    }

    @Test("is a default only where the response is silent and its status may be guessed")
    func defaultLifetime() {
        var rules = HTTPCacheRules()
        rules.defaultLifetime = .seconds(700)
        #expect(lifetime([:], rules: rules) == 700)
        #expect(lifetime([.lastModified: date(-1000)], rules: rules) == 700)
        #expect(lifetime([.cacheControl: "max-age=1"], rules: rules) == 1)
        #expect(lifetime([.cacheControl: "private"], status: 201, rules: rules) == 0)
        #expect(lifetime([.cacheControl: "public"], status: 201, rules: rules) == 700)
    }

    @Test(
        "is used up by the Age it came with, of which the first member counts",
        arguments: [
            ("30", 30.0), ("0, 30", 0), ("30, 0", 30), ("abc", 0), ("-30", 0), ("30.0", 0),
            ("99999999999", 2_147_483_648),
        ]
    )
    func age(text: String, seconds: Double) {
        let stored = fixture.stored([.cacheControl: "max-age=60", .age: text])
        #expect(stored?.age(at: fixture.clock.date) == seconds)
    }

    @Test("is used up by the time on the way, and by the time in the store")
    func time() throws {
        var stored = try #require(fixture.stored([.cacheControl: "max-age=60", .age: "5", .date: date(-20)]))
        #expect(stored.age(at: fixture.clock.date) == 20)
        stored.requestTime = fixture.clock.date.addingTimeInterval(-30)
        #expect(stored.age(at: fixture.clock.date) == 35)
        #expect(stored.age(at: fixture.clock.date.addingTimeInterval(7)) == 42)
        #expect(stored.freshUntil(rules: .init()) == fixture.clock.date.addingTimeInterval(25))
    }

    @Test("ends after the default where redirects led to the response, as nobody knows what they said")
    func redirected() throws {
        let elsewhere = try #require(URL(string: "https://cdn.example/"))
        let response = TransferResponse(status: 200, headers: [.cacheControl: "max-age=60"], url: elsewhere)
        let now = fixture.clock.date
        let stored = try #require(
            StoredResponse(request: fixture.request(), response: response, requestTime: now, responseTime: now)
        )
        var rules = HTTPCacheRules()
        #expect(stored.freshness(at: now, rules: rules).lifetime == 0)
        rules.defaultLifetime = .seconds(59)
        #expect(stored.freshness(at: now, rules: rules).lifetime == 59)
        rules.defaultLifetime = .seconds(61)
        #expect(stored.freshness(at: now, rules: rules).lifetime == 60)
    }

    @Test("is over where a redirect must not be used again without asking, also after a 304 through it")
    func uncacheableRedirect() throws {
        let elsewhere = try #require(URL(string: "https://cdn.example/"))
        var response = TransferResponse(status: 200, headers: [.cacheControl: "max-age=60"], url: elsewhere)
        response.mustBeAsked = true
        let now = fixture.clock.date
        let stored = try #require(
            StoredResponse(request: fixture.request(), response: response, requestTime: now, responseTime: now)
        )
        #expect(stored.cacheControl.noCache && stored.cacheControl.maxAge == .value(60))
        let updated = stored.updated(by: response, to: fixture.request(), requestTime: now, responseTime: now)
        #expect(updated.head.cacheControl.noCache && updated.isStorable)
    }

    @Test("is unknown, so over, when the clock went back")
    func clockJumps() throws {
        let stored = try #require(fixture.stored([.cacheControl: "max-age=60"]))
        #expect(stored.freshness(at: fixture.clock.date.addingTimeInterval(-3600), rules: .init()).isFresh == false)
        #expect(stored.freshness(at: fixture.clock.date.addingTimeInterval(-1), rules: .init()).isFresh)
    }
}
