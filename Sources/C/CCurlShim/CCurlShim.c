#define _GNU_SOURCE
// The macros that check types stand for calls of the linked function.
#define CURL_DISABLE_TYPECHECK
#include "CCurlShim.h"

#include <pthread.h>
#include <time.h>

CURLcode halcyon_curl_set_long(CURL *easy, CURLoption option, long value) {
    return halcyon_curl_library()->curl_easy_setopt(easy, option, value);
}

CURLcode halcyon_curl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return halcyon_curl_library()->curl_easy_setopt(easy, option, value);
}

CURLcode halcyon_curl_set_string(CURL *easy, CURLoption option, const char *value) {
    return halcyon_curl_library()->curl_easy_setopt(easy, option, value);
}

CURLcode halcyon_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return halcyon_curl_library()->curl_easy_setopt(easy, option, value);
}

CURLcode halcyon_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return halcyon_curl_library()->curl_easy_setopt(easy, option, value);
}

CURLcode halcyon_curl_set_callback(CURL *easy, CURLoption option, curl_write_callback value) {
    return halcyon_curl_library()->curl_easy_setopt(easy, option, value);
}

CURLcode halcyon_curl_set_lookup_callback(CURL *easy, curl_resolver_start_callback value) {
    return halcyon_curl_library()->curl_easy_setopt(easy, CURLOPT_RESOLVER_START_FUNCTION, value);
}

CURLcode halcyon_curl_set_socket_opener(CURL *easy, curl_opensocket_callback value) {
    return halcyon_curl_library()->curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, value);
}

CURLcode halcyon_curl_set_socket_closer(CURL *easy, curl_closesocket_callback value, void *context) {
    CURLcode code = halcyon_curl_library()->curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, value);
    return code == CURLE_OK ? halcyon_curl_library()->curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, context) : code;
}

CURLcode halcyon_curl_set_blob(CURL *easy, CURLoption option, const void *bytes, size_t count) {
    // libcurl copies them, and takes no const pointer.
    struct curl_blob blob = {.data = (void *)bytes, .len = count, .flags = CURL_BLOB_COPY};
    return halcyon_curl_library()->curl_easy_setopt(easy, option, &blob);
}

CURLcode halcyon_curl_set_share(CURL *easy, CURLSH *share) {
    return halcyon_curl_library()->curl_easy_setopt(easy, CURLOPT_SHARE, share);
}

CURLSHcode halcyon_curl_share_cookies(CURLSH *share) {
    return halcyon_curl_library()->curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE);
}

CURLcode halcyon_curl_allow_http_only(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
    return halcyon_curl_library()->curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    return halcyon_curl_library()->curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

CURLcode halcyon_curl_set_prerequest(CURL *easy, halcyon_curl_prerequest_callback callback) {
#if HALCYON_CURL_HAS_PREREQUEST
    return halcyon_curl_library()->curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, callback);
#else
    (void)easy;
    (void)callback;
    return CURLE_OK;
#endif
}

CURLcode halcyon_curl_set_prerequest_context(CURL *easy, void *context) {
#if HALCYON_CURL_HAS_PREREQUEST
    return halcyon_curl_library()->curl_easy_setopt(easy, CURLOPT_PREREQDATA, context);
#else
    (void)easy;
    (void)context;
    return CURLE_OK;
#endif
}

CURLcode halcyon_curl_leave_resolver_behind(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075700
    return halcyon_curl_library()->curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#else
    (void)easy;
    return CURLE_OK;
#endif
}

long halcyon_curl_get_long(CURL *easy, CURLINFO info) {
    long value = 0;
    return halcyon_curl_library()->curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

curl_off_t halcyon_curl_get_offset(CURL *easy, CURLINFO info) {
    curl_off_t value = 0;
    return halcyon_curl_library()->curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

const char *halcyon_curl_get_string(CURL *easy, CURLINFO info) {
    char *value = NULL;
    return halcyon_curl_library()->curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : NULL;
}

int halcyon_curl_get_socket(CURL *easy) {
    curl_socket_t value = CURL_SOCKET_BAD;
    return halcyon_curl_library()->curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &value) == CURLE_OK ? value : CURL_SOCKET_BAD;
}

void *halcyon_curl_get_pointer(CURL *easy, CURLINFO info) {
    char *value = NULL;
    return halcyon_curl_library()->curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : NULL;
}

struct curl_slist *halcyon_curl_get_list(CURL *easy, CURLINFO info) {
    struct curl_slist *value = NULL;
    return halcyon_curl_library()->curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : NULL;
}

void halcyon_curl_name_thread(const char *name) {
    pthread_setname_np(pthread_self(), name);
}

int halcyon_semaphore_wait(sem_t *semaphore, const struct timespec *deadline) {
    return sem_clockwait(semaphore, CLOCK_MONOTONIC, deadline);
}

CURLMcode halcyon_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return halcyon_curl_library()->curl_multi_setopt(multi, option, value);
}
