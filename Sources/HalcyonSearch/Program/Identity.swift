/// The identity of an image: the parts of a request that the origin distinguishes.
struct Identity: Hashable, Codable, Sendable {
    /// The number of the URL.
    var resource = 0
    /// The user whose credential is sent; 0: none.
    var user = 0
    /// The language requested; 0: none, or the resource does not vary.
    var language = 0
    /// The body sent with POST; 0: the request is a GET.
    var body = 0
    /// The form of a source that is no server; `nil` for a URL.
    var form: SourceForm?
}

/// The sources whose bytes come from the program.
enum SourceForm: String, Codable, Sendable, CaseIterable {
    /// A closure, which returns another image each time.
    case closure
    /// A sequence, which also supplies another image each time.
    case stream
    /// A text, which is always the same image.
    case base64
    /// The text in a `data:` URL.
    case dataURL
    /// A file, which is the same image until a step replaces it.
    case file

    /// A Boolean value that indicates whether its name in caches begins with the URL of the resource.
    var isNamedByURL: Bool { self == .closure || self == .stream }
}

extension Identity: CustomStringConvertible {
    var description: String {
        var words = ["r\(resource)"]
        if user > 0 { words.append("user \(user)") }
        if language > 0 { words.append("language \(language)") }
        if body > 0 { words.append("POST \(body)") }
        if let form { words.append(form.rawValue) }
        return words.joined(separator: ", ")
    }
}
