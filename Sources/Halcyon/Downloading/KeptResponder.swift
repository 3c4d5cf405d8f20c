internal import HalcyonSystem

/// Hooks that supply credentials, with the scope that they answer for: those that answer for several users, one after the
/// other, are other ones for each of them.
struct ScopedResponder: Hashable, Sendable {
    let hook: Hook<any DownloadHooks>
    /// The scope that the options or the hooks name; `nil` for none.
    let audience: ExactString?

    init(hook: Hook<any DownloadHooks>, audience: String?) {
        self.hook = hook
        self.audience = audience.map { ExactString($0) }
    }
}

/// A responder for which credentials are kept, so that it is not asked again.
///
/// An object is not kept alive: once it is released, it cannot come again. A value is kept, as an equal one may be made for
/// each request.
struct KeptResponder: Sendable {
    private enum Reference: Sendable {
        case object(WeakObject)
        case value(HookIdentity)
    }

    private let reference: Reference

    init(_ responder: ScopedResponder) {
        reference = responder.object.map { Reference.object(WeakObject($0)) } ?? .value(responder.hook.identity)
    }

    /// A Boolean value that indicates whether the responder is released. Not called under a lock, unless the responder is
    /// held elsewhere, as it may be released here.
    var isReleased: Bool {
        if case .object(let reference) = reference { reference.object == nil } else { false }
    }
}

/// The key of what is kept for a responder, for as long as that is not released: its address may belong to another one
/// afterwards.
struct ResponderKey: Hashable, Sendable {
    private let object: ObjectIdentifier
    private let audience: ExactString?

    fileprivate init(_ object: ObjectIdentifier, _ audience: ExactString?) {
        self.object = object
        self.audience = audience
    }
}

extension ScopedResponder {
    var key: ResponderKey { ResponderKey(ObjectIdentifier(object ?? hook.identity), audience) }

    /// The object that the hooks are; `nil` for a value.
    fileprivate var object: AnyObject? {
        type(of: hook.body) is AnyClass ? hook.body as AnyObject : nil
    }
}

/// A reference that does not keep its object alive.
///
/// Unchecked: nothing of the object is used but whether it exists.
private struct WeakObject: @unchecked Sendable {
    weak var object: AnyObject?

    init(_ object: AnyObject) {
        self.object = object
    }
}
