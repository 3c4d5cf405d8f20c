import Testing

@testable import HalcyonFleet

@Suite("The URL of an engine")
struct EngineConfigurationTests {
    @Test("names one engine, its user, password and database")
    func single() throws {
        let engine = try FleetEngine.Configuration("redis://halcyon:p%40ss@cache.example:7000/3")
        #expect(engine.kind == .single && !engine.isEncrypted)
        #expect(engine.seeds == [EngineAddress(host: "cache.example", port: 7_000)])
        #expect(engine.user == "halcyon" && engine.password == "p@ss" && engine.database == 3)
        let plain = try FleetEngine.Configuration("valkeys://[::1]")
        #expect(plain.isEncrypted && plain.seeds == [EngineAddress(host: "::1", port: 6_379)])
        #expect(plain.user == nil && plain.password == nil && plain.database == 0)
        let default_ = try FleetEngine.Configuration("redis://:secret@h")
        #expect(default_.user == nil && default_.password == "secret")
    }

    @Test("names several nodes of a cluster, or one with ?cluster")
    func cluster() throws {
        let engine = try FleetEngine.Configuration("redis://a:7000,b:7001,c")
        #expect(engine.kind == .cluster && engine.seeds.map(\.port) == [7_000, 7_001, 6_379])
        #expect(try FleetEngine.Configuration("rediss://a?cluster").kind == .cluster)
    }

    @Test("names the set of Sentinels")
    func sentinel() throws {
        let engine = try FleetEngine.Configuration("redis://u:p@a,b:26380/2?sentinel=images")
        #expect(engine.kind == .sentinel("images") && engine.database == 2)
        #expect(engine.seeds.map(\.port) == [26_379, 26_380])
    }

    @Test(
        "is refused where it names none, without telling the password",
        arguments: [
            "cache.example", "http://h", "redis://", "redis://u:secret@", "redis://u:secret@h:0", "redis://h/x",
            "redis://u:secret@h:99999", "redis://a,b/1", "redis://h?other=secret", "redis://u:%zz@h", "redis://a,,b",
            "redis://h#secret", "redis://a?cluster&sentinel=x",
        ]
    )
    func invalid(url: String) {
        let error = #expect(throws: FleetError.self) { try FleetEngine.Configuration(url) }
        guard case .invalidURL = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error.map { !$0.description.contains("secret") } == true)
    }

    @Test("is described by its nodes alone")
    func description() throws {
        var engine = try FleetEngine.Configuration("rediss://user:secret@a,[::1]:7000/0?sentinel=images")
        engine.sentinelPassword = "secret of the Sentinels"
        #expect("\(engine)" == "rediss://a:26379,[::1]:7000")
        var text = ""
        dump(Optional(engine), to: &text)
        #expect(!"\(text) \(Optional(engine) as Any) \(String(reflecting: engine))".contains("secret"))
    }

    @Test("gives the slots of the specification, and one slot to keys with one tag")
    func slots() {
        #expect(ClusterSlots.checksum(of: "123456789".utf8) == 0x31C3)
        #expect(ClusterSlots.slot(of: "{user1000}.following") == ClusterSlots.slot(of: "{user1000}.followers"))
        #expect(ClusterSlots.slot(of: "foo{}{bar}") == Int(ClusterSlots.checksum(of: "foo{}{bar}".utf8)) % 16_384)
        #expect(ClusterSlots.slot(of: "foo{{bar}}zap") == ClusterSlots.slot(of: "{bar"))
    }

    @Test("redirections are read, with and without a host")
    func redirections() {
        typealias Redirection = EngineReply.Redirection
        #expect(
            EngineReply.error("MOVED 3999 127.0.0.1:6381").redirection
                == Redirection(slot: 3_999, host: "127.0.0.1", port: 6_381, isForOnce: false)
        )
        #expect(
            EngineReply.error("ASK 1 :6381").redirection
                == Redirection(slot: 1, host: nil, port: 6_381, isForOnce: true)
        )
        for text in ["MOVED 16384 h:1", "MOVED 1 h", "MOVED 1 h:0", "MOVED x h:1", "ERR MOVED 1 h:1"] {
            #expect(EngineReply.error(text).redirection == nil)
        }
    }
}
