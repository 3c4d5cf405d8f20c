// libcurl's variadic functions, typed: Swift cannot call variadic C functions.
#ifndef HALCYON_CURL_SHIM_H
#define HALCYON_CURL_SHIM_H

#include "CurlLibrary.h"
#include "SocketBytes.h"

#include <semaphore.h>
#include <stdbool.h>

CURLcode halcyon_curl_set_long(CURL *easy, CURLoption option, long value);
CURLcode halcyon_curl_set_offset(CURL *easy, CURLoption option, curl_off_t value);
CURLcode halcyon_curl_set_string(CURL *easy, CURLoption option, const char *value);
CURLcode halcyon_curl_set_pointer(CURL *easy, CURLoption option, void *value);
CURLcode halcyon_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value);
CURLcode halcyon_curl_set_callback(CURL *easy, CURLoption option, curl_write_callback value);

// The ways to prove who asks; macros with casts do not reach Swift.
static const long halcyon_curl_auth_basic = CURLAUTH_BASIC;
static const long halcyon_curl_auth_digest = CURLAUTH_DIGEST;
static const long halcyon_curl_auth_bearer = CURLAUTH_BEARER;

// The least version of TLS; an enumeration of C whose type in Swift depends on libcurl's version (8.13 made it a macro).
static const long halcyon_curl_tls_1_2 = CURL_SSLVERSION_TLSv1_2;
static const long halcyon_curl_tls_1_3 = CURL_SSLVERSION_TLSv1_3;

// Called before a name is looked up.
CURLcode halcyon_curl_set_lookup_callback(CURL *easy, curl_resolver_start_callback value);
CURLcode halcyon_curl_set_socket_opener(CURL *easy, curl_opensocket_callback value);
CURLcode halcyon_curl_set_socket_closer(CURL *easy, curl_closesocket_callback value, void *context);
CURLcode halcyon_curl_set_blob(CURL *easy, CURLoption option, const void *bytes, size_t count);
CURLcode halcyon_curl_set_share(CURL *easy, CURLSH *share);
CURLSHcode halcyon_curl_share_cookies(CURLSH *share);

// Allows only http and https. libcurl 7.85 replaced the bit masks by names.
CURLcode halcyon_curl_allow_http_only(CURL *easy);

// Called once a connection is there and before the request goes out; anything but 0 ends the transfer and the
// connection with CURLE_ABORTED_BY_CALLBACK. Does nothing before libcurl 7.80, which brought the option.
typedef int (*halcyon_curl_prerequest_callback)(
    void *context, char *remote_address, char *local_address, int remote_port, int local_port);
CURLcode halcyon_curl_set_prerequest(CURL *easy, halcyon_curl_prerequest_callback callback);
CURLcode halcyon_curl_set_prerequest_context(CURL *easy, void *context);
// Whether the headers that this was compiled with have the option.
#define HALCYON_CURL_HAS_PREREQUEST (LIBCURL_VERSION_NUM >= 0x075000)
static const bool halcyon_curl_has_prerequest = HALCYON_CURL_HAS_PREREQUEST;

// Lets a cancelled name look-up finish on its own thread; otherwise removing the handle waits for the resolver.
// Does nothing before libcurl 7.87, which brought the option.
CURLcode halcyon_curl_leave_resolver_behind(CURL *easy);

long halcyon_curl_get_long(CURL *easy, CURLINFO info);
curl_off_t halcyon_curl_get_offset(CURL *easy, CURLINFO info);
const char *halcyon_curl_get_string(CURL *easy, CURLINFO info);
// The socket of the connection that the last transfer used, or -1 if it is closed.
int halcyon_curl_get_socket(CURL *easy);
// To be freed by the caller.
struct curl_slist *halcyon_curl_get_list(CURL *easy, CURLINFO info);
void *halcyon_curl_get_pointer(CURL *easy, CURLINFO info);

// For debuggers and profilers; at most 15 bytes.
void halcyon_curl_name_thread(const char *name);

// sem_clockwait by the monotonic clock, which Swift's view of glibc lacks; 0 or -1 and `errno`.
int halcyon_semaphore_wait(sem_t *semaphore, const struct timespec *deadline);

CURLMcode halcyon_curl_multi_set_long(CURLM *multi, CURLMoption option, long value);

#endif
