import HTTPTypes
import Testing

@testable import HalcyonHTTP

@Suite("Cache-Control")
struct CacheControlTests {
    private func parse(_ lines: String...) -> CacheControl {
        var headers = HTTPFields()
        for line in lines { headers.append(HTTPField(name: .cacheControl, value: line)) }
        return CacheControl(headers)
    }

    @Test("knows its directives whatever their case, and ignores others")
    func directives() {
        let control = parse(
            "Public, MAX-AGE=60, unknown, other=\"no-store\", no-cache=\"Set-Cookie, a\"",
            "must-revalidate, immutable, stale-while-revalidate=5, stale-if-error=7"
        )
        #expect(control.isPublic && control.mustRevalidate && control.isImmutable)
        #expect(!control.noStore && !control.noCache)
        #expect(control.maxAge == .value(60))
        #expect(control.staleWhileRevalidate == .value(5))
        #expect(control.staleIfError == .value(7))
        #expect(control.noCacheFields.map(\.rawName) == ["Set-Cookie", "a"])
        let request = parse("max-stale, min-fresh=3, only-if-cached, no-store, no-cache")
        #expect(request.maxStale == .value(DeltaSeconds.maximum))
        #expect(request.minFresh == .value(3))
        #expect(request.onlyIfCached && request.noStore && request.noCache)
    }

    @Test(
        "takes seconds as digits only, and a number too large for the largest",
        arguments: [
            ("max-age=0", CacheControl.Seconds.value(0)), ("max-age=003600", .value(3600)),
            ("max-age=\"60\"", .value(60)), ("max-age=2147483647", .value(2_147_483_647)),
            ("max-age=2147483648", .value(2_147_483_648)), ("max-age=99999999999999999999", .value(2_147_483_648)),
            ("max-age", .invalid), ("max-age=", .invalid), ("max-age=-1", .invalid), ("max-age=1.5", .invalid),
            ("max-age=60a", .invalid), ("max-age=a60", .invalid), ("max-age= 60", .invalid), ("max-age =60", .absent),
            ("max-age='60'", .invalid), ("x=\"max-age=60\"", .absent), ("max-age=1, max-age=60", .value(1)),
            ("max-age=x, max-age=60", .invalid), ("x=\"a\\\", max-age=60", .absent),
            ("x=\"a\\\"\", max-age=60", .value(60)), (",,max-age=60,", .value(60)), ("", .absent),
        ]
    )
    func seconds(text: String, maxAge: CacheControl.Seconds) {
        #expect(parse(text).maxAge == maxAge)
    }

    @Test("stays careful with more field names than anyone means")
    func longInput() {
        let names = (0..<10_000).map { "field-\($0)" }.joined(separator: ", ")
        let control = parse("no-cache=\"\(names)\"")
        #expect(control.noCache)
        #expect(control.noCacheFields == [])
        #expect(parse(String(repeating: ",", count: 100_000) + "no-store").noStore)
    }
}
