internal import FoundationEssentials
internal import HTTPTypes

extension StoredResponse {
    /// Returns whether a request equals the one that this response answered in all fields that `Vary` names (RFC 9111,
    /// section 4.1).
    package func matches(_ request: TransferRequest) -> Bool {
        selectingFields.allSatisfy { $0.value == Self.selectingValue($0.name, of: request) }
    }

    /// A Boolean value that indicates whether the response depends on the request's headers.
    package var isVarying: Bool { !selectingFields.isEmpty }

    /// The text that distinguishes this representation from others of the same URL: the fields that selected it, with
    /// the values of the request.
    package var representation: String {
        // No field has a line break in its value.
        let fields = selectingFields.map { field in
            field.value.map { "\(field.name.canonicalName):\($0)" } ?? field.name.canonicalName
        }
        return fields.sorted().joined(separator: "\n")
    }

    /// The number of names above which a response is not stored: an honest server sends fewer.
    private static let maximumFieldCount = 64

    /// Returns the fields that `Vary` names with their values in the request; `nil` if no later request could match.
    static func selectingFields(of request: TransferRequest, vary headers: HTTPFields) -> [SelectingField]? {
        let members = FieldList.members(headers[values: .vary])
        guard members.count <= maximumFieldCount else { return nil }
        var fields: [SelectingField] = []
        for member in members {
            // "*", or a member that is no name: the fields that the response depends on are not known.
            guard let name = HTTPField.Name(String(member)), member != "*" else { return nil }
            let value = selectingValue(name, of: request)
            // A value that proves an identity must not lie on a disk, and could not be compared otherwise.
            if value != nil, secretFields.contains(name) || value == Self.credentialMark { return nil }
            let field = SelectingField(name: name, value: value)
            if !fields.contains(field) { fields.append(field) }
        }
        return fields
    }

    private static let secretFields: Set<HTTPField.Name> = [.authorization, .cookie, .proxyAuthorization]
    /// The mark of a credential or cookie, which becomes a header only in the transport. No field has a line break in it.
    private static let credentialMark = "\n"

    private static func selectingValue(_ name: HTTPField.Name, of request: TransferRequest) -> String? {
        if name == .authorization, request.credential != nil { return credentialMark }
        if name == .cookie, request.takesStoredCookies { return credentialMark }
        let lines = request.headers[values: name]
        guard !lines.isEmpty else { return nil }
        // Section 4.1 lets white space around list members differ, and the case of values without case.
        let value = FieldList.members(lines).joined(separator: ",")
        return caselessFields.contains(name) ? value.lowercased() : value
    }

    /// The fields without case: language tags, content codings and character sets.
    private static let caselessFields: Set<HTTPField.Name> = Set(
        ["Accept-Language", "Accept-Encoding", "Accept-Charset"].compactMap { HTTPField.Name($0) }
    )
}
