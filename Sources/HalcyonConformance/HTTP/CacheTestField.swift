/// A value in the tests' JSON.
enum CacheTestScalar: Decodable, Sendable {
    case string(String)
    case integer(Int)
    case boolean(Bool)

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else {
            self = .string(try container.decode(String.self))
        }
    }

    var integer: Int? {
        if case .integer(let value) = self { value } else { nil }
    }

    var text: String {
        switch self {
        case .string(let value): value
        case .integer(let value): String(value)
        case .boolean(let value): String(value)
        }
    }
}

/// A header in the tests' JSON: a name, or a name with a value and sometimes a third element.
struct CacheTestField: Decodable, Sendable {
    let name: String
    var value: CacheTestScalar?
    let third: CacheTestScalar?

    init(from decoder: any Decoder) throws {
        if let name = try? decoder.singleValueContainer().decode(String.self) {
            (self.name, value, third) = (name, nil, nil)
            return
        }
        let parts = try decoder.singleValueContainer().decode([CacheTestScalar].self)
        guard let first = parts.first else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "a header without a name")
            )
        }
        name = first.text
        value = parts.count > 1 ? parts[1] : nil
        third = parts.count > 2 ? parts[2] : nil
    }

    /// A Boolean value that indicates whether the value that is sent is compared with what the client gets.
    var isChecked: Bool {
        if case .boolean(false) = third { false } else { true }
    }
}

/// A member that may be absent, or null, or have a value, which mean different things.
enum CacheTestOptional<Value: Decodable & Sendable>: Decodable, Sendable {
    case absent
    case null
    case value(Value)

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        self = container.decodeNil() ? .null : .value(try container.decode(Value.self))
    }
}

extension KeyedDecodingContainer {
    /// Decodes a member that may be absent. The synthesised initialisers find this in place of the function that
    /// demands the member.
    func decode<Value>(
        _: CacheTestOptional<Value>.Type,
        forKey key: Key
    ) throws -> CacheTestOptional<Value> {
        guard contains(key) else { return .absent }
        return try decodeNil(forKey: key) ? .null : .value(decode(Value.self, forKey: key))
    }
}
