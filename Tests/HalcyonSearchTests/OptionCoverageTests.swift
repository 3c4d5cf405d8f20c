import FoundationEssentials
import Testing

@testable import Halcyon
@testable import HalcyonSearch

@Suite("The options of random programs")
struct OptionCoverageTests {
    @Test("are all that there are")
    func everyField() async {
        var missing = Set(Self.fields(of: ImageOptions()).keys)
        let standard = Self.fields(of: ImageOptions())
        for seed in 0..<600 as Range<UInt64> where !missing.isEmpty {
            let program = ProgramGenerator.program(seed: seed)
            let folder = FileManager.default.temporaryDirectory.path + "/halcyon-search-test-\(UUID().uuidString)"
            let player = Player(program: program, folder: folder)
            player.start()
            for case .load(let call) in program.lines.map(\.step) {
                let fields = Self.fields(of: player.options(of: call))
                missing.subtract(fields.keys.filter { fields[$0] != standard[$0] })
            }
            await player.end()
        }
        #expect(missing.isEmpty, "no program sets \(missing)")
    }

    /// The text of each field, by its name and that of its group.
    private static func fields(of options: ImageOptions) -> [String: String] {
        var fields: [String: String] = [:]
        func add(_ value: Any, _ prefix: String, except groups: Set<String>) {
            for case (let label?, let value) in Mirror(reflecting: value).children where !groups.contains(label) {
                fields[prefix + label] = "\(value)"
            }
        }
        add(options.fields, "", except: ["cache", "network", "decode", "recovery", "delivery"])
        add(options.cache, "cache.", except: [])
        add(options.decode, "decode.", except: [])
        add(options.delivery, "delivery.", except: [])
        add(options.network, "network.", except: ["box"])
        // The user of the transport is for downloaders to set.
        add(options.network.rules, "network.", except: ["handling", "transportScope"])
        // Whether 304 is accepted is for loads to set.
        add(options.network.handling, "network.", except: ["acceptsNotModified"])
        fields["recovery.retry"] = "\(String(describing: options.recovery.retry))"
        fields["recovery.alternatives"] = "\(options.recovery.alternatives)"
        fields["recovery.lowDataSource"] = "\(String(describing: options.recovery.lowDataSource))"
        fields["recovery.allowsMetered"] = "\(options.recovery.allowsMetered)"
        return fields
    }
}
