#if GTK
import Halcyon
import XCTest

@testable import HalcyonGTK

/// What the desktop knows of the network.
@MainActor
final class DesktopNetworkTests: XCTestCase {
    private final class Network: MeteredNetworkReporting {
        var isMetered = true {
            didSet { handler() }
        }
        private var handler: @MainActor () -> Void = {}

        func onChange(_ body: @escaping @MainActor () -> Void) { handler = body }
    }

    func testMonitorFollowsTheDesktop() async {
        let network = Network()
        let monitor = NetworkMonitor()
        monitor.follow(network)
        XCTAssertTrue(monitor.isMetered)
        network.isMetered = false
        XCTAssertFalse(monitor.isMetered)
        network.isMetered = true
        XCTAssertTrue(monitor.status.isMetered)
    }

    /// GIO's monitor exists everywhere, also where nothing tells it anything.
    func testDesktopIsFollowed() async {
        let monitor = NetworkMonitor(isMetered: true)
        monitor.followDesktop()
        XCTAssertFalse(monitor.isMetered)
    }
}
#endif
