import Testing

@testable import HalcyonHTTP

@Suite("the fields that name codings")
struct ContentCodingsTests {
    @Test(
        "of a content are read in order, whatever their case",
        arguments: [
            (["gzip"], [ContentCoding.gzip]), (["X-GZip"], [.gzip]), (["deflate, gzip"], [.deflate, .gzip]),
            (["deflate", "gzip"], [.deflate, .gzip]), ([" identity ,, GZIP ,"], [.gzip]), (["identity"], []),
            ([""], []),
            (["gzip,gzip,gzip,gzip"], [.gzip, .gzip, .gzip, .gzip]),
            (["aws-chunked"], []), (["aws-chunked,gzip"], [.gzip]), (["gzip", "aws-chunked"], [.gzip]),
            (["utf-8"], []), (["none"], []), (["binary"], []), (["br"], []), (["gzip;q=1"], []), (["gzi\0p"], []),
            (["utf-8,none,binary,identity,br,deflate"], [.deflate]),
        ]
    )
    func lists(values: [String], expected: [ContentCoding]) {
        let codings = Self.codings(values)
        #expect(codings.list == expected)
        #expect(codings.problem == nil)
        #expect(codings.isEmpty == expected.isEmpty)
    }

    @Test("of a content are a problem if more of them have to be undone than a server needs")
    func problems() {
        let codings = Self.codings(["gzip,gzip,xyz,gzip", "gzip,gzip"])
        #expect(codings.problem != nil)
        #expect(!codings.isEmpty)
    }

    @Test("of a content say nothing in a line of their own")
    func folding() {
        var codings = Self.codings(["identity"])
        Array("gzip".utf8).withUnsafeBufferPointer { codings.append(unclear: $0) }
        #expect(codings.problem != nil)
    }

    @Test(
        "of a transfer are chunks, nothing, or unknown",
        arguments: [
            (["chunked"], TransferCodings.chunked), (["Chunked"], .chunked), (["identity"], .identity),
            ([""], .identity),
            (["identity, chunked"], .chunked), (["identity", "chunked"], .chunked),
            (["gzip, chunked"], .unknown("gzip, chunked")), (["gzip"], .unknown("gzip")),
            (["chunked", "chunked"], .chunked), (["chunked, chunked"], .unknown("chunked, chunked")),
            (["chunked, identity"], .unknown("chunked, identity")), (["gzip", "chunked"], .unknown("gzip")),
        ]
    )
    func transfer(values: [String], expected: TransferCodings) {
        var codings = TransferCodings.none
        for value in values { Array(value.utf8).withUnsafeBufferPointer { codings.append($0) } }
        #expect(codings == expected)
    }

    private static func codings(_ values: [String]) -> ContentCodings {
        var codings = ContentCodings()
        for value in values { Array(value.utf8).withUnsafeBufferPointer { codings.append($0) } }
        return codings
    }
}
