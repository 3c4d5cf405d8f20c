internal import HTTPTypes
internal import HalcyonHTTP

/// Compares the requests that reached the origin with the expectations of a test.
struct CacheTestStateCheck {
    let test: CacheTest
    let responses: [HTTPCacheResponse]
    let seen: [CacheTestOrigin.Seen]

    func failure() -> CacheTestFailure? {
        var position = 0
        for (index, configuration) in test.requests.enumerated() where configuration.expectedType != "cached" {
            let request = seen.indices.contains(position) ? seen[position] : nil
            let failure =
                typeFailure(configuration, request, number: index + 1)
                ?? requestFailure(configuration, request)
                ?? responseFailure(request, responses[index])
            if let failure { return failure }
            position += 1
        }
        return nil
    }

    private func typeFailure(
        _ configuration: CacheTestRequest,
        _ request: CacheTestOrigin.Seen?,
        number: Int
    ) -> CacheTestFailure? {
        switch configuration.expectedType {
        case "not_cached" where request?.number != number:
            configuration.failure("expected_type", "request \(number) did not reach the origin")
        case "etag_validated" where request?.headers[.ifNoneMatch] == nil:
            configuration.failure("expected_type", "request \(number) has no If-None-Match")
        case "lm_validated" where request?.headers[.ifModifiedSince] == nil:
            configuration.failure("expected_type", "request \(number) has no If-Modified-Since")
        default:
            nil
        }
    }

    private func requestFailure(
        _ configuration: CacheTestRequest,
        _ request: CacheTestOrigin.Seen?
    ) -> CacheTestFailure? {
        func value(_ name: String) -> String? { HTTPField.Name(name).flatMap { request?.headers[$0] } }
        for field in configuration.expectedRequestHeaders ?? [] {
            let own = value(field.name)
            if field.value == nil ? own == nil : own != field.value?.text {
                return configuration.failure(
                    "expected_request_headers",
                    "\(field.name) of the request is \(own ?? "absent")"
                )
            }
        }
        for field in configuration.missingRequestHeaders ?? [] {
            let own = value(field.name)
            if field.value == nil ? own != nil : own == field.value?.text {
                return configuration.failure("expected_request_headers_missing", "the request has \(field.name)")
            }
        }
        if let method = configuration.expectedMethod, request?.method != method {
            return configuration.failure("expected_method", "method \(request?.method ?? "none"), not \(method)")
        }
        return nil
    }

    /// Returns a failure unless all that was sent has reached the client: a cache that drops or rewrites headers is
    /// found here.
    private func responseFailure(
        _ request: CacheTestOrigin.Seen?,
        _ response: HTTPCacheResponse
    ) -> CacheTestFailure? {
        for name in Set(request?.checkedHeaders.map { $0.name.lowercased() } ?? []) where name != "date" {
            let sent = request?.checkedHeaders.filter { $0.name.lowercased() == name }.map(\.value) ?? []
            let received = HTTPField.Name(name).map { response.response.headers[values: $0] } ?? []
            if sent.joined(separator: ", ") != received.joined(separator: ", ") {
                return .setup("\(name) is \(received.joined(separator: ", ")), not \(sent.joined(separator: ", "))")
            }
        }
        return nil
    }
}
