/// Whose image it is: which requests for one name are answered with one image.
///
/// A program that loads images for several people gives the same URL different credentials, and may get different images.
/// Neither caches nor work that is shared mix them up:
///
/// - A request that carries a credential of its own is answered only with what an equal credential was given:
///   `Authorization` and `Cookie` in the headers of the request or of the options (those of
///   ``ImagePipeline/Configuration/defaultOptions`` and of ``ImageDownloader/Configuration/policy`` included), a
///   `Credential`, a user name in the URL, and for `http` what is sent to a proxy.
/// - Other headers and the body of a POST say what is wanted, not who wants it. A secret in another header, such as
///   `X-Api-Key`, is not recognized: name the scope.
/// - What the transport adds, its credentials and cookies, is the same for all of a pipeline.
public enum CacheScope: Sendable, Hashable {
    /// The credential's own, or that of everyone where the request carries none. Another token is another scope, also if it
    /// is a renewed one of the same user.
    ///
    /// What a server gives for a credential that a ``RequestModifying`` or an ``AuthenticationResponding`` of the options
    /// adds, which nobody knows when the caches are asked, is not cached; nor is what it gives for a request that hooks of the
    /// options lead elsewhere. They may name a scope: ``RequestModifying/cacheScope``,
    /// ``AuthenticationResponding/cacheScope``.
    case credential
    /// One with a name, such as "user-42", whatever the credential: an image is found again after the token was renewed. The
    /// name stands in the disk cache as it is.
    case named(String)
    /// That of everyone: the image is the same whatever the credential, which only opens the door.
    case sharedAcrossCredentials
}
