#ifndef HALCYON_REFERENCE_SQLITE_STORE_H
#define HALCYON_REFERENCE_SQLITE_STORE_H

#include <stdbool.h>
#include <stddef.h>

// Bare SQLite as a store: one table of keys and bytes, a write-ahead log, statements prepared once. Nothing is checked,
// limited, dated or counted. A store belongs to one thread at a time.
typedef struct halcyon_reference_store halcyon_reference_store;

// Opens or creates a store; is_durable makes each transaction reach the device. NULL if that fails.
halcyon_reference_store *halcyon_reference_store_open(const char *path, bool is_durable);

// Closes a store. NULL is none.
void halcyon_reference_store_close(halcyon_reference_store *store);

// Puts what follows into one transaction, and ends that. Return 0, or -1.
int halcyon_reference_store_begin(halcyon_reference_store *store);
int halcyon_reference_store_commit(halcyon_reference_store *store);

// Stores bytes under a key, in place of earlier ones. Returns 0, or -1.
int halcyon_reference_store_put(halcyon_reference_store *store, const char *key, const void *bytes, size_t count);

// Copies the bytes of a key into memory taken for them and given back. Returns their number, or -1 if there are none.
long long halcyon_reference_store_get(halcyon_reference_store *store, const char *key);

#endif
