internal import HalcyonConcurrency
internal import Synchronization

extension ImageOptions {
    /// The fields, shared by all copies until one of them is changed: options are passed with each look into memory,
    /// and hold a dozen references that would have to be counted.
    ///
    /// Unchecked: the fields are changed only while no other options share them, which is also why they are not checked
    /// for exclusive access.
    final class Storage: @unchecked Sendable {
        @exclusivity(unchecked)
        var fields: Fields
        /// The fields that are not left open.
        @exclusivity(unchecked)
        var changes: ImageOptionFields
        /// The program's own changes, in their order.
        @exclusivity(unchecked)
        var customChanges: [CustomChange]
        /// The fields that were set after the last of them; all that were set, if there is none.
        @exclusivity(unchecked)
        var recentChanges: ImageOptionFields
        /// ``ImageOptions/isOrdinary``.
        @exclusivity(unchecked)
        var isOrdinary: Bool
        /// ``ImageOptions/loadProcessing``.
        @exclusivity(unchecked)
        var loadProcessing: ImageProcessorChain
        /// ``ImageOptions/variant``, once it was asked for and had to be encoded.
        let encodedVariant = AtomicLazyReference<ImageKey.Variant>()

        init(_ fields: Fields, _ changes: ImageOptionFields = []) {
            self.fields = fields
            self.fields.values.markAllRecent()
            self.changes = changes
            customChanges = []
            recentChanges = changes
            loadProcessing = fields.loadProcessing
            isOrdinary = fields.isOrdinary(for: loadProcessing)
        }

        init(copying other: Storage) {
            fields = other.fields
            changes = other.changes
            customChanges = other.customChanges
            recentChanges = other.recentChanges
            isOrdinary = other.isOrdinary
            loadProcessing = other.loadProcessing
        }

        func noteChange(of changed: ImageOptionFields) {
            changes.formUnion(changed)
            recentChanges.formUnion(changed)
            if !changed.isDisjoint(with: ImageOptionFields([.processing, .targetSize])) {
                loadProcessing = fields.loadProcessing
            }
            isOrdinary = fields.isOrdinary(for: loadProcessing)
        }
    }

    /// A change of the program's own, with the fields that were set since the one before it.
    ///
    /// Kept because its outcome depends on the fields that it finds, which are those of a pipeline once the pipeline has
    /// filled the open ones.
    struct CustomChange: Sendable, Hashable {
        let fields: Fields
        let changes: ImageOptionFields
        let closure: IdentifiedClosure<@Sendable (inout ImageOptions) -> Void>
    }
}
