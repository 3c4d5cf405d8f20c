internal import FoundationEssentials
internal import HTTPTypes

extension StoredResponse {
    /// Whether a request has the same as the one that this response answered in all fields that `Vary` names (RFC 9111,
    /// section 4.1).
    package func matches(_ request: TransferRequest) -> Bool {
        selectingFields.allSatisfy { $0.value == Self.selectingValue($0.name, of: request) }
    }

    /// Whether what is served depends on the request's headers.
    package var isVarying: Bool { !selectingFields.isEmpty }

    /// Tells this representation from others of the same URL: the fields that chose it, with what the request had.
    package var representation: String {
        // No field has a line break in its value.
        let fields = selectingFields.map { field in
            field.value.map { "\(field.name.canonicalName):\($0)" } ?? field.name.canonicalName
        }
        return fields.sorted().joined(separator: "\n")
    }

    /// More names than this are not stored: nobody who means it sends so many.
    private static let maximumFieldCount = 64

    /// The fields that `Vary` names as the request had them; `nil` if no later request could match.
    static func selectingFields(of request: TransferRequest, vary headers: HTTPFields) -> [SelectingField]? {
        let members = FieldList.members(headers[values: .vary])
        guard members.count <= maximumFieldCount else { return nil }
        var fields: [SelectingField] = []
        for member in members {
            // "*", or what is no name: what it depends on is not known.
            guard let name = HTTPField.Name(String(member)), member != "*" else { return nil }
            let value = selectingValue(name, of: request)
            // What proves who someone is must not lie on a disk, and could not be compared otherwise.
            if value != nil, secretFields.contains(name) || value == Self.credentialMark { return nil }
            let field = SelectingField(name: name, value: value)
            if !fields.contains(field) { fields.append(field) }
        }
        return fields
    }

    private static let secretFields: Set<HTTPField.Name> = [.authorization, .cookie, .proxyAuthorization]
    /// Stands for a credential, which becomes a header only in the transport. No field has a line break in it.
    private static let credentialMark = "\n"

    private static func selectingValue(_ name: HTTPField.Name, of request: TransferRequest) -> String? {
        if name == .authorization, request.credential != nil { return credentialMark }
        let lines = request.headers[values: name]
        guard !lines.isEmpty else { return nil }
        // Section 4.1 lets white space around list members differ, and the case of what has no case.
        let value = FieldList.members(lines).joined(separator: ",")
        return caselessFields.contains(name) ? value.lowercased() : value
    }

    /// Language tags, content codings and character sets have no case.
    private static let caselessFields: Set<HTTPField.Name> = Set(
        ["Accept-Language", "Accept-Encoding", "Accept-Charset"].compactMap { HTTPField.Name($0) }
    )
}
