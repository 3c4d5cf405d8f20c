#include "curl_multi_loop.h"

#include <curl/curl.h>
#include <stdlib.h>

static size_t count_bytes(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes;
    *(long long *)context += (long long)(size * count);
    return size * count;
}

long long halcyon_reference_curl_multi_loop(
    const char *url, size_t count, size_t concurrency, long http_version, const char *authority_file
) {
    long long received = 0;
    size_t started = 0, ended = 0;
    int failed = 0;
    CURLM *multi = curl_multi_init();
    CURL **handles = calloc(concurrency, sizeof *handles);
    if (!multi || !handles) {
        return -1;
    }
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)concurrency);
    for (size_t i = 0; i < concurrency; i++) {
        CURL *easy = handles[i] = curl_easy_init();
        curl_easy_setopt(easy, CURLOPT_URL, url);
        curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, http_version);
        curl_easy_setopt(easy, CURLOPT_PIPEWAIT, http_version == CURL_HTTP_VERSION_2TLS ? 1L : 0L);
        curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, count_bytes);
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, &received);
        if (authority_file) {
            curl_easy_setopt(easy, CURLOPT_CAINFO, authority_file);
        }
        if (started < count) {
            curl_multi_add_handle(multi, easy);
            started++;
        }
    }
    while (ended < count) {
        int running, queued;
        curl_multi_perform(multi, &running);
        CURLMsg *message;
        while ((message = curl_multi_info_read(multi, &queued))) {
            CURL *easy = message->easy_handle;
            failed |= message->data.result != CURLE_OK;
            ended++;
            curl_multi_remove_handle(multi, easy);
            if (started < count) {
                curl_multi_add_handle(multi, easy);
                started++;
            }
        }
        if (ended < count) {
            curl_multi_poll(multi, NULL, 0, 1000, NULL);
        }
    }
    for (size_t i = 0; i < concurrency; i++) {
        curl_multi_remove_handle(multi, handles[i]);
        curl_easy_cleanup(handles[i]);
    }
    free(handles);
    curl_multi_cleanup(multi);
    return failed ? -1 : received;
}
