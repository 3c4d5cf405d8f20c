extension ImageOptions {
    /// Returns these options with changes, applied in their order.
    public func applying(_ changes: [ImageOption]) -> ImageOptions {
        var options = self
        options.apply(changes)
        return options
    }

    mutating func apply(_ changes: [ImageOption]) {
        for change in changes {
            switch change.change {
            case .custom(let closure):
                makeUnique()
                let custom = CustomChange(fields: storage.fields, changes: storage.recentChanges, closure: closure)
                storage.fields = closure.outcome(on: custom.fields)
                storage.fields.values.markNoneRecent()
                storage.noteChange(of: ImageOptionFields.all.differences(between: custom.fields, and: storage.fields))
                storage.customChanges.append(custom)
                storage.recentChanges = []
            case .fields(let fields, let apply):
                makeUnique()
                apply(&storage.fields)
                storage.noteChange(of: fields)
            }
        }
    }

    /// Returns these options with the fields that they leave open filled from others, and the values of the program's own
    /// for the keys that they leave open.
    package func filled(from defaults: ImageOptions) -> ImageOptions {
        if isStandard { return defaults }
        if !storage.customChanges.isEmpty { return reapplied(to: defaults) }
        let open = defaults.storage.changes.subtracting(storage.changes)
        let values = storage.fields.values.filled(from: defaults.storage.fields.values)
        if open.isEmpty, values == storage.fields.values { return self }
        var fields = storage.fields
        var rest = open
        // A group of which nothing is set is copied whole, which takes a fraction of the time.
        func copyGroup<Group>(_ group: ImageOptionFields, _ path: WritableKeyPath<Fields, Group>) {
            guard storage.changes.isDisjoint(with: group), !rest.isDisjoint(with: group) else { return }
            fields[keyPath: path] = defaults.storage.fields[keyPath: path]
            rest.subtract(group)
        }
        copyGroup(.cache, \.cache)
        copyGroup(.network, \.network)
        copyGroup(.decode, \.decode)
        copyGroup(.recovery, \.recovery)
        copyGroup(.delivery, \.delivery)
        rest.copy(from: defaults.storage.fields, to: &fields)
        fields.values = values
        var options = self
        options.storage = Storage(fields, storage.changes.union(open))
        return options
    }

    /// Returns the same options without the program's own changes, whose outcome stays. So nothing is applied twice to
    /// options that are derived from these.
    func settled() -> ImageOptions {
        if storage.customChanges.isEmpty { return self }
        var options = self
        options.storage = Storage(storage.fields, storage.changes)
        return options
    }

    /// Returns the options that these changes make of others. All of their fields are set.
    private func reapplied(to defaults: ImageOptions) -> ImageOptions {
        var fields = defaults.storage.fields
        for change in storage.customChanges {
            change.changes.copy(from: change.fields, to: &fields)
            fields = change.closure.outcome(on: fields)
        }
        storage.recentChanges.copy(from: storage.fields, to: &fields)
        var options = self
        options.storage = Storage(fields, .all)
        return options
    }
}

extension IdentifiedClosure<@Sendable (inout ImageOptions) -> Void> {
    /// Returns the fields that the closure makes of others.
    fileprivate func outcome(on fields: ImageOptions.Fields) -> ImageOptions.Fields {
        var options = ImageOptions(fields)
        function(&options)
        return options.fields
    }
}
