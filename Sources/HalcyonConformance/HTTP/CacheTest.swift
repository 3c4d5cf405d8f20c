internal import FoundationEssentials

/// One of the HTTP cache tests: requests through a cache, and the expectations of each.
struct CacheTest: Decodable, Sendable {
    struct Suite: Decodable {
        let id: String
        let tests: [CacheTest]
    }

    let id: String
    let name: String
    let kind: String?
    let dependsOn: [String]?
    let requests: [CacheTestRequest]

    private enum CodingKeys: String, CodingKey {
        case id, name, kind, requests
        case dependsOn = "depends_on"
    }

    /// Reads a file of suites.
    static func tests(_ data: Data) throws -> [CacheTest] {
        try JSONDecoder().decode([Suite].self, from: data).flatMap(\.tests)
    }
}

/// One request of a test, the origin's answer to it, and the response that the client should get.
struct CacheTestRequest: Decodable, Sendable {
    let method: String?
    let headers: [CacheTestField]?
    let body: String?
    let query: String?
    let filename: String?
    let pausesAfter: Bool?
    let usesMagicLocations: Bool?
    let usesMagicConditions: Bool?
    let obsoleteDates: [String]?

    let responseStatus: [CacheTestScalar]?
    let responseHeaders: [CacheTestField]?
    let responseBody: String?
    let responsePause: Int?
    let disconnects: Bool?

    let isSetup: Bool?
    let setupChecks: [String]?
    let checksBody: Bool?
    let expectedType: String?
    let expectedMethod: String?
    /// Absent: the one sent; null: any.
    let expectedStatus: CacheTestOptional<Int>
    /// Absent: the one sent; null: any.
    let expectedText: CacheTestOptional<String>
    let expectedRequestHeaders: [CacheTestField]?
    let missingRequestHeaders: [CacheTestField]?
    let expectedResponseHeaders: [CacheTestField]?
    let missingResponseHeaders: [CacheTestField]?

    private enum CodingKeys: String, CodingKey {
        case method = "request_method"
        case headers = "request_headers"
        case body = "request_body"
        case query = "query_arg"
        case filename
        case pausesAfter = "pause_after"
        case usesMagicLocations = "magic_locations"
        case usesMagicConditions = "magic_ims"
        case obsoleteDates = "rfc850date"
        case responseStatus = "response_status"
        case responseHeaders = "response_headers"
        case responseBody = "response_body"
        case responsePause = "response_pause"
        case disconnects = "disconnect"
        case isSetup = "setup"
        case setupChecks = "setup_tests"
        case checksBody = "check_body"
        case expectedType = "expected_type"
        case expectedMethod = "expected_method"
        case expectedStatus = "expected_status"
        case expectedText = "expected_response_text"
        case expectedRequestHeaders = "expected_request_headers"
        case missingRequestHeaders = "expected_request_headers_missing"
        case expectedResponseHeaders = "expected_response_headers"
        case missingResponseHeaders = "expected_response_headers_missing"
    }

    /// The status that the origin answers with: 200 unless the test states another.
    var status: Int { responseStatus?.first?.integer ?? 200 }
}
