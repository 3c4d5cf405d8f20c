import HTTPTypes
import Halcyon
import Testing

@testable import HalcyonServer
@testable import ServerURLs

@Suite("The fields of an answer")
struct CachingFieldsTests {
    @Test(
        "Ranges are read as RFC 9110 has them",
        arguments: [
            ("bytes=0-0", .part(0..<1)), ("bytes=5-", .part(5..<10)), ("bytes=-3", .part(7..<10)),
            ("bytes=-30", .part(0..<10)),
            ("bytes=5-100", .part(5..<10)), ("bytes=10-", .unsatisfiable), ("bytes=-0", .unsatisfiable),
            ("bytes=5-4", .whole),
            ("bytes=0-1,3-4", .whole), ("bytes=", .whole), ("bytes=a-b", .whole), ("lines=0-1", .whole),
            ("bytes=-", .whole),
            ("bytes=0-99999999999999999999", .part(0..<10)), ("bytes=0-9223372036854775807", .part(0..<10)),
        ] as [(String, RequestedRange)]
    )
    func ranges(_ field: String, _ expected: RequestedRange) {
        #expect(RequestedRange([.range: field], entityTag: "\"a\"", length: 10) == expected)
    }

    private func value(
        _ freshness: OriginFreshness?,
        isPartial: Bool = false,
        _ change: (inout ImagePlan.Delivery) -> Void = { _ in }
    ) -> String {
        var delivery = ImagePlan.Delivery()
        change(&delivery)
        var settings = ServerSettings()
        (settings.defaultMaximumAge, settings.staleWhileRevalidate, settings.staleIfError) = (100, 20, 30)
        return CachingFields(settings).value(freshness, delivery, isPartial: isPartial, now: 1_000)
    }

    @Test("The rules of a source go before the server's, and those of the URL before both")
    func precedence() {
        #expect(value(nil) == "public, max-age=100, stale-while-revalidate=20, stale-if-error=30")
        #expect(value(.init(lifetime: 5)) == "public, max-age=5")
        #expect(value(.init(lifetime: 5, isPrivate: true)) == "private, max-age=5")
        #expect(value(.init(lifetime: 5)) { $0.maximumAge = 7 } == "public, max-age=7")
        #expect(value(.init(lifetime: 5, forbidsStorage: true)) { $0.maximumAge = 7 } == "no-store")
    }

    @Test("Caches of many users get a time of their own, and what must not be used stale is not")
    func sharedLifetime() {
        #expect(value(.init(lifetime: 0, sharedLifetime: 900)) == "public, max-age=0, s-maxage=900")
        #expect(value(.init(lifetime: 5, mustRevalidate: true)) == "public, max-age=5, must-revalidate")
        #expect(value(.init(lifetime: 5, sharedLifetime: 900)) { $0.maximumAge = 7 } == "public, max-age=7")
        #expect(value(.init(lifetime: 50, sharedLifetime: 900), isPartial: true) == "public, max-age=10, s-maxage=10")
        let rules = OriginFreshness(lifetime: 50, sharedLifetime: 900, staleIfError: 30)
        #expect(value(rules) { $0.expires = 1_910 } == "public, max-age=50, s-maxage=900, stale-if-error=10")
    }

    @Test("A partial image has a short lifetime, and the other rules of any image")
    func partial() {
        let rules = OriginFreshness(lifetime: 50, staleWhileRevalidate: 50, staleIfError: 50)
        #expect(value(rules, isPartial: true) == "public, max-age=10")
        #expect(value(nil, isPartial: true) == "public, max-age=10")
        #expect(value(.init(lifetime: 5), isPartial: true) == "public, max-age=5")
        #expect(value(rules, isPartial: true) { $0.maximumAge = 70 } == "public, max-age=10")
        #expect(value(rules, isPartial: true) { $0.expires = 1_004 } == "public, max-age=4")
        #expect(value(.init(lifetime: 50, isPrivate: true), isPartial: true) == "private, max-age=10")
        #expect(value(.init(lifetime: 50, forbidsStorage: true), isPartial: true) == "no-store")
    }

    @Test("No part of a lifetime goes beyond the time of the URL")
    func expiry() {
        let rules = OriginFreshness(lifetime: 50, staleWhileRevalidate: 50, staleIfError: 5)
        #expect(
            value(rules) { $0.expires = 1_060 } == "public, max-age=50, stale-while-revalidate=10, stale-if-error=5"
        )
        #expect(value(rules) { $0.expires = 1_040 } == "public, max-age=40")
    }

    @Test(
        "Entity tags are compared weakly, and lists of them are read",
        arguments: [
            ("\"a\"", true), ("W/\"a\"", true), ("\"b\", \"a\"", true), ("*", true), ("\"b\"", false), ("a", false),
            ("", false),
        ]
    )
    func entityTags(_ field: String, _ isMatch: Bool) {
        #expect(([.ifNoneMatch: field] as HTTPFields).hasMatch(for: "\"a\"") == isMatch)
        // Strongly, as it is about the bytes.
        let isExcluded = !isMatch || field == "W/\"a\""
        #expect(([.ifMatch: field] as HTTPFields).excludes("\"a\"") == isExcluded)
        #expect(!([:] as HTTPFields).excludes("\"a\""))
    }
}
