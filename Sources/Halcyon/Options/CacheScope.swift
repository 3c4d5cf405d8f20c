/// The set of requests for one name that are answered with one image.
///
/// A program that loads images for several people gives the same URL different credentials, and may get different
/// images. Neither caches nor shared work mix them up:
///
/// - A request that carries a credential of its own is answered only with what an equal credential was given:
///   `Authorization` and `Cookie` in the headers of the request or of the options (those of
///   ``ImagePipeline/Configuration/defaultOptions`` and of ``ImageDownloader/Configuration/policy`` included), a
///   `Credential`, a user name in the URL, and for `http` the credential that is sent to a proxy.
/// - Other headers and the body of a POST describe the image, not the user. A secret in another header, such as
///   `X-Api-Key`, is not recognized: name the scope.
/// - A transport with a file of cookies is one user: what it loads answers only requests through a transport with the
///   same file (``HTTPTransport/cacheScope``).
/// - Credentials that the transport adds are the same for all requests of a pipeline.
public enum CacheScope: Sendable, Hashable {
    /// The scope of the credential, or the public one if the request carries none. Another token is another scope, also
    /// if it is a renewed one of the same user.
    ///
    /// Hooks add their credentials after the caches are read: their ``DownloadHooks/cacheIdentity`` keeps images apart
    /// beside this, in every scope.
    case credential
    /// A scope with a name, such as "user-42", whatever the credential: an image is found again after the token was
    /// renewed. The name stands in the disk cache as it is.
    case named(String)
    /// The public scope: the image is the same whatever the credential, which only grants access to it.
    case sharedAcrossCredentials
}
