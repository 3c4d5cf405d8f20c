extension AnswerModel {
    /// A part of the caches: images in one are unknown in every other.
    struct Domain: Hashable, Sendable {
        var audience = Audience.authorization
        /// The caches that options name; `nil` for that of the pipeline.
        var caches: Settings.Caches?
    }

    /// A demand that calls that begin after its time are not answered with the image.
    struct Demand {
        let rule: Finding.Rule
        /// The domain that is concerned; `nil`: all are.
        var domain: Domain?
        let time: Int
        let reason: String
    }

    /// An image that replaces all that began before.
    struct Replacement {
        let rule: Finding.Rule
        let identity: Identity
        let domain: Domain
        let serial: Int
        let time: Int
        let reason: String
    }
}

extension Call {
    /// The domain of its image.
    var domain: AnswerModel.Domain { AnswerModel.Domain(audience: audience, caches: settings?.caches) }

    /// The domain of the images of other sources that it loads.
    var domainOfOthers: AnswerModel.Domain {
        AnswerModel.Domain(audience: audienceOfOthers, caches: settings?.caches)
    }
}

extension AnswerModel.SentImage {
    /// Returns a demand that an answer to a call with this image breaks; `nil` if there is none.
    func demand(brokenBy call: Call, since start: Int, in domain: AnswerModel.Domain) -> AnswerModel.Demand? {
        // Memory alone answers with the file as it was examined last.
        if call.kind == .memory, identity.form == .file { return nil }
        return demands.first { demand in
            demand.time < start && (demand.domain == nil || demand.domain == domain)
        }
    }
}

extension AnswerModel.State {
    /// Notes that older images may come back from now on.
    mutating func forgetReplacements() {
        pending = []
        for serial in images.keys { images[serial]?.demands.removeAll { $0.rule == .olderImage } }
    }

    mutating func demand(_ replacement: AnswerModel.Replacement, from now: Int) {
        for serial in images.keys where serial != replacement.serial {
            guard let image = images[serial], image.identity == replacement.identity, !image.isFixed,
                image.time < replacement.time, image.validated < replacement.time
            else { continue }
            images[serial]?.demands.append(
                AnswerModel.Demand(
                    rule: replacement.rule,
                    domain: replacement.domain,
                    time: now,
                    reason: replacement.reason
                )
            )
        }
    }
}
