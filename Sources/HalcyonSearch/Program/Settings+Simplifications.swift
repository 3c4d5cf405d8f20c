extension Settings {
    /// The settings with one option less each.
    var simplifications: [Settings] {
        let plain = Settings()
        var simpler: [Settings] = []
        func add<Value: Equatable>(_ path: WritableKeyPath<Settings, Value>) {
            guard self[keyPath: path] != plain[keyPath: path] else { return }
            var settings = self
            settings[keyPath: path] = plain[keyPath: path]
            simpler.append(settings)
        }
        add(\.serializer)
        add(\.hasCodecs)
        add(\.hasTypeHint)
        add(\.isBounded)
        add(\.reading)
        add(\.caches)
        add(\.hasNamedScope)
        add(\.hasDownloader)
        add(\.signature)
        add(\.spelling)
        add(\.durability)
        add(\.hasScale)
        add(\.hasModifier)
        add(\.includesData)
        add(\.executor)
        add(\.isInexact)
        add(\.isObserved)
        add(\.hasWorkers)
        add(\.lifetime)
        add(\.staleIfError)
        add(\.bound)
        add(\.hook)
        add(\.retries)
        add(\.refusesMetered)
        add(\.preview)
        add(\.alternative)
        add(\.lowData)
        add(\.otherForm)
        return simpler
    }
}
