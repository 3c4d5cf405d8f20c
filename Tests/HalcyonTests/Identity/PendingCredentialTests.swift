import FoundationEssentials
import HTTPTypes
import HalcyonHTTP
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A request with a credential")
struct PendingCredentialTests {
    @Test("that was made before the key of credentials was read is named once another load has read it")
    func keyReadMeanwhile() async throws {
        let test = TestPipeline()
        var transfer = TransferRequest(url: Sample.url())
        transfer.headers[.authorization] = "Bearer one"
        let request = ImageRequest(.request(transfer))
        let pending = PendingRequest(request)
        _ = CredentialDigester.installation
        let resolver = test.pipeline.stages.resolver
        let context = WorkContext(priority: PriorityBox(.normal)) { _ in }
        let resolved = try await resolver.resolve(pending, context: context)
        #expect(resolved.key == resolver.begin(request).resolved?.key)
    }
}
