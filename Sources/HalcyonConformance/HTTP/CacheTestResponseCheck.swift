internal import FoundationEssentials
internal import HTTPTypes
internal import HalcyonHTTP

/// Compares the response that the client got with the expectations of a test.
struct CacheTestResponseCheck {
    private let configuration: CacheTestRequest
    private let answer: HTTPCacheResponse
    private let number: Int
    private let uuid: String

    init(_ configuration: CacheTestRequest, _ answer: HTTPCacheResponse, number: Int, uuid: String) {
        self.configuration = configuration
        self.answer = answer
        self.number = number
        self.uuid = uuid
    }

    func failure() -> CacheTestFailure? {
        do {
            try checkOrigin()
            try checkStatus()
            try checkHeaders()
            try checkBody()
            return nil
        } catch {
            return error
        }
    }

    private func checkOrigin() throws(CacheTestFailure) {
        let numbers = (answer.value("Request-Numbers") ?? "").split(separator: " ")
        guard Set(numbers).count == numbers.count else { throw .setup("a request was sent twice") }
        let count = answer.value("Server-Request-Count").flatMap { Int($0) }
        switch configuration.expectedType {
        case "cached":
            try expect((count ?? number) < number, "expected_type", "response \(number) does not come from the cache")
        case "not_cached":
            try expect(count == number, "expected_type", "response \(number) comes from the cache")
        default:
            break
        }
    }

    private func checkStatus() throws(CacheTestFailure) {
        let status = answer.response.status
        switch configuration.expectedStatus {
        case .null:
            break
        case .value(let expected):
            try expect(status == expected, "expected_status", "status \(status), not \(expected)")
        case .absent:
            if let sent = configuration.responseStatus?.first?.integer {
                guard status == sent else { throw .setup("status \(status), not \(sent)") }
            } else if status == 999 {
                try expect(false, "expected_type", "request \(number) should have been conditional")
            } else if status != 200 {
                throw .setup("status \(status), not 200")
            }
        }
    }

    private func checkHeaders() throws(CacheTestFailure) {
        for field in configuration.expectedResponseHeaders ?? [] {
            let own = answer.value(field.name)
            let isAsExpected: Bool
            switch (field.value, field.third) {
            case (nil, _):
                isAsExpected = own != nil
            case (.string("="), let other?):
                isAsExpected = own == answer.value(other.text)
            case (.string(">"), let minimum?):
                isAsExpected = own.flatMap { Int($0) }.map { $0 > minimum.integer ?? .max } ?? false
            case (let value?, _):
                isAsExpected = own == text(value, of: field.name)
            }
            let found = own.map { "\"\($0)\"" } ?? "none"
            try expect(isAsExpected, "expected_response_headers", "response \(number): \(field.name) is \(found)")
        }
        // The form with a value checks nothing in the original runner either.
        for field in configuration.missingResponseHeaders ?? [] where field.value == nil {
            let isAbsent = answer.value(field.name) == nil
            try expect(isAbsent, "expected_response_headers_missing", "response \(number) has \(field.name)")
        }
    }

    private func text(_ value: CacheTestScalar, of name: String) -> String {
        guard let offset = value.integer, CacheTestDate.isDate(name), let moment = answer.serverTime else {
            return value.text
        }
        return CacheTestDate.text(offset, from: moment, name: name, obsoleteDates: configuration.obsoleteDates)
    }

    private func checkBody() throws(CacheTestFailure) {
        guard configuration.checksBody ?? true else { return }
        let body = String(decoding: answer.data, as: UTF8.self)
        switch configuration.expectedText {
        case .null:
            break
        case .value(let expected):
            try expect(body == expected, "expected_response_text", "body \"\(body)\", not \"\(expected)\"")
        case .absent:
            let status = answer.response.status
            let hasBody = status != 204 && status != 304 && configuration.method != "HEAD"
            if let sent = configuration.responseBody {
                guard body == sent else { throw .setup("body \"\(body)\", not \"\(sent)\"") }
            } else if hasBody {
                guard body == uuid else { throw .setup("body \"\(body)\", not the test's") }
            }
        }
    }

    private func expect(_ isAsExpected: Bool, _ check: String, _ reason: String) throws(CacheTestFailure) {
        guard !isAsExpected else { return }
        throw configuration.failure(check, reason)
    }
}

extension CacheTestRequest {
    /// Returns a failed check, which may be about a presumption of the test only.
    func failure(_ check: String, _ reason: String) -> CacheTestFailure {
        let isPresumed = isSetup ?? false || setupChecks?.contains(check) ?? false
        return isPresumed ? .setup(reason) : .assertion(reason)
    }
}
