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

    @Test("in a cache of many users is what the server says of such, also after a 304")
    func shared() throws {
        func control(_ field: String) -> CacheControl? {
            fixture.stored([.cacheControl: field], isShared: true)?.cacheControl
        }
        #expect(fixture.stored([.cacheControl: "private, max-age=60"], isShared: true) == nil)
        #expect(control("max-age=60, s-maxage=9")?.maxAge == .value(9))
        #expect(control("max-age=60, s-maxage=x")?.maxAge == .invalid)
        #expect(control("s-maxage=9")?.mustRevalidate == true)
        #expect(control("s-maxage=9, stale-while-revalidate=9")?.mustRevalidate == false)
        #expect(control("max-age=9, proxy-revalidate, stale-if-error=9")?.mustRevalidate == true)
        let stored = try #require(fixture.stored([.cacheControl: "max-age=60"], isShared: true))
        #expect(StoredResponse(metadata: stored.metadata, isShared: true) == stored)
        let now = fixture.clock.date
        // Whoever has stored it.
        let own = try #require(fixture.stored([.cacheControl: "private, max-age=60"]))
        let read = try #require(StoredResponse(metadata: own.metadata, isShared: true))
        let request = CacheControl([:])
        #expect(
            ReuseDecision(of: read, for: request, policy: .init(), at: now, rules: .init()) == .afterValidation
                && ReuseDecision(of: own, for: request, policy: .init(), at: now, rules: .init()) == .fresh
        )
        for (field, isStorable) in [("private, max-age=60", false), ("max-age=60, s-maxage=5", true)] {
            let response = TransferResponse(status: 304, headers: [.cacheControl: field], url: fixture.url)
            let updated = stored.updated(by: response, to: fixture.request(), requestTime: now, responseTime: now)
            #expect(updated.isStorable == isStorable)
            if isStorable { #expect(updated.head.freshness(at: now, rules: .init()).lifetime == 5) }
        }
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

    /// A response with these headers that was led to by redirects.
    private func redirected(_ rules: RedirectRules, _ headers: HTTPFields) throws -> TransferResponse {
        let elsewhere = try #require(URL(string: "https://cdn.example/"))
        var response = TransferResponse(status: 200, headers: headers, url: elsewhere)
        response.redirects = rules
        return response
    }

    @Test("is over where a redirect must not be used again without asking, also after a 304 through it")
    func uncacheableRedirect() throws {
        var rules = RedirectRules()
        rules.mustBeAsked = true
        rules.mustRevalidate = true
        rules.vary = ["DPR"]
        let headers: HTTPFields = [.cacheControl: "max-age=60", .vary: "Accept"]
        let response = try redirected(rules, headers)
        let now = fixture.clock.date
        let stored = try #require(
            StoredResponse(request: fixture.request(), response: response, requestTime: now, responseTime: now)
        )
        for headers in [headers, [:]] {
            let confirmation = try redirected(rules, headers)
            let updated = stored.updated(by: confirmation, to: fixture.request(), requestTime: now, responseTime: now)
            for head in [stored, updated.head] {
                let control = head.cacheControl
                #expect(control.noCache && control.mustRevalidate && control.maxAge == .value(60))
                #expect(head.selectingFields.map(\.name) == [.named("Accept"), .named("DPR")])
            }
            #expect(updated.isStorable)
        }
    }

    @Test("ends with that of the redirects, which runs from when the request was sent")
    func redirectLifetime() throws {
        var rules = RedirectRules()
        rules.lifetime = 50
        let headers: HTTPFields = [.cacheControl: "max-age=600, stale-while-revalidate=600", .age: "100"]
        let sent = fixture.clock.date.addingTimeInterval(-20)
        let stored = try #require(
            StoredResponse(
                request: fixture.request(),
                response: try redirected(rules, headers),
                requestTime: sent,
                responseTime: fixture.clock.date
            )
        )
        #expect(StoredResponse(metadata: stored.metadata) == stored)
        func decision(_ seconds: Double, _ rules: HTTPCacheRules = .init()) -> ReuseDecision {
            let now = sent.addingTimeInterval(seconds)
            return ReuseDecision(of: stored, for: CacheControl([:]), policy: .init(), at: now, rules: rules)
        }
        #expect(decision(49) == .fresh && decision(50) == .afterValidation)
        var own = HTTPCacheRules()
        own.lifetimeOverride = .seconds(100)
        #expect(decision(119, own) == .fresh && decision(121, own) == .staleWhileRevalidating)
        let confirmation = try redirected(RedirectRules(), [:])
        let updated = stored.updated(by: confirmation, to: fixture.request(), requestTime: sent, responseTime: sent)
        #expect(updated.head.redirectLifetime == nil && updated.head.isRedirected)
    }

    @Test(
        "of a redirect is what it states less its age, else none, or left to the cache for statuses that allow it",
        arguments: [
            (302, [:], 0), (303, [:], 0), (307, [.cacheControl: "private"], 0), (302, [.cacheControl: "public"], nil),
            (301, [:], nil), (308, [:], nil), (301, [.cacheControl: "max-age=9"], 9), (301, [.expires: "0"], 0),
            (302, [.cacheControl: "max-age=90", .age: "30"], 60), (302, [.cacheControl: "max-age=9", .age: "30"], 0),
            (302, [.cacheControl: "max-age=99999999999"], 2_147_483_648),
        ] as [(Int, HTTPFields, Int?)]
    )
    func ofRedirect(status: Int, headers: HTTPFields, lifetime: Int?) {
        let response = TransferResponse(status: status, headers: headers, url: fixture.url)
        #expect(RedirectRules(response).lifetime == lifetime)
    }

    @Test("of several redirects is the shortest, and one that states none counts as seven days beside others")
    func ofRedirects() {
        func lifetime(_ values: Int?...) -> Int? {
            var rules: RedirectRules?
            for value in values {
                let headers: HTTPFields = value.map { [.cacheControl: "max-age=\($0)"] } ?? [:]
                rules = RedirectRules(TransferResponse(status: 301, headers: headers, url: fixture.url), after: rules)
            }
            return rules?.lifetime
        }
        #expect(lifetime(nil, nil) == nil)
        #expect(lifetime(nil, 60, 90) == 60 && lifetime(90, 60, nil) == 60)
        #expect(lifetime(nil, 1_000_000) == 604_800 && lifetime(1_000_000, nil) == 604_800)
    }

    @Test("is unknown, so over, when the clock went back")
    func clockJumps() throws {
        let stored = try #require(fixture.stored([.cacheControl: "max-age=60"]))
        #expect(stored.freshness(at: fixture.clock.date.addingTimeInterval(-3600), rules: .init()).isFresh == false)
        #expect(stored.freshness(at: fixture.clock.date.addingTimeInterval(-1), rules: .init()).isFresh)
    }
}
