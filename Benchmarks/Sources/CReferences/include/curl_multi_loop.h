#ifndef HALCYON_CURL_MULTI_LOOP_H
#define HALCYON_CURL_MULTI_LOOP_H

#include <stdbool.h>
#include <stddef.h>

// The least that a useful program must do to download with libcurl: one thread, a multi handle, and `concurrency` easy
// handles that are set up once and used again. Each transfer gets its URL, since a program seldom wants one thing twice,
// and its own buffer of the announced length if `stores_body`; otherwise the bytes are only counted. What is sent is
// what CurlTransport sends (HTTP/2 where TLS offers it, user agent, every coding that libcurl can undo), and redirects
// are followed. Nothing looks at headers, deadlines, limits or priorities.
//
// Gets `url` `count` times; authority_file is a PEM file or NULL. Returns the bytes received, or -1 if a transfer
// failed.
long long halcyon_reference_curl_multi_loop(
    const char *url, size_t count, size_t concurrency, const char *authority_file, bool stores_body);

#endif
