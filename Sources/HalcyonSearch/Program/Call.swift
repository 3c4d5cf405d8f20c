/// A load, with its options: arguments that can be written down, compared and simplified.
struct Call: Hashable, Codable, Sendable {
    /// The functions of the pipeline.
    enum Kind: String, Codable, Sendable {
        /// `task(for:)`, which can be cancelled and re-prioritised.
        case task
        /// `response(for:)`, within a Swift task.
        case response
        /// `data(for:)`: the encoded bytes.
        case data
        /// `responseFromMemory(for:)`.
        case memory
        /// `encoded(for:as:)`: the processed image as a PNG.
        case encoded
        /// `loadImage(with:)`, which calls back.
        case callback
        /// `task(for:)`, in the place of the one before, as in a view.
        case superseding
    }

    /// The places of the user's credential.
    enum Carrier: String, Codable, Sendable {
        /// `Authorization` in the request.
        case request
        /// `Authorization` in the options.
        case options
        /// `Cookie` in the request.
        case cookie
        /// `TransferRequest.credential`.
        case credential
        /// `Cookie` in the options.
        case cookieOption

        /// A Boolean value that indicates whether the options have the credential, so that every source of a load gets
        /// it.
        var isOption: Bool { self == .options || self == .cookieOption }
    }

    /// Returns calls for an image whose removal leaves none of it in any cache: one for each audience.
    static func covering(_ identity: Identity, _ variant: Variant) -> [Call] {
        let plain = Call(identity: identity, variant: variant)
        var named = plain
        named.settings = Settings(hasNamedScope: true)
        guard identity.user > 0 else { return [plain, named] }
        return [Carrier.request, .cookie, .credential].map { carrier in
            var call = plain
            call.carrier = carrier
            return call
        } + [named]
    }

    enum Reads: String, Codable, Sendable {
        case all, memory, none, disk
    }

    enum Freshness: String, Codable, Sendable {
        case server, ignoringServer, never, minute
    }

    var kind = Kind.task
    var identity = Identity()
    var carrier = Carrier.request
    var variant = Variant()
    var reads = Reads.all
    var storesInMemory = true
    var storesOnDisk = true
    var storesOriginal = false
    /// `true` if a processed image is not made of the original on disk; `nil` for the default.
    var ignoresOriginal: Bool?
    var waitsForStore = false
    var freshness = Freshness.server
    var revalidates = false
    var isOffline = false
    /// The priority, 0…4.
    var priority = 2
    /// A Boolean value that indicates whether the caller waits for the result before it goes on.
    var isAwaited = false
    /// `true` if the other pipeline over the same caches is called; `nil` for the first.
    var isOfOtherPipeline: Bool?
    /// The other options; `nil` for the defaults.
    var settings: Settings?
}

extension Call {
    /// The call without the parts that do not change which answers are allowed.
    var withoutUrgency: Call {
        var call = self
        call.priority = 2
        call.isAwaited = false
        call.isOfOtherPipeline = nil
        if call.kind == .response || call.kind == .callback { call.kind = .task }
        call.settings?.executor = nil
        call.settings?.spelling = nil
        if call.settings == Settings() { call.settings = nil }
        return call
    }
}

extension Call: CustomStringConvertible {
    var description: String {
        var words = ["\(identity)"]
        if identity.user > 0, carrier != .request { words.append("credential in \(carrier.rawValue)") }
        if variant != Variant() { words.append("\(variant)") }
        if reads != .all { words.append("reads \(reads.rawValue)") }
        if !storesInMemory { words.append("not into memory") }
        if !storesOnDisk { words.append("not onto disk") }
        if storesOriginal { words.append("stores original") }
        if ignoresOriginal == true { words.append("ignores stored original") }
        if waitsForStore { words.append("waits for store") }
        if freshness != .server { words.append("freshness \(freshness.rawValue)") }
        if revalidates { words.append("revalidates") }
        if isOffline { words.append("only from cache") }
        if priority != 2 { words.append("priority \(priority)") }
        if isOfOtherPipeline == true { words.append("in the other pipeline") }
        if let settings { words.append("\(settings)") }
        return (isAwaited ? "await " : "") + "\(kind.rawValue)(\(words.joined(separator: "; ")))"
    }
}
