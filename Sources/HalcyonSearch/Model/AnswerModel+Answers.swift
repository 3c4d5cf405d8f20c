extension AnswerModel {
    /// The results of a call.
    enum Outcome: Sendable {
        /// An image: its serial number, and its appearance; `nil` for bytes as they were sent.
        case image(serial: Int, Appearance?)
        /// Pixels or bytes that are of no image.
        case unreadable(String)
        /// No image in memory.
        case none
        case cancelled
        case failure(String)
        /// The process that decoded the image ended, or had ended with the same image before, maybe in another program.
        case lost(String, isRefusal: Bool)
        /// The source, or one of several, is not allowed.
        case forbidden
    }

    /// Checks the result of a call.
    func end(_ id: Int, _ outcome: Outcome) {
        let broken = state.withLock { state -> (Finding.Rule, String)? in
            guard let activity = state.activities[id], let call = activity.call else { return nil }
            let end = state.tick()
            state.activities[id]?.end = end
            switch outcome {
            case .image(let serial, let appearance):
                let time = state.images[serial]?.time ?? 0
                let isOwn = state.images[serial]?.identity == call.identity
                state.activities[id]?.hasLoaded = isOwn && activity.isAlone && time > activity.start
                return state.check(serial, appearance, for: activity, call, resources)
            case .unreadable(let text):
                // Bytes are returned without being checked.
                if call.kind == .data, !state.failing.isDisjoint(with: call.resources) { return nil }
                return (.damagedImage, "\(call): \(text)")
            case .none:
                return nil
            case .cancelled:
                return activity.isCancelled ? nil : (.wrongCancellation, "\(call): cancelled, but not by its caller")
            case .forbidden:
                return call.identities.contains { state.forbids($0) }
                    ? nil : (.wrongError, "\(call): its source is not allowed")
            case .lost(let text, let isRefusal):
                let isAllowed = (isRefusal || state.hasLostWorkers) && call.settings?.reading == .isolated
                return isAllowed ? nil : (.wrongError, "\(call): failed, although no worker was ended: \(text)")
            case .failure(let text):
                if state.forbids(call.identity) { return (.wrongError, "\(call): failed, but not at once: \(text)") }
                if activity.isCached, activity.isAlone, state.cached.contains(call.withoutUrgency) {
                    return (.missingImage, "\(call): failed, although it is cached: \(text)")
                }
                return state.mayFail(call) ? nil : (.wrongError, "\(call): failed without a reason: \(text)")
            }
        }
        if let broken { report(broken.0, broken.1) }
    }
}

extension AnswerModel.State {
    fileprivate mutating func check(
        _ serial: Int,
        _ appearance: Appearance?,
        for activity: AnswerModel.Activity,
        _ call: Call,
        _ resources: [Program.Resource]
    ) -> (Finding.Rule, String)? {
        guard let image = images[serial] else { return (.damagedImage, "\(call): there is no image \(serial)") }
        guard image.identity == call.identity || isSubstitute(image.identity, for: call) else {
            return (.wrongImage, "\(call): answered with image \(serial), which is that of \(image.identity)")
        }
        guard !forbids(image.identity) else { return (.forbiddenSource, "\(call): answered with image \(serial)") }
        let isOwn = image.identity == call.identity
        if let appearance, !call.appearances(isLarge: resources[image.identity.resource].isLarge).contains(appearance) {
            return (.wrongVariant, "\(call): answered with image \(serial) \(appearance)")
        }
        let domain = isOwn ? call.domain : call.domainOfOthers
        if let demand = image.demand(brokenBy: call, since: activity.start, in: domain) {
            return (demand.rule, "\(call): answered with image \(serial) \(demand.reason)")
        }
        guard isOwn else { return nil }
        if image.time > activity.start, activity.isAlone, activity.isCached {
            return (.needlessLoad, "\(call): loaded as image \(serial), although it is cached")
        }
        noteRefresh(serial, image, by: activity, call, resources)
        return nil
    }

    /// Returns whether the pipeline does not allow a source.
    func forbids(_ identity: Identity) -> Bool { isUntrusted && identity.form != nil }

    /// Returns whether an image may take the place of the one that a call asks for: that of an alternative if the source
    /// has failed, or that of the low-data source over a metered network.
    private func isSubstitute(_ identity: Identity, for call: Call) -> Bool {
        guard let settings = call.settings else { return false }
        let isMetered = wasMetered && (settings.lowData != nil || settings.refusesMetered)
        let hasFailed =
            call.isBoundToCaches || forbids(call.identity) || failing.contains(call.identity.resource)
            || settings.reading == .isolated
        if isMetered, settings.lowData.map(call.identity(ofOther:)) == identity { return true }
        return (hasFailed || isMetered) && settings.alternative.map(call.identity(ofOther:)) == identity
    }

    /// Returns whether a call may fail: because of its options, or because a source that it needs has failed. Over a
    /// metered network, the low-data source may have no such frame.
    func mayFail(_ call: Call) -> Bool {
        call.isBoundToCaches || call.isContradictory || !failing.isDisjoint(with: call.resources)
            || (wasMetered && (call.settings?.lowData != nil || call.settings?.refusesMetered == true))
    }

    /// Notes that an image which a load got from its source replaces, once all have ended, what was there when the load
    /// began, in every place and form.
    private mutating func noteRefresh(
        _ serial: Int,
        _ image: AnswerModel.SentImage,
        by activity: AnswerModel.Activity,
        _ call: Call,
        _ resources: [Program.Resource]
    ) {
        guard [.task, .response, .callback].contains(call.kind), image.time > activity.start, call.storesInMemory,
            call.storesOnDisk, call.identity.body == 0, !diskHasFailed,
            !call.isExemptFromStoring, activity.start > configured, resources[call.identity.resource].policy.isStorable
        else { return }
        pending.append(
            AnswerModel.Replacement(
                rule: .olderImage,
                identity: call.identity,
                domain: call.domain,
                serial: serial,
                time: min(activity.start, image.time),
                reason: "although a load had brought image \(serial)"
            )
        )
    }
}

extension Call {
    /// Returns the appearances of the images that may answer the call.
    func appearances(isLarge: Bool) -> Set<Appearance> {
        Set(([variant] + largerPlaces.map(\.variant)).map { $0.appearance(isLarge: isLarge) })
    }
}
