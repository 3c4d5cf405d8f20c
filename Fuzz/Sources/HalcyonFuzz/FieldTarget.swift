import FoundationEssentials
import HTTPTypes

@testable import HalcyonHTTP

/// Readers of what a server sends beside the body. Input is text in lines.
enum FieldTarget: String, CaseIterable, Sendable {
    /// The head of a response as libcurl hands it over, line by line, and the fields it is made of.
    case head = "http-head"
    /// The fields that say how a response may be cached, resumed and repeated.
    case fields = "http-fields"
    /// URLs, percent coding, addresses, networks and redirects.
    case urls = "http-urls"

    func run(_ data: Data) {
        switch self {
        case .head: readHead(data)
        case .fields: readFields(data)
        case .urls: readURLs(String(decoding: data, as: UTF8.self))
        }
    }

    private func readHead(_ data: Data) {
        var head = ResponseHead()
        for line in data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            let bytes = Array(line) + [UInt8(ascii: "\n")]
            guard bytes.withUnsafeBufferPointer({ head.append($0, limit: 1 << 16) }) else { break }
        }
        precondition(head.byteCount <= 1 << 16, "more bytes of a head than the limit")
        precondition(head.expectedBodyBytes ?? 0 >= 0, "a negative length")
        _ = (head.isDelimited, head.framingProblem, head.isInformational, head.mayBeRedirect)
        check(head.text.fields)
    }

    private func readFields(_ data: Data) {
        var text = HeaderText()
        for line in data.split(separator: UInt8(ascii: "\n")) {
            (Array(line) + [UInt8(ascii: "\n")]).withUnsafeBufferPointer { text.append($0) }
        }
        check(text.fields)
        // Each line as the value of each field, too: names take long to be made up.
        for line in data.split(separator: UInt8(ascii: "\n")).prefix(8) {
            var fields = HTTPFields()
            let value = String(decoding: line, as: UTF8.self)
            for name in [
                "Cache-Control", "Vary", "Content-Range", "Retry-After", "WWW-Authenticate", "ETag", "Date", "Expires",
                "Last-Modified", "Age", "Content-Length", "Content-Encoding", "Location", "Content-Type", "Pragma",
            ] {
                HTTPField.Name(name).map { fields[$0] = value }
            }
            check(fields)
        }
    }

    private func check(_ fields: HTTPFields) {
        let now = Date(timeIntervalSince1970: 1_767_225_600)
        let control = CacheControl(fields)
        precondition(control.maxAge.value ?? 0 >= 0, "a negative age")
        if let delay = RetryAfter.delay(fields, now: now) {
            precondition(delay >= .zero && delay <= RetryAfter.longest, "a delay of \(delay)")
        }
        _ = fields[.contentRange].flatMap(ContentRange.init)
        _ = StrongValidator.value(of: fields)
        for name in ["Date", "Expires", "Last-Modified"] {
            guard let name = HTTPField.Name(name), let text = fields[name] else { continue }
            if let date = HTTPDate.date(text, now: now) {
                precondition(HTTPDate.date(HTTPDate.string(date), now: now) == date, "a date that is not read again")
            }
        }
        for challenge in AuthenticationChallenge.challenges(in: fields[values: .wwwAuthenticate]) {
            precondition(!challenge.scheme.isEmpty, "a challenge without a scheme")
        }
        guard let url = URL(string: "https://origin.example/a") else { return }
        var request = TransferRequest(url: url)
        request.headers[.acceptLanguage] = "en"
        let response = TransferResponse(status: 200, headers: fields, url: url, expectedBodyBytes: nil)
        if let partial = PartialResponse(keeping: response) {
            _ = partial.judge(response, heldBytes: 100)
        }
        let stored = StoredResponse(request: request, response: response, requestTime: now, responseTime: now)
        guard let stored else { return }
        _ = (stored.matches(request), stored.isVarying)
        precondition(StoredResponse(metadata: stored.metadata) == stored, "a head that is not read as it was written")
    }

    private func readURLs(_ text: String) {
        for line in text.split(separator: "\n").prefix(8) {
            let line = String(line)
            _ = HostName.decoded(line)
            _ = Origin(line)
            _ = IPAddress(line)
            _ = IPAddress(host: line)
            if let network = IPNetwork(line), let address = IPAddress("10.0.0.1") { _ = network.contains(address) }
            guard let url = URL(string: "https://origin.example/a/b?c#d"), let location = HTTPField.Name("Location")
            else { return }
            let request = TransferRequest(url: url)
            var response = TransferResponse(status: 302, headers: [:], url: url, expectedBodyBytes: nil)
            response.headers[location] = line
            do {
                if let redirection = try Redirection(response, to: request, after: 0) {
                    let scheme = redirection.request.url.scheme?.lowercased()
                    precondition(scheme == "http" || scheme == "https", "a redirect leaves the web")
                }
            } catch {
                let _: TransferError = error
            }
        }
    }
}
