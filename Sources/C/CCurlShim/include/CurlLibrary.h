// libcurl, which is loaded on first use.
#ifndef HALCYON_CURL_LIBRARY_H
#define HALCYON_CURL_LIBRARY_H

#include <curl/curl.h>

/// The functions in use, by the names that they have in the library.
#define HALCYON_CURL_FUNCTIONS(FUNCTION) \
    FUNCTION(curl_easy_cleanup)          \
    FUNCTION(curl_easy_getinfo)          \
    FUNCTION(curl_easy_init)             \
    FUNCTION(curl_easy_pause)            \
    FUNCTION(curl_easy_reset)            \
    FUNCTION(curl_easy_setopt)           \
    FUNCTION(curl_easy_strerror)         \
    FUNCTION(curl_global_init)           \
    FUNCTION(curl_multi_add_handle)      \
    FUNCTION(curl_multi_cleanup)         \
    FUNCTION(curl_multi_info_read)       \
    FUNCTION(curl_multi_init)            \
    FUNCTION(curl_multi_perform)         \
    FUNCTION(curl_multi_poll)            \
    FUNCTION(curl_multi_remove_handle)   \
    FUNCTION(curl_multi_setopt)          \
    FUNCTION(curl_multi_wakeup)          \
    FUNCTION(curl_share_cleanup)         \
    FUNCTION(curl_share_init)            \
    FUNCTION(curl_share_setopt)          \
    FUNCTION(curl_slist_append)          \
    FUNCTION(curl_slist_free_all)        \
    FUNCTION(curl_version)         \
    FUNCTION(curl_version_info)

typedef struct {
#define HALCYON_DECLARE(name) __typeof__(name) *_Nonnull name;
    HALCYON_CURL_FUNCTIONS(HALCYON_DECLARE)
#undef HALCYON_DECLARE
} HalcyonCurlLibrary;

/// The functions; `NULL` where the library is not installed. Loads it on first use, and never unloads it.
const HalcyonCurlLibrary *_Nullable halcyon_curl_library(void);

#endif
