package import FoundationEssentials
internal import HTTPTypes

/// How old a response is, and how old it may become, in seconds (RFC 9111, section 4.2).
package struct Freshness: Sendable, Hashable {
    package let age: Double
    package let lifetime: Double
    /// Whether the response says itself how long it is fresh.
    package let isExplicit: Bool

    package var isFresh: Bool { lifetime > age }
    /// For how long it has not been fresh any more; less than zero while it is.
    package var staleness: Double { age - lifetime }
}

extension StoredResponse {
    /// Age and lifetime.
    package func freshness(at now: Date, rules: HTTPCacheRules) -> Freshness {
        let (lifetime, isExplicit) = lifetime(rules)
        return Freshness(age: age(at: now), lifetime: lifetime, isExplicit: isExplicit)
    }

    /// When it stops being fresh, as long as nothing is known to change.
    package func freshUntil(rules: HTTPCacheRules) -> Date {
        responseTime.addingTimeInterval(lifetime(rules).seconds - initialAge)
    }

    /// Section 4.2.3. A clock that went back since the response came makes its age unknown, which is infinite here; a
    /// minute is tolerated.
    func age(at now: Date) -> Double {
        let residentTime = now.timeIntervalSince(responseTime)
        guard residentTime > -60 else { return .infinity }
        return initialAge + max(0, residentTime)
    }

    private var initialAge: Double {
        let apparentAge = max(0, responseTime.timeIntervalSince(date))
        let delay = max(0, responseTime.timeIntervalSince(requestTime))
        return max(apparentAge, ageField + delay)
    }

    /// `Date`; where it says nothing, when the response came (RFC 9110, section 6.6.1).
    var date: Date {
        headers[values: .date].first.flatMap { HTTPDate.date($0, now: responseTime) } ?? responseTime
    }

    /// Section 5.1: of a list, the first member; anything but a number is as good as none.
    private var ageField: Double {
        guard let member = FieldList.members(headers[values: .age]).first, let age = DeltaSeconds.value(member) else {
            return 0
        }
        return Double(age)
    }

    private func lifetime(_ rules: HTTPCacheRules) -> (seconds: Double, isExplicit: Bool) {
        let control = cacheControl
        switch control.maxAge {
        case .value(let seconds): return (Double(seconds), true)
        case .invalid: return (0, true)
        case .absent: break
        }
        if let text = headers[values: .expires].first {
            // What is no date has passed already (section 5.3).
            guard let expires = HTTPDate.date(text, now: responseTime) else { return (0, true) }
            return (max(0, expires.timeIntervalSince(date)), true)
        }
        return (heuristicLifetime(control, rules), false)
    }

    /// Section 4.2.2.
    private func heuristicLifetime(_ control: CacheControl, _ rules: HTTPCacheRules) -> Double {
        guard HTTPStatus.isHeuristicallyCacheable(status) || control.isPublic else { return 0 }
        if let lifetime = rules.defaultLifetime { return lifetime.inSeconds }
        guard let text = headers[values: .lastModified].first,
            let modified = HTTPDate.date(text, now: responseTime)
        else { return 0 }
        return min(max(0, date.timeIntervalSince(modified)) / 10, rules.heuristicLimit.inSeconds)
    }
}
