import FoundationEssentials
import HTTPTypes

@testable import Halcyon
@testable import HalcyonCodecs
@testable import HalcyonHTTP
@testable import HalcyonStore

extension FuzzSeeds {
    /// Writes inputs of the readers, in a folder for each target.
    static func writeReaderSeeds(to folder: String) throws {
        for target in FieldTarget.allCases.map(\.rawValue) + StoredTarget.allCases.map(\.rawValue)
            + TextTarget.allCases.map(\.rawValue) + WorkerTarget.allCases.map(\.rawValue)
        {
            let path = "\(folder)/\(target)"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            for (number, seed) in try readerSeeds(target).enumerated() {
                try seed.write(to: URL(filePath: "\(path)/\(number)"))
            }
        }
    }

    private static func readerSeeds(_ target: String) throws -> [Data] {
        switch target {
        case FieldTarget.head.rawValue:
            [head, "HTTP/2 304\r\n\(fields)", "HTTP/1.1 103\r\nLink: <a>\r\n\r\n\(head)"].map { Data($0.utf8) }
        case FieldTarget.fields.rawValue:
            [fields, challenges].map { Data($0.utf8) }
        case FieldTarget.urls.rawValue:
            [Data(urls.utf8)]
        case StoredTarget.responseMetadata.rawValue:
            [storedResponse()?.metadata ?? Data()]
        case StoredTarget.imageMetadata.rawValue:
            [try storedImage()]
        case StoredTarget.journal.rawValue:
            [journal()]
        case StoredTarget.index.rawValue:
            [Data([0, 0, 0, 100]) + Data(repeating: 0xFF, count: 20), Data([0, 0, 0x10, 0, 13, 0, 0, 0, 2])]
        case StoredTarget.metadata.rawValue:
            [exif] + [true, false].compactMap { ICCProfileWriter.profile(exponent: 2.2, primaries: .sRGB, isGray: $0) }
        case StoredTarget.icc.rawValue:
            [true, false].compactMap { ICCProfileWriter.profile(exponent: 1.8, primaries: .sRGB, isGray: $0) }
        case StoredTarget.dataURL.rawValue:
            ["data:image/png;base64,iVBORw0KGgo=", "data:,a%20b#c", "data:a;b=\"c\"; base64 ,%2B/="].map {
                Data($0.utf8)
            }
        case WorkerTarget.answer.rawValue:
            try WorkerTarget.answerSeeds(smallImage())
        case WorkerTarget.request.rawValue:
            WorkerTarget.requestSeeds(try smallImage())
        default: TextTarget(rawValue: target).map(textSeeds) ?? []
        }
    }

    private static let fields = """
        Content-Type: image/png\r
        Content-Length: 1234\r
        Cache-Control: max-age=60, stale-while-revalidate=30, no-cache="set-cookie, a", private\r
        Vary: Accept, Accept-Language\r
        ETag: W/"abc"\r
        Date: Thu, 01 Jan 2026 00:00:00 GMT\r
        Expires: Sunday, 06-Nov-94 08:49:37 GMT\r
        Last-Modified: Sun Nov  6 08:49:37 1994\r
        Content-Range: bytes 100-199/1234\r
        Retry-After: 120\r
        Location: ../b?c=%41\r
        \r

        """

    private static let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n \tfolded\r\n" + fields

    private static let challenges = """
        WWW-Authenticate: Digest realm="a \\"b\\"", nonce="c", qop="auth,auth-int", algorithm=SHA-256, Basic realm=x
        WWW-Authenticate: Negotiate YII=, Bearer
        Vary: *
        """

    private static let urls = """
        https://user:secret@origin.example:8443/a%20b?c=%zz#d
        //[fe80::1%25eth0]:80/../x
        ::ffff:10.0.0.1
        10.0.0.0/8
        javascript:alert(1)
        """

    private static func request() -> (TransferRequest, URL)? {
        URL(string: "https://origin.example/a").map { (TransferRequest(url: $0), $0) }
    }

    private static func storedResponse() -> StoredResponse? {
        guard let (request, url) = request() else { return nil }
        let now = Date(timeIntervalSince1970: 1_767_225_600)
        let headers: HTTPFields = [
            .cacheControl: "max-age=60", .vary: "Accept", .eTag: "\"a\"", .contentType: "image/png",
        ]
        let response = TransferResponse(status: 200, headers: headers, url: url, expectedBodyBytes: nil)
        return StoredResponse(request: request, response: response, requestTime: now, responseTime: now)
    }

    private static func storedImage() throws -> Data {
        let bitmap = try Bitmap(size: PixelSize(2, 2))
        let image = DecodedImage(bitmap: bitmap, info: ImageInfo(format: .png, size: bitmap.size))
        return ProcessedImageMetadata(image, byteCount: 100).data
    }

    /// Without its preamble, which the target adds.
    private static func journal() -> Data {
        guard let (request, url) = request(), let key = PartialBodyKey(request) else { return Data() }
        let response = PartialResponse(
            url: url.absoluteString,
            headers: [.eTag: "\"a\""],
            validator: "\"a\"",
            totalBytes: 1_000
        )
        return Data((PartialBodyJournal(key, response).head()?.bytes ?? []).dropFirst(32))
    }

    /// Orientation 6 in a big-endian TIFF file.
    static let exif = Data(
        Array("Exif\0\0MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0]
    )
}
