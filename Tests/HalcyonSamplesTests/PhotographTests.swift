import FoundationEssentials
import HalcyonCodecs
import HalcyonRaster
import Testing

@testable import HalcyonSamples

@Suite("Sample photographs")
struct PhotographTests {
    @Test(
        "each is a file of the format and size it is listed with",
        arguments: Photograph.all.map { $0.reduced(by: 20) }
    )
    func matchesItsListing(photograph: Photograph) async throws {
        let data = try await photograph.encoded()
        let info = try ImageCodecs.standard.info(of: data)
        let ending = photograph.name.split(separator: ".").last.map(String.init)
        #expect(ending == (info.format == .jpeg ? "jpg" : info.format.rawValue))
        #expect(info.displaySize == photograph.size)
        #expect(try ImageCodecs.standard.decode(data).size == photograph.size)
    }

    @Test("drawing one twice makes the same bytes")
    func isDeterministic() async throws {
        let photograph = try #require(Photograph.all.first { $0.name == "coast.png" }).reduced(by: 20)
        #expect(try await photograph.encoded() == photograph.encoded())
    }

    @Test("names are unique, both orientations occur, and one has 12 megapixels")
    func coversTheDemonstration() {
        #expect(Set(Photograph.all.map(\.name)).count == Photograph.all.count)
        #expect(Photograph.all.contains { $0.size.width < $0.size.height })
        #expect(Photograph.all.contains { $0.size.width > $0.size.height })
        #expect(Photograph.all.contains { $0.size.area >= 12_000_000 })
    }
}
