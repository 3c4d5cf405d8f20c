internal import FoundationEssentials
internal import HalcyonHTTP

/// Kinds of sources, of which a pipeline loads those that its configuration allows.
///
/// A program that loads URLs of other people allows ``web`` alone, as ``ImagePipeline/Configuration/untrusted(allowing:)``
/// does: a URL of another scheme would show files of the machine, or ask whatever a provider asks. The choice holds for
/// the source of a request, for its previews, and for the sources that may take its place. Bytes that the program hands
/// over (``Source/data(_:cacheKey:)``) and hashes of placeholders lead nowhere, and are always allowed.
public struct SourceKinds: OptionSet, Sendable, Hashable {
    /// The kinds as bits.
    public let rawValue: UInt8

    /// Creates a set of kinds from their bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Servers: `http` and `https`.
    public static let web = SourceKinds(rawValue: 1 << 0)
    /// Files, their thumbnails, and videos in files: `file`.
    public static let files = SourceKinds(rawValue: 1 << 1)
    /// The bytes in a `data:` URL.
    public static let dataURLs = SourceKinds(rawValue: 1 << 2)
    /// Providers of the program, and URLs of other schemes, which a loader of the program answers.
    public static let providers = SourceKinds(rawValue: 1 << 3)
    /// All kinds.
    public static let all: SourceKinds = [.web, .files, .dataURLs, .providers]

    /// The kind of a URL.
    init(_ url: URL) {
        self =
            switch url.scheme?.lowercased() {
            case "http", "https": .web
            case "file": .files
            case "data": .dataURLs
            default: .providers
            }
    }
}

extension SourceKinds: CustomStringConvertible {
    /// The kinds in words.
    public var description: String {
        let names = [
            (SourceKinds.web, "servers"), (.files, "files"), (.dataURLs, "data URLs"), (.providers, "providers"),
        ]
        return names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}

extension Source {
    /// The kind of the source; `nil` for bytes at hand, and for a URL that names nothing. A source that a loader answers is
    /// of the kind of its URL.
    var kind: SourceKinds? {
        switch location {
        case .network: .web
        case .file, .thumbnail, .videoFile: .files
        case .provider(let provider):
            loaded?.url.map { SourceKinds($0) } ?? (provider.base is DataURL ? .dataURLs : .providers)
        case .data, .inline, .invalid: nil
        }
    }
}
