internal import HalcyonTesting

extension ProgramGenerator {
    /// Returns the call with a source of the program. Credentials, languages and bodies are for servers.
    mutating func provided(_ call: Call) -> Call {
        var call = call
        let form = SourceForm.allCases.randomElement(using: &random)
        call.identity = Identity(resource: call.identity.resource, form: form)
        call.carrier = .request
        return call
    }

    /// Returns the other options of a call; `nil` if it has none.
    mutating func settings(for call: Call) -> Settings? {
        var settings = Settings()
        if features.contains(.keying), chance(60) { addNaming(to: &settings, of: call) }
        if features.contains(.animating), chance(60) {
            settings.reading = Settings.Reading.ofFrames.randomElement(using: &random)
        }
        if features.contains(.killing), chance(60) { settings.reading = .isolated }
        if features.contains(.spelling), chance(60) {
            settings.spelling = Settings.Spelling.allCases.randomElement(using: &random)
        }
        if features.contains(.delivering), chance(60) { addDelivery(to: &settings) }
        if features.contains(.hooking), chance(60) { addTransfers(to: &settings) }
        if features.contains(.separating), chance(30) {
            settings.caches = Settings.Caches.allCases.randomElement(using: &random)
        }
        if features.contains(.observing) { settings.isObserved = chance(40) }
        if features.contains(.sizing), call.variant.targetWidth != nil { settings.isInexact = chance(40) }
        if features.contains(.substituting), chance(50) {
            if chance(40) { settings.preview = otherResource(for: call) }
            if chance(50) { settings.alternative = otherResource(for: call) }
        }
        if features.contains(.metering), chance(50) {
            if chance(75) { settings.lowData = otherResource(for: call) } else { settings.refusesMetered = true }
        }
        // Credentials are for servers.
        if features.contains(.providing), !settings.others.isEmpty, !call.carrier.isOption, chance(40) {
            settings.otherForm = SourceForm.allCases.randomElement(using: &random)
        }
        // The scope would be that of the user for other sources as well, which get no credential.
        if features.contains(.users), call.identity.form == nil, settings.others.isEmpty {
            settings.hasNamedScope = chance(15)
        }
        return settings == Settings() ? nil : settings
    }

    private mutating func addNaming(to settings: inout Settings, of call: Call) {
        if chance(40) { settings.serializer = Settings.Serializer.allCases.randomElement(using: &random) }
        // It stores the original in the place of the result, which the call would not use.
        if settings.serializer == .original, call.ignoresOriginal == true { settings.serializer = nil }
        settings.hasCodecs = chance(25)
        settings.hasTypeHint = chance(25)
        settings.isBounded = chance(25)
        if chance(25) { settings.reading = Settings.Reading.allCases.randomElement(using: &random) }
        if call.identity.form == nil, chance(25) { settings.signature = Int.random(in: 1...2, using: &random) }
    }

    private mutating func addDelivery(to settings: inout Settings) {
        settings.hasDownloader = chance(25)
        if chance(30) { settings.durability = Settings.Durability.allCases.randomElement(using: &random) }
        settings.hasScale = chance(30)
        settings.hasModifier = chance(25)
        settings.includesData = chance(30)
        if chance(30) { settings.executor = Settings.Executor.allCases.randomElement(using: &random) }
        settings.hasWorkers = chance(20)
        if chance(20) { settings.lifetime = Settings.Lifetime.allCases.randomElement(using: &random) }
    }

    private mutating func addTransfers(to settings: inout Settings) {
        if chance(40) { settings.hook = Settings.Hook.allCases.randomElement(using: &random) }
        if chance(30) { settings.bound = Settings.Bound.allCases.randomElement(using: &random) }
        if chance(30) { settings.staleIfError = Settings.StaleIfError.allCases.randomElement(using: &random) }
        settings.retries = chance(30)
    }

    /// Returns a resource that a call may load beside its own; `nil` if it may not. A call that ignores the server also
    /// ignores for which requests it says an image is.
    private mutating func otherResource(for call: Call) -> Int? {
        let number = resourceNumber()
        return call.freshness == .ignoringServer && resources[number].isVarying ? nil : number
    }
}
