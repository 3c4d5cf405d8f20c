import FoundationEssentials
import Testing

@testable import Halcyon
@testable import HalcyonSearch

@Suite("The options of random programs")
struct OptionCoverageTests {
    @Test("are all that there are")
    func everyField() async {
        let standard = ImageOptions()
        var missing = Set(ImageOptionField.allCases)
        for seed in 0..<600 as Range<UInt64> where !missing.isEmpty {
            let program = ProgramGenerator.program(seed: seed)
            let folder = FileManager.default.temporaryDirectory.path + "/halcyon-search-test-\(UUID().uuidString)"
            let player = Player(program: program, folder: folder)
            player.start()
            for case .load(let call) in program.lines.map(\.step) {
                let fields = player.options(of: call).fields
                missing.subtract(ImageOptionFields.all.differences(between: standard.fields, and: fields).each)
            }
            await player.end()
        }
        #expect(missing.isEmpty, "no program sets \(missing)")
    }
}
