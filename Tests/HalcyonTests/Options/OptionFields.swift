@testable import Halcyon

/// The fields of the options.
enum OptionFields {
    /// Their number, in all groups.
    static var count: Int {
        func count(_ value: Any) -> Int { Mirror(reflecting: value).children.count }
        let groups =
            count(CachePolicy()) + count(DecodePolicy()) + count(DeliveryPolicy()) + count(RecoveryPolicy())
        // One field of the policy holds the rules, of which one is the handling, where loads set whether 304 is accepted, and one
        // the user of the transport, which downloaders set.
        let network = count(NetworkPolicy()) - 1 + count(TransferRules()) - 2 + count(TransferHandling()) - 1
        return count(ImageOptions().fields) - 5 + groups + network
    }
}
