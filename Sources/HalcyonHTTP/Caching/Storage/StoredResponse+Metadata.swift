package import FoundationEssentials
internal import HTTPTypes

extension StoredResponse {
    /// The response as bytes to lie beside its body: some hundred for an ordinary one.
    ///
    /// Version 1: the bytes "HR" and 1; then as numbers the status, 0 without redirects, 1 with redirects that state no
    /// lifetime, else their lifetime plus 2, the two times in milliseconds since 1970, at most 2⁵⁰ before or after, the URL
    /// as text, the count of headers with a name and a value each, and the count of selecting fields with a name, 1 and
    /// a value, or a name and 0. A number is written in
    /// groups of 7 bits, the lowest first, each but the last with its top bit set, and a signed one with its sign in the
    /// lowest bit; text is preceded by its length.
    package var metadata: Data {
        var writer = MetadataWriter()
        writer.append(contentsOf: Self.signature)
        writer.append(status)
        writer.append(isRedirected ? redirectLifetime.map { $0 + 2 } ?? 1 : 0)
        writer.append(signed: Self.milliseconds(requestTime))
        writer.append(signed: Self.milliseconds(responseTime))
        writer.append(url.absoluteString.utf8)
        writer.append(headers.count)
        for field in headers {
            writer.append(field.name.rawName.utf8)
            field.withUnsafeBytesOfValue { writer.append($0) }
        }
        writer.append(selectingFields.count)
        for field in selectingFields {
            writer.append(field.name.rawName.utf8)
            writer.append(field.value == nil ? 0 : 1)
            if let value = field.value { writer.append(value.utf8) }
        }
        return Data(writer.bytes)
    }

    /// Creates the response that ``metadata`` was made of; `nil` for any other bytes.
    ///
    /// - Parameter isShared: `true` where the cache that reads it answers many users, whoever has stored it. Default: `false`.
    package init?(metadata: Data, isShared: Bool = false) {
        var reader = MetadataReader(metadata)
        guard reader.take(Self.signature), let status = reader.number(),
            (100...999).contains(status),
            let redirects = reader.number(), (0...DeltaSeconds.maximum + 2).contains(redirects),
            let requestTime = reader.signedNumber().flatMap(Self.date),
            let responseTime = reader.signedNumber().flatMap(Self.date),
            let url = reader.bytes().flatMap({ URL(string: String(decoding: $0, as: UTF8.self)) }),
            let headerCount = reader.count(bytesEach: 2)
        else { return nil }
        self.status = status
        isRedirected = redirects > 0
        redirectLifetime = redirects > 1 ? redirects - 2 : nil
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.url = url
        headers = [:]
        headers.reserveCapacity(headerCount)
        for _ in 0..<headerCount {
            guard let name = reader.name(), let value = reader.bytes() else { return nil }
            headers.append(HTTPField(name: name, value: value))
        }
        guard let selectingCount = reader.count(bytesEach: 2) else { return nil }
        selectingFields = []
        selectingFields.reserveCapacity(selectingCount)
        for _ in 0..<selectingCount {
            guard let name = reader.name(), let isPresent = reader.number(), isPresent <= 1 else { return nil }
            guard isPresent == 1 else {
                selectingFields.append(SelectingField(name: name, value: nil))
                continue
            }
            guard let value = reader.bytes() else { return nil }
            selectingFields.append(SelectingField(name: name, value: String(decoding: value, as: UTF8.self)))
        }
        guard reader.isAtEnd else { return nil }
        self.isShared = isShared
    }

    private static let signature: [UInt8] = [UInt8(ascii: "H"), UInt8(ascii: "R"), 1]

    /// The limit of dates in milliseconds, 35,000 years. No clock shows a later one, and beyond 51 bits `Date`, which
    /// counts seconds, does not tell each millisecond from the next, so that a time would not be read as it was written.
    private static let millisecondLimit = 1 << 50

    /// Returns the number for a date; beyond the limit, that of the limit.
    private static func milliseconds(_ date: Date) -> Int {
        let value = (date.timeIntervalSince1970 * 1000).rounded()
        // Not so for a date that is not a number either.
        guard value > -Double(millisecondLimit) else { return -millisecondLimit }
        return Int(min(value, Double(millisecondLimit)))
    }

    /// Returns the date of a number; `nil` beyond the limit.
    private static func date(_ milliseconds: Int) -> Date? {
        guard (-millisecondLimit...millisecondLimit).contains(milliseconds) else { return nil }
        return Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    }
}
