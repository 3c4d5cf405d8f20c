/// The options of a call that few programs use.
struct Settings: Hashable, Codable, Sendable {
    enum Serializer: String, Codable, Sendable, CaseIterable {
        case png, original, program
    }

    enum Executor: String, Codable, Sendable, CaseIterable {
        case calling, queue
    }

    enum Durability: String, Codable, Sendable, CaseIterable {
        case none, normal, full
    }

    // These are part of the name under which caches keep an image.
    var serializer: Serializer?
    /// A Boolean value that indicates whether the call has codecs of its own, which do the same as all others.
    var hasCodecs = false
    var hasTypeHint = false
    /// A Boolean value that indicates whether larger images than there are would be scaled down.
    var isBounded = false

    // These are not.
    var hasDownloader = false
    /// The signature in the address, which a rule of the program leaves out of the name; `nil` for none.
    var signature: Int?
    var durability: Durability?
    var hasFileExtension = false
    var hasScale = false
    var hasModifier = false
    var includesData = false
    var executor: Executor?

    // These name other resources.
    /// The resource of a preview.
    var preview: Int?
    /// The resource that takes the place of one that fails.
    var alternative: Int?
    /// The resource that takes the place of one over a metered network.
    var lowData: Int?

    /// The scale of the images that are delivered.
    var deliveredScale: Double { hasModifier ? 3 : hasScale ? 2 : 1 }

    /// The resources that the call may load beside its own.
    var others: Set<Int> { Set([preview, alternative, lowData].compactMap(\.self)) }
}

extension Settings: CustomStringConvertible {
    var description: String {
        var words: [String] = []
        if let serializer { words.append("serializer \(serializer.rawValue)") }
        if hasCodecs { words.append("own codecs") }
        if hasTypeHint { words.append("type hint") }
        if isBounded { words.append("scales large images down") }
        if hasDownloader { words.append("own downloader") }
        if let signature { words.append("signature \(signature)") }
        if let durability { words.append("durability \(durability.rawValue)") }
        if hasFileExtension { words.append("file extension") }
        if hasScale { words.append("scale 2") }
        if hasModifier { words.append("image modifier") }
        if includesData { words.append("with original data") }
        if let executor { words.append("calls back on \(executor.rawValue)") }
        if let preview { words.append("preview r\(preview)") }
        if let alternative { words.append("or else r\(alternative)") }
        if let lowData { words.append("metered: r\(lowData)") }
        return words.joined(separator: "; ")
    }
}

/// The name under which caches keep what is made of an original.
struct Place: Hashable, Sendable {
    var variant = Variant()
    var serializer: Settings.Serializer?
    var hasCodecs = false
    var hasTypeHint = false
    var isBounded = false
}

extension Call {
    /// The name under which caches keep the image that the call asks for.
    var place: Place {
        Place(
            variant: variant,
            // An unprocessed image is stored as it came.
            serializer: variant.isUnprocessed ? nil : settings?.serializer,
            hasCodecs: settings?.hasCodecs ?? false,
            hasTypeHint: settings?.hasTypeHint ?? false,
            isBounded: settings?.isBounded ?? false
        )
    }

    /// The resources that the call may load.
    var resources: Set<Int> { (settings?.others ?? []).union([identity.resource]) }

    /// A Boolean value that indicates whether its loads may go on after its result.
    var lingers: Bool { kind == .slot || settings?.preview != nil }

    /// A Boolean value that indicates whether no request may be sent for the call. A forced refresh goes before a load
    /// from caches alone, unless it stores nothing, which contradicts it.
    var isBoundToCaches: Bool {
        guard isOffline else { return false }
        return reads != .none || identity.form != nil || (!storesInMemory && !storesOnDisk)
    }

    /// A Boolean value that indicates whether its options contradict each other.
    var isContradictory: Bool { settings?.serializer == .original && ignoresOriginal == true }

    /// Returns the identity of an image of another resource that the call loads: only a credential in the options
    /// concerns it.
    func identity(ofOther resource: Int) -> Identity {
        Identity(resource: resource, user: carrier == .options ? identity.user : 0)
    }
}
