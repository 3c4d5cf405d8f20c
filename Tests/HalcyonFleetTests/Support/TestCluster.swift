import FoundationEssentials
import HalcyonSystem
import Testing

@testable import HalcyonFleet

/// A cluster of three primaries with a replica each.
final class TestCluster: Sendable {
    let nodes: [TestEngine]

    var url: String { "redis://" + nodes.map { "127.0.0.1:\($0.port)" }.joined(separator: ",") }

    /// Starts the nodes, and waits until they know each other.
    init() async throws {
        var nodes: [TestEngine] = []
        for _ in 0..<6 {
            nodes.append(
                try await TestEngine([
                    "--cluster-enabled", "yes", "--cluster-node-timeout", "1000", "--cluster-require-full-coverage",
                    "no",
                    "--cluster-config-file", "nodes.conf", "--cluster-replica-validity-factor", "0",
                ])
            )
        }
        self.nodes = nodes
        let ranges = [(0, 5_460), (5_461, 10_922), (10_923, 16_383)]
        for (number, range) in ranges.enumerated() {
            try nodes[number].send("CLUSTER", "ADDSLOTSRANGE", "\(range.0)", "\(range.1)")
            try nodes[number].send("CLUSTER", "SET-CONFIG-EPOCH", "\(number + 1)")
        }
        let known = await eventually { [nodes] in
            func count(_ node: TestEngine) -> Int {
                ((try? node.send("CLUSTER", "NODES").text) ?? "").split(separator: "\n").count
            }
            if count(nodes[0]) < 6 {
                // Again, as a busy machine may forget a meeting.
                for node in nodes.dropFirst() { _ = try? nodes[0].send("CLUSTER", "MEET", "127.0.0.1", "\(node.port)") }
                try? await Task.sleep(for: .milliseconds(500))
            }
            return nodes.allSatisfy { count($0) == 6 }
        }
        #expect(known)
        for number in 0..<3 {
            let id = try #require(try nodes[number].send("CLUSTER", "MYID").text)
            try nodes[number + 3].send("CLUSTER", "REPLICATE", id)
        }
        let ready = await eventually { [nodes] in
            nodes.prefix(3).allSatisfy { node in
                ((try? node.send("CLUSTER", "INFO").text) ?? "").contains("cluster_state:ok")
                    && ((try? node.info("replication")) ?? "").contains("connected_slaves:1")
            }
                && nodes.dropFirst(3).allSatisfy { node in
                    ((try? node.info("replication")) ?? "").contains("master_link_status:up")
                }
        }
        #expect(ready)
    }

    /// Returns the primary of a key's slot.
    func primary(of key: String) -> Int {
        switch ClusterSlots.slot(of: key) {
        case 0...5_460: 0
        case 5_461...10_922: 1
        default: 2
        }
    }
}

/// A primary with two replicas, and three Sentinels.
final class TestSentinels: Sendable {
    let nodes: [TestEngine]
    let sentinels: [TestEngine]

    var url: String {
        "redis://" + sentinels.map { "127.0.0.1:\($0.port)" }.joined(separator: ",") + "?sentinel=images"
    }

    init() async throws {
        let primary = try await TestEngine()
        let port = primary.port
        var replicas: [TestEngine] = []
        for _ in 0..<2 { replicas.append(try await TestEngine(["--replicaof", "127.0.0.1", "\(port)"])) }
        let nodes = [primary] + replicas
        let linked = await eventually {
            replicas.allSatisfy { ((try? $0.info("replication")) ?? "").contains("master_link_status:up") }
        }
        #expect(linked)
        var sentinels: [TestEngine] = []
        for _ in 0..<3 {
            let sentinel = try await TestEngine(isSentinel: true) { folder, _ in
                let file = folder + "/sentinel.conf"
                let text = """
                    sentinel monitor images 127.0.0.1 \(port) 2
                    sentinel down-after-milliseconds images 500
                    sentinel failover-timeout images 2000

                    """
                try text.write(toFile: file, atomically: true, encoding: .utf8)
                return [file]
            }
            sentinels.append(sentinel)
        }
        self.sentinels = sentinels
        self.nodes = nodes
        let known = await eventually { [sentinels] in
            sentinels.allSatisfy { sentinel in
                let text = (try? sentinel.info("sentinel")) ?? ""
                return text.contains("slaves=2") && text.contains("sentinels=3")
            }
        }
        #expect(known)
    }
}
