public import Halcyon

/// A pipeline with leases asks them for each result and each transfer:
///
/// ```swift
/// var configuration = ImagePipeline.Configuration(cache: cache)
/// configuration.sharing = FleetLeases(of: tier)
/// ```
extension FleetLeases: WorkSharing {}
