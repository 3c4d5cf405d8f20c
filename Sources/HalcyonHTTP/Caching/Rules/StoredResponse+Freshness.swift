package import FoundationEssentials
internal import HTTPTypes

/// The age of a response, and the age up to which it is fresh, in seconds (RFC 9111, section 4.2).
package struct Freshness: Sendable, Hashable {
    package let age: Double
    package let lifetime: Double
    /// A Boolean value that indicates whether the response itself states its lifetime.
    package let isExplicit: Bool
    /// A Boolean value that indicates whether a redirect that led to it states a time that is over.
    package var isRedirectStale = false

    package var isFresh: Bool { lifetime > age }
    /// The time since it stopped being fresh; less than zero while it is.
    package var staleness: Double { age - lifetime }
}

extension StoredResponse {
    /// Returns age and lifetime.
    package func freshness(at now: Date, rules: HTTPCacheRules) -> Freshness {
        let (lifetime, isExplicit) = lifetime(rules)
        var freshness = Freshness(age: age(at: now), lifetime: lifetime, isExplicit: isExplicit)
        if rules.lifetimeOverride == nil, let redirectLifetime {
            freshness.isRedirectStale = now.timeIntervalSince(requestTime) >= Double(redirectLifetime)
        }
        return freshness
    }

    /// Returns the date at which it stops being fresh.
    package func freshUntil(rules: HTTPCacheRules) -> Date {
        responseTime.addingTimeInterval(lifetime(rules).seconds - initialAge)
    }

    /// Returns the age by section 4.2.3. A clock that went back since the response came makes its age unknown, which is
    /// infinite here; a minute is tolerated.
    func age(at now: Date) -> Double {
        let residentTime = now.timeIntervalSince(responseTime)
        guard residentTime > -60 else { return .infinity }
        return initialAge + max(0, residentTime)
    }

    private var initialAge: Double {
        let apparentAge = max(0, responseTime.timeIntervalSince(date))
        let delay = max(0, responseTime.timeIntervalSince(requestTime))
        return max(apparentAge, headers.age + delay)
    }

    /// The date of `Date`; where it says nothing, the time at which the response came (RFC 9110, section 6.6.1).
    var date: Date {
        headers.date(responseTime: responseTime)
    }

    private func lifetime(_ rules: HTTPCacheRules) -> (seconds: Double, isExplicit: Bool) {
        switch rules.lifetimeOverride {
        case .seconds(let seconds): return (initialAge + seconds, true)
        case .until(let date): return (initialAge + date.timeIntervalSince(responseTime), true)
        case nil: break
        }
        let stated = statedLifetime(rules)
        guard isRedirected else { return stated }
        // The time of redirects runs from when the request was sent. Those that state none, and those that a transport does
        // not tell of, are fresh by default.
        let delay = responseTime.timeIntervalSince(requestTime)
        let limit = redirectLifetime.map { initialAge - delay + Double($0) } ?? rules.defaultLifetime?.inSeconds ?? 0
        return stated.seconds <= limit ? stated : (limit, redirectLifetime != nil)
    }

    private func statedLifetime(_ rules: HTTPCacheRules) -> (seconds: Double, isExplicit: Bool) {
        let control = cacheControl
        if let seconds = control.explicitLifetime(headers, responseTime: responseTime) { return (seconds, true) }
        return (heuristicLifetime(control, rules), false)
    }

    /// The longest lifetime that is guessed from the last modification, in seconds: 7 days.
    static let heuristicLimit = 7 * 86_400.0

    /// Returns the lifetime that section 4.2.2 guesses.
    private func heuristicLifetime(_ control: CacheControl, _ rules: HTTPCacheRules) -> Double {
        guard HTTPStatus.isHeuristicallyCacheable(status) || control.isPublic else { return 0 }
        if let lifetime = rules.defaultLifetime { return lifetime.inSeconds }
        guard let text = headers[values: .lastModified].first,
            let modified = HTTPDate.date(text, now: responseTime)
        else { return 0 }
        return min(max(0, date.timeIntervalSince(modified)) / 10, Self.heuristicLimit)
    }
}

extension CacheControl {
    /// Returns the lifetime that a response with these directives states, in seconds: `max-age`, or else `Expires` (RFC 9111,
    /// section 4.2.1); `nil` if it states none.
    func explicitLifetime(_ headers: HTTPFields, responseTime: Date) -> Double? {
        switch maxAge {
        case .value(let seconds): return Double(seconds)
        case .invalid: return 0
        case .absent: break
        }
        guard let text = headers[values: .expires].first else { return nil }
        // A value that is no date has passed already (section 5.3).
        guard let expires = HTTPDate.date(text, now: responseTime) else { return 0 }
        return max(0, expires.timeIntervalSince(headers.date(responseTime: responseTime)))
    }
}

extension HTTPFields {
    /// Returns the date of `Date`; where it says nothing, the time at which the response came (RFC 9110, section 6.6.1).
    func date(responseTime: Date) -> Date {
        self[values: .date].first.flatMap { HTTPDate.date($0, now: responseTime) } ?? responseTime
    }

    /// The age of the field `Age`. By section 5.1, the first member of a list; anything but a number counts as none.
    var age: Double {
        FieldList.members(self[values: .age]).first.flatMap { DeltaSeconds.value($0) }.map(Double.init) ?? 0
    }
}
