import Testing

@testable import Halcyon

@Suite("The records of changes under the name of an original")
struct StoreRecordsTests {
    private let order = StoreOrder()

    /// Returns the image of another frame.
    private func image(_ frame: Int) -> StoreOrder.Item {
        var decode = DecodePolicy()
        decode.frame = frame
        let variant = ImageKey.Variant(decode: decode, steps: [])
        return .image(ImageKey(original: OriginalKey(text: "a"), variant: variant))
    }

    private func admits(_ permit: StorePermit, _ transfer: UInt64, _ frame: Int) -> Bool {
        order.admits([permit], .transferred(began: transfer), image(frame), in: .memory)
    }

    @Test("keep what an older transfer brings from replacing newer content, however many images are stored")
    func olderTransfer() {
        let olderTransfer = WorkNumber.next()
        var newer: StorePermit? = order.permit(for: "a")
        let newerTransfer = WorkNumber.next()
        #expect(newer.map { admits($0, newerTransfer, 0) } == true)
        // It waits for the older transfer, which other loads began.
        let late = order.permit(for: "a")
        newer = nil
        let other = order.permit(for: "a")
        for frame in 1...200 { #expect(admits(other, newerTransfer, frame)) }
        #expect(!admits(late, olderTransfer, 0))
    }

    @Test("let the images of one transfer be stored, however many there are")
    func sameTransfer() {
        let first = order.permit(for: "a")
        let transfer = WorkNumber.next()
        for frame in 1...200 { #expect(admits(order.permit(for: "a"), transfer, frame)) }
        #expect(admits(first, transfer, 0))
        #expect(admits(order.permit(for: "a"), transfer, 201))
    }
}
