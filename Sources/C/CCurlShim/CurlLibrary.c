#include "CurlLibrary.h"

#include "CLibraryLoading.h"

// Debian has it with OpenSSL and with GnuTLS, both with the same binary interface.
HALCYON_DEFINE_LIBRARY(HalcyonCurlLibrary, halcyon_curl_library, HALCYON_CURL_FUNCTIONS, "libcurl.so.4", "libcurl-gnutls.so.4")
