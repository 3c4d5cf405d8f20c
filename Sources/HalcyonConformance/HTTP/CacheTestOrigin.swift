internal import Dispatch
internal import FoundationEssentials
internal import HTTPTypes
internal import HalcyonHTTP
internal import HalcyonSystem
internal import HalcyonTesting

/// The server of one test: answers each request as the test states for the one of that number.
final class CacheTestOrigin: HTTPTransport {
    /// A request that reached the server.
    struct Seen: Sendable {
        let number: Int
        let method: String
        let headers: HTTPFields
        /// The fields that were sent, as far as they are compared.
        let checkedHeaders: [(name: String, value: String)]
    }

    private struct State {
        var seen: [Seen] = []
        /// The headers of the answers given, with the dates they had.
        var sentHeaders: [Int: [(name: String, value: String)]] = [:]
    }

    private let test: CacheTest
    private let uuid: String
    private let clock: ManualStoreClock
    private let state = Lock(State())
    private let queue = DispatchQueue(label: "halcyon.cache-test-origin")

    init(_ test: CacheTest, uuid: String, clock: ManualStoreClock) {
        self.test = test
        self.uuid = uuid
        self.clock = clock
    }

    /// All requests that came, in order.
    var seen: [Seen] { state.withLock { $0.seen } }

    var cacheScope: String? { nil }

    func start(_ request: TransferRequest, receiver: any TransferReceiver) -> any Transfer {
        let transfer = ScriptedTransfer(request, receiver: receiver)
        queue.async { self.answer(transfer) }
        return transfer
    }

    private func answer(_ transfer: ScriptedTransfer) {
        let request = transfer.request
        let given = HTTPField.Name("Req-Num").flatMap { request.headers[$0] }.flatMap { Int($0) }
        let position = given ?? state.withLock { $0.seen.count } + 1
        guard test.requests.indices.contains(position - 1) else { return transfer.respondEmpty(status: 409) }
        let configuration = test.requests[position - 1]
        if let pause = configuration.responsePause { clock.advance(by: Double(pause)) }
        let now = clock.date
        let status = status(of: configuration, number: position, request: request)
        let (fields, checked) = headers(of: configuration, request: request, number: position, now: now)
        state.withLock { state in
            state.seen.append(
                Seen(
                    number: position,
                    method: request.method.rawValue,
                    headers: request.headers,
                    checkedHeaders: checked
                )
            )
        }
        if configuration.disconnects ?? false {
            return transfer.fail(.connectionLost("the test wants it so"))
        }
        transfer.respond(status: status, headers: fields)
        if status != 204, status != 304, request.method != .head {
            transfer.send(Data((configuration.responseBody ?? uuid).utf8))
        }
        transfer.finish()
    }

    /// Returns the status for a request: one that should be conditional gets 304 if it names the validators of the
    /// response before, else a status of its own.
    private func status(of configuration: CacheTestRequest, number: Int, request: TransferRequest) -> Int {
        guard configuration.expectedType?.hasSuffix("validated") ?? false else { return configuration.status }
        let previous = state.withLock { $0.sentHeaders[number - 1] } ?? []
        func previousValue(_ name: String) -> String? {
            previous.first { $0.name.lowercased() == name }?.value
        }
        let isUnmodified = request.headers[.ifModifiedSince].map { $0 == previousValue("last-modified") } ?? false
        let hasMatch = request.headers[.ifNoneMatch].map { $0 == previousValue("etag") } ?? false
        return isUnmodified || hasMatch ? 304 : 999
    }

    private func headers(
        of configuration: CacheTestRequest,
        request: TransferRequest,
        number: Int,
        now: Date
    ) -> (fields: HTTPFields, checked: [(name: String, value: String)]) {
        let base = request.url.path()
        let (count, numbers) = state.withLock { state in
            (state.seen.count + 1, (state.seen.map(\.number) + [number]).map(String.init).joined(separator: " "))
        }
        var sent: [(name: String, value: String)] = []
        var checked: [(name: String, value: String)] = []
        for field in configuration.responseHeaders ?? [] {
            let value = text(of: field, configuration, base: base, now: now)
            sent.append((field.name, value))
            if field.isChecked { checked.append((field.name, value)) }
        }
        state.withLock { $0.sentHeaders[number] = sent }
        var all: [(name: String, value: String)] = [
            ("Server-Base-Url", base), ("Server-Request-Count", String(count)),
            ("Client-Request-Count", String(number)),
            ("Server-Now", String(Int(now.timeIntervalSince1970 * 1000))),
        ]
        all += sent
        func lacks(_ name: String) -> Bool { !all.contains { $0.name.lowercased() == name } }
        if lacks("content-type") { all.append(("Content-Type", "text/plain")) }
        if lacks("date") { all.append(("Date", HTTPDate.string(now))) }
        all.append(("Request-Numbers", numbers))
        var fields = HTTPFields()
        for (name, value) in all {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        return (fields, checked)
    }

    private func text(
        of field: CacheTestField,
        _ configuration: CacheTestRequest,
        base: String,
        now: Date
    ) -> String {
        let name = field.name.lowercased()
        if let offset = field.value?.integer, CacheTestDate.isDate(name) {
            return CacheTestDate.text(offset, from: now, name: name, obsoleteDates: configuration.obsoleteDates)
        }
        let value = field.value?.text ?? ""
        guard configuration.usesMagicLocations ?? false, name == "location" || name == "content-location" else {
            return value
        }
        return value.isEmpty ? base : "\(base)/\(value)"
    }
}

extension ScriptedTransfer {
    fileprivate func respondEmpty(status: Int) {
        respond(status: status)
        finish()
    }
}
