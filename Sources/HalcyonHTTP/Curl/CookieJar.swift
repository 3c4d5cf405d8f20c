internal import CCurl
internal import CCurlShim

/// The cookies of all handles of one transport. Used by the event loop's thread alone, so libcurl needs no locks for
/// it.
final class CookieJar {
    private let share: UnsafeMutableRawPointer

    init() {
        guard let share = curl_share_init() else { fatalError("libcurl cannot allocate a share handle: out of memory") }
        self.share = share
        halcyon_curl_share_cookies(share)
    }

    deinit {
        // The handles hold on to this, so none uses it any more.
        curl_share_cleanup(share)
    }

    func attach(to handle: CurlHandle) {
        halcyon_curl_set_share(handle.easy, share)
        // Without a file, even if there is none, libcurl does not look at the cookies it has.
        handle.set(CURLOPT_COOKIEFILE, "")
    }

    func removeAll(through handle: CurlHandle) {
        halcyon_curl_set_string(handle.easy, CURLOPT_COOKIELIST, "ALL")
    }
}
