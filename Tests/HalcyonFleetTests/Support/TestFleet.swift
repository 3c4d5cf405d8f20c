import FoundationEssentials
import HalcyonStore
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import HalcyonFleet

/// Machines of a test that share an engine.
struct TestFleet {
    /// The same for all machines of a test.
    static func secret(_ text: String = "a secret of sixteen bytes or more") throws -> FleetSecret {
        try #require(FleetSecret(text.utf8))
    }

    /// An engine whose calls have time enough on a busy machine.
    static func engine(_ url: String, deadline: Duration = .seconds(5)) throws -> FleetEngine {
        var configuration = try FleetEngine.Configuration(url)
        configuration.deadline = deadline
        configuration.changeDeadline = deadline
        return FleetEngine(configuration)
    }

    /// The tier of one machine.
    static func tier(
        _ url: String,
        deadline: Duration = .seconds(5),
        clock: StoreClock = .system,
        unit: Double = 1,
        listens: Bool = true,
        _ change: (inout SharedTier.Configuration) -> Void = { _ in }
    ) throws -> SharedTier {
        var configuration = SharedTier.Configuration()
        configuration.storesFirst = true
        change(&configuration)
        return SharedTier(
            try engine(url, deadline: deadline),
            secret: try secret(),
            configuration: configuration,
            clock: clock,
            listens: listens,
            randomUnit: { unit }
        )
    }
}

extension SharedTier {
    /// Returns the entry of a key; `nil` if there is none, or the engine cannot be asked.
    func found(_ key: CacheKey) async -> TierEntry? {
        if case .hit(let entry) = await entry(for: key, extending: .none, TierCall()) { entry } else { nil }
    }
}

extension TierEntry {
    /// An entry as the cache stores it.
    static func original(_ bytes: [UInt8], expiration: Expiration? = nil) -> TierEntry {
        TierEntry(body: Data(bytes), expiration: expiration, digest: Checksum.hash(of: Data(bytes)))
    }
}
