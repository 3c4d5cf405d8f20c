/// The name under which caches keep what is made of an original.
struct Place: Hashable, Sendable {
    var variant = Variant()
    var serializer: Settings.Serializer?
    var hasCodecs = false
    var hasTypeHint = false
    var isBounded = false
    var reading: Settings.Reading?
}

/// The requests that an image answers: caches keep the images of each apart.
enum Audience: String, Codable, Sendable {
    /// Those with the same `Authorization`, or with no credential.
    case authorization
    /// Those with the same `Cookie`.
    case cookie
    /// Those with the same `TransferRequest.credential`.
    case credential
    /// Those whose scope has the name of the user.
    case named
}

extension Call {
    /// The name under which caches keep the image that the call asks for.
    var place: Place { place(of: variant) }

    /// The names under which memory keeps images that may answer the call as well.
    var largerPlaces: [Place] {
        settings?.isInexact == true && kind != .encoded && kind != .data ? variant.largerVariants.map(place(of:)) : []
    }

    private func place(of variant: Variant) -> Place {
        Place(
            variant: variant,
            // An unprocessed image is stored as it came.
            serializer: variant.isUnprocessed ? nil : settings?.serializer,
            hasCodecs: settings?.hasCodecs ?? false,
            hasTypeHint: settings?.hasTypeHint ?? false,
            isBounded: settings?.isBounded ?? false,
            reading: settings?.reading
        )
    }

    /// The requests that the image answers, as far as caches tell them apart: the pipeline does not know that
    /// credentials of several kinds are of the same user.
    var audience: Audience {
        if settings?.hasNamedScope == true { return .named }
        guard identity.user > 0 else { return .authorization }
        switch carrier {
        case .request, .options: return .authorization
        case .cookie, .cookieOption: return .cookie
        case .credential: return .credential
        }
    }

    /// The same for the image of another source, which carries no credential of its own.
    var audienceOfOthers: Audience {
        settings?.hasNamedScope == true || carrier.isOption ? audience : .authorization
    }

    /// The resources that the call may load.
    var resources: Set<Int> { (settings?.others ?? []).union([identity.resource]) }

    /// A Boolean value that indicates whether the image has the animation that its file has.
    var isAnimated: Bool {
        let reading = settings?.reading
        return variant.frame == 0 && reading != .firstFrame
            && (variant.isUnprocessed || kind == .encoded || reading?.processesAllFrames == true)
    }

    /// A Boolean value that indicates whether its loads may go on after its result.
    var lingers: Bool { settings?.preview != nil }

    /// A Boolean value that indicates whether no request may be sent for the call. A forced refresh goes before a load
    /// from caches alone, unless it stores nothing, which contradicts it.
    var isBoundToCaches: Bool {
        guard isOffline else { return false }
        return reads != .none || identity.form != nil || (!storesInMemory && !storesOnDisk)
    }

    /// A Boolean value that indicates whether its options contradict each other.
    var isContradictory: Bool { settings?.serializer == .original && ignoresOriginal == true }

    /// A Boolean value that indicates whether the model demands nothing of what the call stores: hooks may keep it from
    /// being stored.
    var isExemptFromStoring: Bool { settings?.hook != nil }

    /// Returns the identity of an image of another resource that the call loads: only a credential in the options
    /// concerns it.
    func identity(ofOther resource: Int) -> Identity {
        Identity(resource: resource, user: carrier.isOption ? identity.user : 0, form: settings?.otherForm)
    }

    /// The identities of the images that the call may load.
    var identities: [Identity] { [identity] + (settings?.others ?? []).sorted().map(identity(ofOther:)) }
}
