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
        if features.contains(.keying), chance(60) {
            if chance(40) { settings.serializer = Settings.Serializer.allCases.randomElement(using: &random) }
            // It stores the original in the place of the result, which the call would not use.
            if settings.serializer == .original, call.ignoresOriginal == true { settings.serializer = nil }
            settings.hasCodecs = chance(25)
            settings.hasTypeHint = chance(25)
            settings.isBounded = chance(25)
            if call.identity.form == nil, chance(25) { settings.signature = Int.random(in: 1...2, using: &random) }
        }
        if features.contains(.delivering), chance(60) {
            settings.hasDownloader = chance(25)
            if chance(30) { settings.durability = Settings.Durability.allCases.randomElement(using: &random) }
            settings.hasFileExtension = chance(20)
            settings.hasScale = chance(30)
            settings.hasModifier = chance(25)
            settings.includesData = chance(30)
            if chance(30) { settings.executor = Settings.Executor.allCases.randomElement(using: &random) }
        }
        if features.contains(.substituting), chance(50) {
            if chance(40) { settings.preview = otherResource(for: call) }
            if chance(50) { settings.alternative = otherResource(for: call) }
        }
        if features.contains(.metering), chance(50) { settings.lowData = otherResource(for: call) }
        return settings == Settings() ? nil : settings
    }

    /// Returns a resource that a call may load beside its own; `nil` if it may not. A call that ignores the server also
    /// ignores for which requests it says an image is.
    private mutating func otherResource(for call: Call) -> Int? {
        let number = resourceNumber()
        return call.freshness == .ignoringServer && resources[number].isVarying ? nil : number
    }
}
