@testable import Halcyon

/// A value that is part of no identity.
enum NoteKey: ImageOptionKey {
    static let defaultValue = ""
}

/// A value whose images are kept apart.
enum RenditionKey: ImageOptionKey {
    static let defaultValue = "full"

    static func cacheIdentity(of value: String) -> String? { value }
}
