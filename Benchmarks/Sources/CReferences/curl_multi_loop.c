#include "curl_multi_loop.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

typedef struct Transfer {
    CURL *easy;
    bool stores_body;
    char *body;
    size_t stored, capacity;
    long long *received;
} Transfer;

static size_t take_bytes(char *bytes, size_t size, size_t count, void *context) {
    Transfer *transfer = context;
    size_t length = size * count;
    *transfer->received += (long long)length;
    if (!transfer->stores_body) {
        return length;
    }
    if (transfer->stored + length > transfer->capacity) {
        curl_off_t expected = -1;
        curl_easy_getinfo(transfer->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &expected);
        size_t needed = transfer->stored + length;
        size_t capacity = expected > (curl_off_t)needed ? (size_t)expected : needed;
        char *body = realloc(transfer->body, capacity);
        if (!body) {
            return 0;
        }
        transfer->body = body;
        transfer->capacity = capacity;
    }
    memcpy(transfer->body + transfer->stored, bytes, length);
    transfer->stored += length;
    return length;
}

static void start(CURLM *multi, Transfer *transfer, const char *url) {
    curl_easy_setopt(transfer->easy, CURLOPT_URL, url);
    curl_multi_add_handle(multi, transfer->easy);
}

static void finish(CURLM *multi, Transfer *transfer) {
    curl_multi_remove_handle(multi, transfer->easy);
    free(transfer->body);
    transfer->body = NULL;
    transfer->stored = transfer->capacity = 0;
}

long long halcyon_reference_curl_multi_loop(
    const char *url, size_t count, size_t concurrency, const char *authority_file, bool stores_body
) {
    long long received = 0;
    size_t started = 0, ended = 0;
    int failed = 0;
    CURLM *multi = curl_multi_init();
    Transfer *transfers = calloc(concurrency, sizeof *transfers);
    if (!multi || !transfers) {
        return -1;
    }
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)concurrency);
    for (size_t i = 0; i < concurrency; i++) {
        Transfer *transfer = &transfers[i];
        CURL *easy = transfer->easy = curl_easy_init();
        transfer->stores_body = stores_body;
        transfer->received = &received;
        curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
        curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
        curl_easy_setopt(easy, CURLOPT_PIPEWAIT, strncmp(url, "https:", 6) == 0 ? 1L : 0L);
        curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 1L);
        curl_easy_setopt(easy, CURLOPT_USERAGENT, "Halcyon");
        curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_bytes);
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
        if (authority_file) {
            curl_easy_setopt(easy, CURLOPT_CAINFO, authority_file);
        }
        if (started < count) {
            start(multi, transfer, url);
            started++;
        }
    }
    while (ended < count) {
        int running, queued;
        curl_multi_perform(multi, &running);
        CURLMsg *message;
        while ((message = curl_multi_info_read(multi, &queued))) {
            Transfer *transfer = NULL;
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
            failed |= message->data.result != CURLE_OK;
            ended++;
            finish(multi, transfer);
            if (started < count) {
                start(multi, transfer, url);
                started++;
            }
        }
        if (ended < count) {
            curl_multi_poll(multi, NULL, 0, 1000, NULL);
        }
    }
    for (size_t i = 0; i < concurrency; i++) {
        finish(multi, &transfers[i]);
        curl_easy_cleanup(transfers[i].easy);
    }
    free(transfers);
    curl_multi_cleanup(multi);
    return failed ? -1 : received;
}
