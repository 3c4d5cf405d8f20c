import CGTK
import Foundation
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

    func testNetworkManagerOfTheDesktopIsFollowed() async throws {
        let manager = try MockNetworkManager()
        defer { manager.end() }
        let monitor = NetworkMonitor()
        monitor.follow(DesktopNetwork(try manager.monitor()))
        XCTAssertTrue(monitor.isMetered)
        // Numbers of NMMetered: no, probably yes, probably no, yes, unknown.
        for (metered, isMetered) in [(2, false), (3, true), (4, false), (1, true), (0, false)] {
            manager.setMetered(metered)
            await MainLoop.run { monitor.isMetered == isMetered }
        }
    }
}

/// A NetworkManager that python-dbusmock plays, on a system bus of its own.
@MainActor
private final class MockNetworkManager {
    private let process = Process()
    private let input = Pipe()

    /// Starts it on a metered network. Skips the test where python-dbusmock is missing, or the machine has a system bus, to
    /// which GIO keeps its connection.
    init() throws {
        // GIO's own monitor is made without the mock, and stays.
        _ = g_network_monitor_get_default()
        guard !FileManager.default.fileExists(atPath: "/run/dbus/system_bus_socket"),
            getenv("DBUS_SYSTEM_BUS_ADDRESS") == nil
        else { throw XCTSkip("there is a system bus") }
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = ["-c", Self.script]
        (process.standardInput, process.standardOutput) = (input, output)
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch { throw XCTSkip("there is no Python") }
        let address = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard !address.isEmpty else {
            process.waitUntilExit()
            throw XCTSkip("python-dbusmock is not installed")
        }
        setenv("DBUS_SYSTEM_BUS_ADDRESS", address.trimmingCharacters(in: .newlines), 1)
    }

    /// A monitor of GIO's for NetworkManager, which the process keeps.
    func monitor() throws -> OpaquePointer {
        let point = g_io_extension_point_lookup("gio-network-monitor")
        let kind = try XCTUnwrap(g_io_extension_point_get_extension_by_name(point, "networkmanager"))
        let monitor = try XCTUnwrap(g_object_new_with_properties(g_io_extension_get_type(kind), 0, nil, nil))
        let pointer = OpaquePointer(monitor)
        var error: UnsafeMutablePointer<GError>?
        XCTAssertNotEqual(g_initable_init(pointer, nil, &error), 0)
        XCTAssertNil(error)
        return pointer
    }

    func setMetered(_ value: Int) { input.fileHandleForWriting.write(Data("\(value)\n".utf8)) }

    func end() {
        unsetenv("DBUS_SYSTEM_BUS_ADDRESS")
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    private static let script = """
        import os, subprocess, sys
        try:
            import dbus, dbusmock
        except ImportError:
            sys.exit()
        class Bus(dbusmock.DBusTestCase): pass
        Bus.start_system_bus()
        name = "org.freedesktop.NetworkManager"
        mock, _ = Bus.spawn_server_template("networkmanager", {}, stdout=subprocess.DEVNULL)
        manager = Bus.get_dbus(True).get_object(name, "/org/freedesktop/NetworkManager")
        manager.AddProperty(name, "Metered", dbus.UInt32(1), dbus_interface=dbusmock.MOCK_IFACE)
        print(os.environ["DBUS_SYSTEM_BUS_ADDRESS"], flush=True)
        for line in sys.stdin:
            manager.UpdateProperties(name, {"Metered": dbus.UInt32(int(line))}, dbus_interface=dbusmock.MOCK_IFACE)
        mock.terminate()
        mock.wait()
        Bus.tearDownClass()
        """
}
