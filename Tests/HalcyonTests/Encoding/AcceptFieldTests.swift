import Testing

@testable import Halcyon

@Suite("An Accept field")
struct AcceptFieldTests {
    @Test(
        "gives a media type the weight of its most specific range",
        arguments: [
            ("image/webp", 1_000), ("image/webp;q=0.5", 500), ("IMAGE/WebP ; Q=0.25", 250), ("image/*;q=0.8", 800),
            ("*/*;q=0.1", 100), ("image/*, image/webp;q=0", 0), ("image/webp;q=0.3, */*", 300),
            ("image/webp;q=0.3, image/webp;q=0.7", 700), ("text/html, image/avif", 0), ("image/*;q=0, */*", 0),
            ("image/webp;q=1.000, text/html", 1_000), ("image/webp;q=0.001", 1), ("\timage/webp\t", 1_000),
        ]
    )
    func weights(text: String, weight: Int) {
        #expect(AcceptField(text).weight(of: "image/webp", matchesWildcards: true) == weight)
    }

    @Test("that is missing or empty accepts everything", arguments: [nil, "", " \t"])
    func missing(text: String?) {
        #expect(AcceptField(text).weight(of: "image/png", matchesWildcards: true) == 1_000)
        #expect(AcceptField(text).weight(of: "image/avif", matchesWildcards: false) == 0)
    }

    @Test("accepts by wildcards only what matches them")
    func wildcards() {
        let field = AcceptField("image/*, */*;q=0.8, image/avif;q=0.9")
        #expect(field.weight(of: "image/webp", matchesWildcards: false) == 0)
        #expect(field.weight(of: "image/avif", matchesWildcards: false) == 900)
    }

    @Test(
        "has malformed ranges left out",
        arguments: [
            "image/webp;q=2", "image/webp;q=abc", "image/webp;q=0.1234", "image/webp;q=-1", "image/webp;q=", "webp",
            "image/webp;q=1.5", "image/webp/x", "image webp", "image/webp;q=.", ";q=1", "*/webp", "\"image/webp\"",
            "image/webp;v=1", "image/webp;x=\"a,image/webp", ",,", "image/", "/webp",
        ]
    )
    func malformed(range: String) {
        let field = AcceptField(range + ", text/plain;q=0.5")
        #expect(field.weight(of: "image/webp", matchesWildcards: true) == 0)
    }

    @Test("is read in the forms that clients send against the grammar")
    func tolerated() {
        // As Java's URLConnection sends it.
        let field = AcceptField("text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2")
        #expect(field.weight(of: "image/png", matchesWildcards: true) == 200)
        #expect(field.weight(of: "image/jpeg", matchesWildcards: true) == 1_000)
        #expect(AcceptField(",image/webp;;q=0.5;ext=1,").weight(of: "image/webp", matchesWildcards: true) == 500)
        #expect(
            AcceptField("image/x;a=\"q,;\\\"\", image/webp").weight(of: "image/webp", matchesWildcards: true) == 1_000
        )
    }
}
