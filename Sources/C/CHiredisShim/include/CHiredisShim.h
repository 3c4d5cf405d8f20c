// What Swift cannot do with hiredis: functions whose signatures differ between its versions, and libraries that are loaded on
// first use.
#ifndef HALCYON_HIREDIS_SHIM_H
#define HALCYON_HIREDIS_SHIM_H

#include <hiredis/hiredis.h>
#include <stdbool.h>
#include <stddef.h>

/// What the replies of one call may take. The reader subtracts from it, and refuses what is left no room for.
typedef struct {
    /// The bytes of all strings.
    size_t bytes;
    /// The number of all elements of arrays.
    size_t elements;
    /// Set when a reply was refused.
    bool is_exceeded;
} HalcyonReplyBudget;

/// Gives a connection a reader whose replies are bounded by a budget, which has to outlive the connection.
///
/// hiredis takes memory for as many elements as the head of an array states; this reader compares first.
///
/// @return `false` without memory.
bool halcyon_hiredis_bound(redisContext *context, HalcyonReplyBudget *budget);

/// Frees a reply of a bounded reader.
void halcyon_hiredis_free_reply(void *reply);

/// How the server of an encrypted connection is verified, and what this side shows. Paths that are `NULL`: the system's
/// authorities, and no certificate.
typedef struct {
    const char *authorities;
    const char *certificate;
    const char *private_key;
} HalcyonEngineTLS;

/// Returns `NULL` if connections can be encrypted, and otherwise the reason: `libhiredis_ssl` is not installed, or
/// hiredis is older than 1.0, which has none.
const char *halcyon_hiredis_tls_problem(void);

/// Begins to encrypt a connection that does not block. The handshake goes on with the first bytes that are written and read;
/// the name or address of the server is verified in it.
///
/// @param reason Takes the reason of a failure.
/// @return `false` if that failed.
bool halcyon_hiredis_start_tls(
    redisContext *context, const char *host, const HalcyonEngineTLS *options, char *reason, size_t reason_size);

#endif
