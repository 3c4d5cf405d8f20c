internal import CGTK
public import Halcyon

/// Knows whether bytes cost money: GIO, by NetworkManager or the portal of a sandbox, or a test.
@MainActor
protocol MeteredNetworkReporting: Sendable {
    var isMetered: Bool { get }

    /// Calls a closure after each change, for as long as the program runs.
    func onChange(_ body: @escaping @MainActor () -> Void)
}

extension NetworkMonitor {
    /// Follows what the desktop knows of the network for as long as the program runs: ``isMetered`` is what GIO's
    /// `GNetworkMonitor` says, at once and after each change. On a metered network, loads take the source for low data
    /// (``RecoveryPolicy/lowDataSource``), and those that may not use it fail.
    ///
    /// Where nothing knows, a network counts as not metered. GIO asks over D-Bus the first time. Changes come while GLib's
    /// main loop runs.
    ///
    /// ```swift
    /// NetworkMonitor.shared.followDesktop()
    /// ```
    @MainActor
    public func followDesktop() {
        follow(DesktopNetwork())
    }

    @MainActor
    func follow(_ network: some MeteredNetworkReporting) {
        isMetered = network.isMetered
        network.onChange { [weak self] in self?.isMetered = network.isMetered }
    }
}

/// A monitor of the network of GIO's.
@MainActor
struct DesktopNetwork: MeteredNetworkReporting {
    private let monitor: OpaquePointer

    /// - Parameter monitor: A `GNetworkMonitor *`, which is not retained. Default: GIO's own, which exists as long as the
    ///   process.
    init(_ monitor: OpaquePointer? = nil) {
        self.monitor = monitor ?? nonnull(g_network_monitor_get_default())
    }

    var isMetered: Bool { g_network_monitor_get_network_metered(monitor) != 0 }

    func onChange(_ body: @escaping @MainActor () -> Void) {
        onSignal(monitor, "notify::network-metered") { _ in body() }
    }
}
