internal import HalcyonHTTP

extension FleetSecret {
    /// Names the images of a credential on this machine as all machines of the fleet do, so that they share them.
    ///
    /// Without it, images that were loaded with a credential (`Authorization`, a cookie, a user) and name no
    /// ``/Halcyon/CacheScope`` have names of this machine alone, and are found by no other. Call it before the first load: what
    /// is on disk under a credential already is loaded anew.
    public func useForCredentials() {
        CredentialDigester.join(fleetWithKey: key)
    }
}
