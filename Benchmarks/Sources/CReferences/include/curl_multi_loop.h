#ifndef HALCYON_CURL_MULTI_LOOP_H
#define HALCYON_CURL_MULTI_LOOP_H

#include <stddef.h>

// The least that a program must do to download with libcurl: one thread, a multi handle, `concurrency` easy handles
// that are used again, and a callback that only counts. Gets `url` `count` times; http_version is a CURL_HTTP_VERSION_*
// value, authority_file a PEM file or NULL. Returns the bytes received, or -1 if a transfer failed.
long long halcyon_reference_curl_multi_loop(
    const char *url, size_t count, size_t concurrency, long http_version, const char *authority_file);

#endif
